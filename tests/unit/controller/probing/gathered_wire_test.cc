// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/gathered_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

v1::WireView Seen(std::uint32_t traffic_class, std::uint64_t packets, std::uint32_t source_port) {
  v1::WireView view;
  view.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  view.set_missed(3);
  v1::WirePackets* row = view.add_packets();
  row->set_received(true);
  row->set_protocol(v1::WIRE_PROTOCOL_ROCE_V2);
  row->set_role(v1::WIRE_ROLE_REQUEST);
  row->set_traffic_class(traffic_class);
  row->set_packets(packets);
  row->set_largest_ip_bytes(1000 + source_port);
  row->add_source_ports(source_port);
  return view;
}

v1::WireView NotSeen(const std::string& why) {
  v1::WireView view;
  view.mutable_reading()->set_outcome(v1::OUTCOME_DENIED);
  view.mutable_reading()->set_detail(why);
  return view;
}

TEST(AddWireView, CountsAlikePacketsTogether) {
  v1::WireView gathered;
  AddWireView(Seen(106, 5, 700), &gathered);
  AddWireView(Seen(106, 2, 600), &gathered);
  AddWireView(Seen(0, 1, 700), &gathered);
  EXPECT_EQ(gathered.missed(), 9u);
  ASSERT_THAT(gathered.packets(), SizeIs(2));
  EXPECT_EQ(gathered.packets(0).packets(), 7u);
  EXPECT_EQ(gathered.packets(0).largest_ip_bytes(), 1700u);
  EXPECT_THAT(gathered.packets(0).source_ports(), ElementsAre(600, 700));
  EXPECT_EQ(gathered.packets(1).traffic_class(), 0u);
}

TEST(AddWireView, KeepsSoManySourcePorts) {
  v1::WireView gathered;
  for (std::uint32_t port = 1; port <= 40; ++port) AddWireView(Seen(106, 1, port), &gathered);
  EXPECT_THAT(gathered.packets(0).source_ports(), SizeIs(16));
  EXPECT_EQ(gathered.packets(0).packets(), 40u);
}

TEST(AddWireView, SeenOnceIsSeen) {
  v1::WireView gathered;
  AddWireView(NotSeen("no right"), &gathered);
  EXPECT_EQ(gathered.reading().detail(), "no right");
  AddWireView(NotSeen("still none"), &gathered);
  EXPECT_EQ(gathered.reading().detail(), "still none");
  AddWireView(Seen(106, 1, 600), &gathered);
  AddWireView(NotSeen("gone again"), &gathered);
  EXPECT_EQ(gathered.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(gathered.reading().detail(), "");
}

}  // namespace
}  // namespace roceready
