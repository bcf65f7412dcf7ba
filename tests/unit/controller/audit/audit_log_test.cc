// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

v1::WatchAuditResponse Note(const std::string& text) {
  v1::WatchAuditResponse event;
  event.set_note(text);
  return event;
}

std::vector<std::string> NotesOf(const AuditLog::Batch& batch) {
  std::vector<std::string> notes;
  for (const auto& event : batch.events) notes.push_back(event.note());
  return notes;
}

using testing::ElementsAre;
using testing::HasSubstr;

TEST(AuditLog, NumbersEventsFromOneAndGoesOnAfterAnyOfThem) {
  AuditLog log(10);
  for (const char* text : {"a", "b", "c"}) log.Add(Note(text));
  EXPECT_THAT(NotesOf(log.Read(0, 10)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(log.Read(0, 1).events[0].sequence(), 1u);
  EXPECT_THAT(NotesOf(log.Read(1, 1)), ElementsAre("b"));
  EXPECT_THAT(NotesOf(log.Read(3, 10)), ElementsAre());
  EXPECT_THAT(NotesOf(log.Read(99, 10)), ElementsAre());
}

TEST(AuditLog, TheEndIsWhenAllIsReadAndNothingFollows) {
  AuditLog log(10);
  log.Add(Note("a"));
  EXPECT_FALSE(log.Read(0, 10).end);
  log.Add(Note("b"));
  log.Close();
  EXPECT_FALSE(log.Read(0, 1).end);
  EXPECT_TRUE(log.Read(1, 1).end);
  EXPECT_TRUE(log.Read(2, 1).end);
}

TEST(AuditLog, SaysWhatItHasDropped) {
  AuditLog log(2);
  for (const char* text : {"a", "b", "c", "d"}) log.Add(Note(text));
  const AuditLog::Batch batch = log.Read(0, 10);
  EXPECT_THAT(NotesOf(batch), ElementsAre(HasSubstr("events 1 to 2 are no longer kept"), "c", "d"));
  EXPECT_EQ(batch.events[0].sequence(), 2u) << "so that going on after it misses nothing";
  EXPECT_THAT(NotesOf(log.Read(2, 10)), ElementsAre("c", "d"));
}

TEST(AuditLog, WakesEachWaiterOnce) {
  AuditLog log(10);
  int woken = 0;
  EXPECT_NE(log.WhenMore(0, [&] { ++woken; }), 0u);
  EXPECT_EQ(woken, 0);
  log.Add(Note("a"));
  log.Add(Note("b"));
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(log.WhenMore(0, [&] { ++woken; }), 0u) << "there is more already";
  EXPECT_EQ(woken, 2);
  log.WhenMore(2, [&] { ++woken; });
  log.Close();
  EXPECT_EQ(woken, 3);
}

TEST(AuditLog, AForgottenWaiterSleepsOn) {
  AuditLog log(10);
  log.Forget(log.WhenMore(0, [] { FAIL(); }));
  log.Add(Note("a"));
}

TEST(AuditLog, WhereOnlyTheLastEventIsLeftItFollowsWhateverWasSeen) {
  AuditLog log(10);
  v1::WatchAuditResponse last;
  last.set_note("the last");
  log.CloseWithLast(last);
  for (const std::uint64_t seen : {0, 41}) {
    const AuditLog::Batch batch = log.Read(seen, 10);
    ASSERT_EQ(batch.events.size(), 1u);
    EXPECT_EQ(batch.events[0].sequence(), seen + 1);
    EXPECT_EQ(batch.events[0].note(), "the last");
    EXPECT_TRUE(batch.end);
  }
}

}  // namespace
}  // namespace roceready
