// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/event_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::cli {
namespace {

constexpr int64_t kDay = 1'709'251'200;  // 2024-03-01

v1::Event EventOf(int64_t second, const std::string& path, const char* from, const char* to) {
  v1::Event event;
  event.set_host("gpu017");
  event.mutable_at()->set_seconds(kDay + second);
  event.mutable_not_before()->set_seconds(kDay + second - 20);
  event.set_path(path);
  if (from != nullptr) event.set_from(from);
  if (to != nullptr) event.set_to(to);
  return event;
}

v1::ListEventsResponse ListOf(const std::vector<v1::Event>& events) {
  v1::ListEventsResponse list;
  for (const v1::Event& event : events) *list.add_events() = event;
  return list;
}

std::string Rendered(const v1::Event& event) { return RenderEvents(ListOf({event}).events()); }

TEST(RenderEvents, NamesTheDeviceInPlaceOfItsId) {
  v1::Event event =
      EventOf(67, "net_devices[pci:0000:3b:00.0/0].dcb.pfc.enabled_priorities", "3", "none");
  event.set_device("ens7f0");
  EXPECT_EQ(Rendered(event),
            "2024-03-01T00:01:07Z  gpu017  ens7f0  dcb.pfc.enabled_priorities  3 -> none\n");
}

TEST(RenderEvents, SaysWhatAppearedAndWhatIsGone) {
  EXPECT_EQ(Rendered(EventOf(0, "gpus[pci:0000:41:00.0]", nullptr, "present")),
            "2024-03-01T00:00:00Z  gpu017  gpus[pci:0000:41:00.0]  appeared: present\n");
  EXPECT_EQ(Rendered(EventOf(0, "gpus[pci:0000:41:00.0]", "present", nullptr)),
            "2024-03-01T00:00:00Z  gpu017  gpus[pci:0000:41:00.0]  gone: present\n");
}

TEST(RenderEvents, SaysSinceWhenItMayBeSoWhereNobodyLookedForLong) {
  v1::Event event = EventOf(7200, "kernel.release", "6.1", "6.2");
  event.mutable_not_before()->set_seconds(kDay);
  EXPECT_EQ(Rendered(event),
            "2024-03-01T02:00:00Z  gpu017  kernel.release  6.1 -> 6.2  (after "
            "2024-03-01T00:00:00Z)\n");
}

TEST(RenderEvents, CountsWhatIsLeftOut) {
  v1::Event event = EventOf(0, "kernel.release", "6.1", "6.2");
  event.set_more(7);
  EXPECT_THAT(Rendered(event), testing::EndsWith("\n2024-03-01T00:00:00Z  gpu017  and 7 more\n"));
}

TEST(RenderEvents, WordsOfAHostDoNotReachTheTerminal) {
  const std::string text = Rendered(EventOf(0, "kernel.release", "6.1", "\x1b[2J\n6.2"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(NetChanges, AreFromTheFirstToTheLast) {
  const v1::ListEventsResponse net =
      NetChanges(ListOf({EventOf(1, "a", "1", "2"), EventOf(2, "b", nullptr, "x"),
                         EventOf(3, "a", "2", "3"), EventOf(4, "b", "x", nullptr),
                         EventOf(5, "c", "y", nullptr), EventOf(6, "c", nullptr, "y")}));
  ASSERT_EQ(net.events_size(), 1);
  EXPECT_EQ(net.events(0).path(), "a");
  EXPECT_EQ(net.events(0).from(), "1");
  EXPECT_EQ(net.events(0).to(), "3");
}

TEST(NetChanges, OfDifferentHostsAreDifferent) {
  v1::Event other = EventOf(2, "a", "2", "1");
  other.set_host("gpu018");
  EXPECT_EQ(NetChanges(ListOf({EventOf(1, "a", "1", "2"), other})).events_size(), 2);
}

}  // namespace
}  // namespace roceready::cli
