// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/host_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr MonotonicTime kNow{hours(100)};

HostRecord Connected() {
  HostRecord record;
  record.host = "h1";
  record.connected = true;
  record.last_heard = kNow;
  record.generation = 1;
  record.read_at["kernel"] = kNow - seconds(4);
  return record;
}

TEST(HostRecord, IsConnectedWithALiveStreamAndFreshFacts) {
  const v1::Host host = DescribeHost(Connected(), kNow);
  EXPECT_EQ(host.state(), v1::HOST_STATE_CONNECTED);
  EXPECT_EQ(host.fact_age().seconds(), 4);
  EXPECT_TRUE(host.state_reason().empty());
}

TEST(HostRecord, ShowsHowFarItsClockIsOff) {
  HostRecord record = Connected();
  EXPECT_FALSE(DescribeHost(record, kNow).has_clock_offset());
  record.clock_offset = -milliseconds(2500);
  EXPECT_EQ(DescribeHost(record, kNow).clock_offset().seconds(), -2);
  EXPECT_EQ(DescribeHost(record, kNow).clock_offset().nanos(), -500'000'000);
}

TEST(HostRecord, IsStaleWithoutFacts) {
  HostRecord record = Connected();
  record.generation = 0;
  record.read_at.clear();
  const v1::Host host = DescribeHost(record, kNow);
  EXPECT_EQ(host.state(), v1::HOST_STATE_STALE);
  EXPECT_FALSE(host.has_fact_age());
  EXPECT_THAT(host.state_reason(), HasSubstr("no facts have come"));
}

TEST(HostRecord, IsStaleWhenOneFactIsOld) {
  HostRecord record = Connected();
  record.read_at["net_devices/pci:0000:3b:00.0/0/dcb"] = kNow - minutes(10);
  const v1::Host host = DescribeHost(record, kNow);
  EXPECT_EQ(host.state(), v1::HOST_STATE_STALE);
  EXPECT_THAT(host.state_reason(), HasSubstr("10 min 0 s ago"));
}

TEST(HostRecord, SaysWhyFactsCannotBeUsed) {
  HostRecord record = Connected();
  record.facts_trouble = "its facts cannot be used: part 'x' is not a HostFacts";
  const v1::Host host = DescribeHost(record, kNow);
  EXPECT_EQ(host.state(), v1::HOST_STATE_STALE);
  EXPECT_EQ(host.state_reason(), record.facts_trouble);
}

TEST(HostRecord, IsMissingWithTheLastWords) {
  HostRecord record = Connected();
  record.connected = false;
  record.last_heard = kNow - hours(2) - minutes(14);
  record.last_words = "not a word for 20 s";
  const v1::Host host = DescribeHost(record, kNow);
  EXPECT_EQ(host.state(), v1::HOST_STATE_MISSING);
  EXPECT_EQ(host.state_reason(), "not heard for 2 h 14 min: not a word for 20 s");
}

TEST(HostRecord, ANameNeverHeardOfIsUnknown) {
  const v1::Host host = DescribeUnknownHost("gpu999");
  EXPECT_EQ(host.host(), "gpu999");
  EXPECT_EQ(host.state(), v1::HOST_STATE_UNKNOWN);
  EXPECT_FALSE(host.state_reason().empty());
}

TEST(InWords, UsesTwoUnitsAtMost) {
  EXPECT_EQ(InWords(milliseconds(350)), "350 ms");
  EXPECT_EQ(InWords(seconds(41)), "41 s");
  EXPECT_EQ(InWords(seconds(61)), "1 min 1 s");
  EXPECT_EQ(InWords(hours(2) + minutes(14)), "2 h 14 min");
  EXPECT_EQ(InWords(hours(50)), "2 d 2 h");
  EXPECT_EQ(InWords(-seconds(1)), "0 ms");
}

}  // namespace
}  // namespace roceready
