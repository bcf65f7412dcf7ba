// SPDX-License-Identifier: Apache-2.0
// Back-off, the epoch file, collections over time, words for people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/link/backoff.h"
#include "agent/link/epoch_file.h"
#include "agent/link/facts_poll.h"
#include "agent/link/link_status.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/agent/link/fakes.h"

namespace roceready::link {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Backoff, StaysBetweenOneSecondAndOneMinute) {
  for (const double random : {0.0, 0.5, 0.999999}) {
    Backoff backoff;
    for (int i = 0; i < 50; ++i) {
      const Duration wait = backoff.Next(random);
      EXPECT_GE(wait, seconds(1));
      EXPECT_LE(wait, seconds(60));
    }
    backoff.Reset();
    EXPECT_LE(backoff.Next(random), seconds(2));
  }
}

TEST(EpochFile, IsZeroWithoutAFileAndSurvivesARestart) {
  TemporaryDirectory directory;
  auto epochs = EpochFile::Open(directory.path());
  ASSERT_TRUE(epochs.ok()) << epochs.status();
  EXPECT_EQ(epochs->highest(), 0u);

  ASSERT_TRUE(epochs->Raise(41).ok());
  ASSERT_TRUE(epochs->Raise(UINT64_MAX).ok());

  EXPECT_EQ(EpochFile::Open(directory.path())->highest(), UINT64_MAX);
  EXPECT_FALSE(std::filesystem::exists(directory.File("highest-epoch.new")));
}

TEST(EpochFile, RefusesAFileItCannotTrust) {
  for (const char* content :
       {"", "x\n", "12", "12 \n", "-1\n", "99999999999999999999999\n", "1\n2\n"}) {
    TemporaryDirectory directory;
    std::ofstream(directory.File("highest-epoch")) << content;
    const auto epochs = EpochFile::Open(directory.path());
    EXPECT_EQ(epochs.status().code(), absl::StatusCode::kDataLoss) << content;
  }
}

TEST(EpochFile, FailureToWriteKeepsTheOldEpoch) {
  TemporaryDirectory directory;
  auto epochs = EpochFile::Open(directory.path());
  ASSERT_TRUE(epochs->Raise(3).ok());
  std::filesystem::create_directory(directory.File("highest-epoch.new"));

  EXPECT_FALSE(epochs->Raise(4).ok());

  EXPECT_EQ(epochs->highest(), 3u);
  EXPECT_EQ(EpochFile::Open(directory.path())->highest(), 3u);
}

class FactsPollTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  EventLoop loop_{&clock_};
  FakeFactsSource source_{&clock_};
  int collected_ = 0;
  FactsPoll poll_{&loop_, &source_, seconds(60), [this](const Collection&) { ++collected_; }};
};

TEST_F(FactsPollTest, CollectsAtStartAndOnceAnInterval) {
  poll_.Start();
  loop_.RunPending();
  EXPECT_EQ(collected_, 1);
  RunFor(&clock_, &loop_, minutes(10));
  EXPECT_EQ(collected_, 11);
}

TEST_F(FactsPollTest, EventsThatNeverEndGiveAtMostOneCollectionASecond) {
  poll_.Start();
  for (int i = 0; i < 1000; ++i) {
    poll_.KernelEvent();
    RunFor(&clock_, &loop_, milliseconds(10));
  }
  EXPECT_GE(collected_, 9);
  EXPECT_LE(collected_, 11);
}

TEST_F(FactsPollTest, SlowCollectionsAreFurtherApartButEventsAreNotForgotten) {
  source_.answers_at_once = false;
  poll_.Start();
  RunFor(&clock_, &loop_, seconds(2));  // a source hangs
  poll_.KernelEvent();
  source_.Answer();
  RunFor(&clock_, &loop_, FactsPoll::kLongestGap - milliseconds(1));
  EXPECT_FALSE(source_.asked());
  RunFor(&clock_, &loop_, milliseconds(1));
  EXPECT_TRUE(source_.asked());
}

TEST_F(FactsPollTest, EventNeverPutsThePeriodicCollectionOff) {
  poll_.Start();
  loop_.RunPending();
  RunFor(&clock_, &loop_, seconds(60) - milliseconds(1));
  poll_.KernelEvent();
  RunFor(&clock_, &loop_, milliseconds(1));
  EXPECT_EQ(collected_, 2);
}

TEST_F(FactsPollTest, EventDuringACollectionLeadsToAnother) {
  source_.answers_at_once = false;
  poll_.Start();
  poll_.KernelEvent();
  source_.Answer();
  RunFor(&clock_, &loop_, FactsPoll::kLongestGap);
  EXPECT_TRUE(source_.asked());
}

TEST_F(FactsPollTest, EventIsCollectedSoonAndOnlyWhatItConcerns) {
  poll_.Start();
  RunFor(&clock_, &loop_, seconds(20));
  poll_.KernelEvent(watch::Changes({watch::Topic::kDcb, 0, "eth0"}));
  RunFor(&clock_, &loop_, FactsPoll::kDebounce);
  EXPECT_EQ(collected_, 2);
  EXPECT_THAT(source_.changes_asked, ElementsAre(watch::Changes({watch::Topic::kDcb, 0, "eth0"})));
}

