// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/neighbours.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/lldp/frames.h"

namespace roceready::lldp {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr MonotonicTime kStart{seconds(1000)};

// Chassis "c", port "p" of subtype local, with this TTL and system name, to the nearest bridge.
Bytes FrameOf(std::string_view chassis, uint16_t ttl, std::string_view system_name,
              std::string_view destination = "0180c200000e") {
  std::string hex = fmt::format("{} 0c42a1000001 88cc 02{:02x}07", destination, chassis.size() + 1);
  for (const char c : chassis) hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
  hex += fmt::format("0402 0770 0602 {:04x}", ttl);
  if (ttl != 0) {
    hex += fmt::format("0a{:02x}", system_name.size());
    for (const char c : system_name) hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
  }
  return BytesOf(hex + "0000");
}

bool Hears(Neighbours* neighbours, const Bytes& bytes, MonotonicTime now) {
  auto frame = DecodeFrame(bytes);
  EXPECT_TRUE(frame.ok()) << frame.status();
  return neighbours->Heard(bytes, *std::move(frame), now);
}

std::vector<std::string> Names(const Neighbours& neighbours) {
  std::vector<std::string> names;
  for (const Neighbour& neighbour : neighbours.All()) {
    names.push_back(neighbour.frame.said.system_name.value_or("?"));
  }
  return names;
}

TEST(Neighbours, AreKeptUntilTheirTimeToLiveIsOver) {
  Neighbours neighbours;
  EXPECT_EQ(neighbours.NextExpiry(), std::nullopt);
  EXPECT_TRUE(Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart));
  EXPECT_EQ(neighbours.NextExpiry(), kStart + seconds(120));
  EXPECT_FALSE(neighbours.Expire(kStart + seconds(119)));
  EXPECT_THAT(Names(neighbours), ElementsAre("leaf1"));
  EXPECT_TRUE(neighbours.Expire(kStart + seconds(120)));
  EXPECT_THAT(Names(neighbours), IsEmpty());
}

TEST(Neighbours, RepeatedFrameChangesNothingButTimes) {
  Neighbours neighbours;
  Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart);
  EXPECT_FALSE(Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart + seconds(30)));
  EXPECT_EQ(neighbours.All()[0].heard_at, kStart + seconds(30));
  EXPECT_EQ(neighbours.NextExpiry(), kStart + seconds(150));
}

TEST(Neighbours, OtherWordsOfTheSameSpeakerTakeThePlaceOfTheOld) {
  Neighbours neighbours;
  Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart);
  EXPECT_TRUE(Hears(&neighbours, FrameOf("a", 120, "leaf2"), kStart));
  EXPECT_THAT(Names(neighbours), ElementsAre("leaf2"));
}

TEST(Neighbours, SeveralSpeakersOnOnePortAreAllKept) {
  Neighbours neighbours;
  Hears(&neighbours, FrameOf("b", 120, "leaf2"), kStart);
  Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart);
  EXPECT_THAT(Names(neighbours), ElementsAre("leaf1", "leaf2"));
}

TEST(Neighbours, SpeakerToTwoGroupAddressesIsHeardOnEach) {
  Neighbours neighbours;
  Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart);
  EXPECT_TRUE(Hears(&neighbours, FrameOf("a", 120, "leaf1", "0180c2000000"), kStart));
  EXPECT_THAT(neighbours.All(), SizeIs(2));
}

TEST(Neighbours, ShutdownRemovesItsSpeakerAlone) {
  Neighbours neighbours;
  Hears(&neighbours, FrameOf("a", 120, "leaf1"), kStart);
  Hears(&neighbours, FrameOf("b", 120, "leaf2"), kStart);
  EXPECT_TRUE(Hears(&neighbours, FrameOf("a", 0, ""), kStart));
  EXPECT_THAT(Names(neighbours), ElementsAre("leaf2"));
  EXPECT_FALSE(Hears(&neighbours, FrameOf("c", 0, ""), kStart));
}

TEST(Neighbours, BeyondTheBoundAreCountedOnlyAndComeInWhenOneGoes) {
  Neighbours neighbours;
  for (size_t i = 0; i < Neighbours::kMost; ++i) {
    Hears(&neighbours, FrameOf(fmt::format("a{:02}", i), 60, "x"), kStart);
  }
  EXPECT_TRUE(Hears(&neighbours, FrameOf("late", 600, "late"), kStart));
  EXPECT_FALSE(Hears(&neighbours, FrameOf("late", 600, "late"), kStart));
  EXPECT_THAT(neighbours.All(), SizeIs(Neighbours::kMost));
  EXPECT_EQ(neighbours.left_out(), 1u);
  // However many they are, they are not all remembered.
  for (int i = 0; i < 1000; ++i) {
    Hears(&neighbours, FrameOf(fmt::format("z{:03}", i), 60, "x"), kStart);
  }
  EXPECT_LE(neighbours.left_out(), Neighbours::kMost);
  neighbours.Expire(kStart + seconds(60));
  EXPECT_TRUE(Hears(&neighbours, FrameOf("late", 600, "late"), kStart + seconds(61)));
  EXPECT_THAT(Names(neighbours), ElementsAre("late"));
  EXPECT_EQ(neighbours.left_out(), 0u);
}

}  // namespace
}  // namespace roceready::lldp
