// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/view.h"

#include <gtest/gtest.h>

namespace roceready::wire {
namespace {

constexpr uint32_t kOwn = 0x11, kPeer = 0x12;
constexpr Address kThere = {0xfd, 1}, kElsewhere = {0xfd, 2};

Packet Request(uint32_t queue_pair, uint8_t traffic_class = 106, uint16_t port = 0xc123) {
  return {.protocol = v1::WIRE_PROTOCOL_ROCE_V2,
          .role = v1::WIRE_ROLE_REQUEST,
          .traffic_class = traffic_class,
          .ip_bytes = 100,
          .source_port = port,
          .destination_qp = queue_pair,
          .source = kThere,
          .destination = kThere};
}

v1::WireView Seen(const View& view) {
  v1::WireView seen;
  view.AddTo(seen);
  return seen;
}

TEST(WireView, CountsAlikePacketsTogether) {
  View view({kOwn}, {kPeer}, kThere);
  view.Add(Request(kOwn), /*received=*/true);
  Packet larger = Request(kOwn);
  larger.ip_bytes = 4156;
  view.Add(larger, true);
  view.Add(Request(kOwn, 104), true);
  view.Add(Request(kPeer), false);
  const v1::WireView seen = Seen(view);
  ASSERT_EQ(seen.packets_size(), 3);
  EXPECT_FALSE(seen.packets(0).received());
  EXPECT_EQ(seen.packets(1).traffic_class(), 104u);
  EXPECT_EQ(seen.packets(2).traffic_class(), 106u);
  EXPECT_EQ(seen.packets(2).packets(), 2u);
  EXPECT_EQ(seen.packets(2).largest_ip_bytes(), 4156u);
  EXPECT_EQ(seen.packets(2).source_ports_size(), 1);
}

TEST(WireView, LeavesOutPacketsOfOthers) {
  View view({kOwn}, {kPeer}, kThere);
  view.Add(Request(0x99), true);
  view.Add(Request(0x99), false);
  view.Add(Request(kOwn), false);
  view.Add(Request(kPeer), true);
  // A job of ours may send to a queue pair that has the same number at another host.
  Packet of_a_job = Request(kPeer);
  of_a_job.destination = kElsewhere;
  view.Add(of_a_job, false);
  of_a_job = Request(kOwn);
  of_a_job.source = kElsewhere;
  view.Add(of_a_job, true);
  EXPECT_TRUE(view.empty());
}

TEST(WireView, KeepsAFewSourcePorts) {
  View view({kOwn}, {}, kThere);
  for (uint16_t port = 0xc000; port < 0xc000 + 100; ++port)
    view.Add(Request(kOwn, 106, port), true);
  const v1::WireView seen = Seen(view);
  ASSERT_EQ(seen.packets_size(), 1);
  EXPECT_EQ(seen.packets(0).packets(), 100u);
  EXPECT_EQ(static_cast<size_t>(seen.packets(0).source_ports_size()), View::kMostSourcePorts);
}

}  // namespace
}  // namespace roceready::wire