TEST_F(FactsPollTest, EventRightAfterThePeriodicCollectionIsCollectedAsSoon) {
  poll_.Start();
  RunFor(&clock_, &loop_, seconds(60));
  ASSERT_EQ(collected_, 2);
  poll_.KernelEvent(watch::Changes({watch::Topic::kLink, 2, ""}));
  RunFor(&clock_, &loop_, FactsPoll::kDebounce);
  EXPECT_EQ(collected_, 3);
}

TEST_F(FactsPollTest, BurstOfEventsIsOneCollectionOfAllTheyConcern) {
  poll_.Start();
  RunFor(&clock_, &loop_, seconds(20));
  watch::Changes both({watch::Topic::kLink, 2, ""});
  both.Add({watch::Topic::kAddress, 2, ""});
  poll_.KernelEvent(watch::Changes({watch::Topic::kLink, 2, ""}));
  RunFor(&clock_, &loop_, milliseconds(50));
  poll_.KernelEvent(watch::Changes({watch::Topic::kAddress, 2, ""}));
  RunFor(&clock_, &loop_, seconds(5));
  EXPECT_THAT(source_.changes_asked, ElementsAre(both));
}

TEST_F(FactsPollTest, LostMessagesAreAFullCollection) {
  poll_.Start();
  RunFor(&clock_, &loop_, seconds(20));
  poll_.KernelEvent(watch::Changes({watch::Topic::kLink, 2, ""}));
  poll_.KernelEvent(watch::Changes::Everything());
  RunFor(&clock_, &loop_, seconds(5));
  EXPECT_EQ(collected_, 2);
  EXPECT_THAT(source_.changes_asked, ElementsAre());
}

TEST_F(FactsPollTest, PartialCollectionsDoNotPutTheFullOneOff) {
  poll_.Start();
  for (int second = 0; second < 60; ++second) {
    poll_.KernelEvent(watch::Changes({watch::Topic::kLink, 2, ""}));
    RunFor(&clock_, &loop_, seconds(1));
  }
  const int full = source_.collections - static_cast<int>(source_.changes_asked.size());
  EXPECT_EQ(full, 2);
}

TEST_F(FactsPollTest, FreshRequestDuringAPartialCollectionGetsAFullOne) {
  poll_.Start();
  RunFor(&clock_, &loop_, seconds(20));
  source_.answers_at_once = false;
  poll_.KernelEvent(watch::Changes({watch::Topic::kLink, 2, ""}));
  RunFor(&clock_, &loop_, FactsPoll::kDebounce);
  ASSERT_TRUE(source_.asked());
  int served = 0;
  poll_.CollectFresh(false, [&] { ++served; });
  source_.Answer();
  loop_.RunPending();
  EXPECT_EQ(served, 0);
  source_.Answer();
  loop_.RunPending();
  EXPECT_EQ(served, 1);
  EXPECT_EQ(source_.changes_asked.size(), 1u);
}

TEST_F(FactsPollTest, FreshRequestsDuringACollectionShareTheNextOne) {
  source_.answers_at_once = false;
  poll_.Start();
  std::vector<int> served;
  poll_.CollectFresh(false, [&] { served.push_back(1); });
  poll_.CollectFresh(false, [&] { served.push_back(2); });
  source_.Answer();
  loop_.RunPending();
  EXPECT_THAT(served, ElementsAre());

  source_.Answer();
  loop_.RunPending();

  EXPECT_THAT(served, ElementsAre(1, 2));
  EXPECT_EQ(source_.collections, 2);
}

TEST_F(FactsPollTest, FreshRequestMadeByAServedOneGetsItsOwnCollection) {
  poll_.Start();
  loop_.RunPending();
  int served = 0;
  poll_.CollectFresh(false, [&] { poll_.CollectFresh(false, [&] { ++served; }); });
  loop_.RunPending();
  EXPECT_EQ(served, 1);
  EXPECT_EQ(source_.collections, 3);
}

TEST(ShortDuration, UsesTheTwoLargestUnitsThatMatter) {
  EXPECT_EQ(ShortDuration(milliseconds(1999)), "1 s");
  EXPECT_EQ(ShortDuration(seconds(119)), "119 s");
  EXPECT_EQ(ShortDuration(seconds(120)), "2 min");
  EXPECT_EQ(ShortDuration(minutes(134)), "2 h 14 min");
  EXPECT_EQ(ShortDuration(hours(51)), "2 d 3 h");
}

TEST(AdviceFor, TellsCertificatesFromReachability) {
  EXPECT_THAT(AdviceFor(absl::UnavailableError("connection refused"), "c1:7471"),
              HasSubstr("roceready-controller runs"));
  EXPECT_THAT(AdviceFor(absl::UnavailableError("handshake: certificate has expired"), "c1:7471"),
              HasSubstr("CA in `tls.ca`"));
  EXPECT_THAT(AdviceFor(absl::UnavailableError("does not name \"c1\" in its subjectAltName"), "c1"),
              HasSubstr("names the host of \"c1\""));
  EXPECT_THAT(AdviceFor(absl::PermissionDeniedError("certificate"), "c1"), HasSubstr("refused"));
  EXPECT_THAT(AdviceFor(absl::UnknownError("?"), "c1"), HasSubstr("log"));
}

}  // namespace
}  // namespace roceready::link
