// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/dcb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/facts/readings.h"
#include "tests/support/fake_netlink.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

using testing::ElementsAre;

TEST(Dcb, GivesPrioritiesAsNumbers) {
  netlink::DcbState state;
  state.pfc = netlink::DcbPfc{.capable_classes = 8, .enabled_priorities = 0b1001'1000};
  EXPECT_THAT(DcbOf(state).pfc().enabled_priorities(), ElementsAre(3, 4, 7));
  EXPECT_EQ(DcbOf(state).pfc().capable_classes(), 8u);
}

TEST(Dcb, NoLosslessPriorityIsReadAndEmpty) {
  netlink::DcbState state;
  state.pfc = netlink::DcbPfc{};
  const v1::Dcb dcb = DcbOf(state);
  EXPECT_EQ(dcb.pfc().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(dcb.pfc().enabled_priorities_size(), 0);
}

TEST(Dcb, AMissingAttributeIsAbsentByItself) {
  netlink::DcbState state;
  state.ets = netlink::DcbEts{};
  const v1::Dcb dcb = DcbOf(state);
  EXPECT_EQ(dcb.ets().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(dcb.pfc().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(dcb.buffer().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(dcb.peer_pfc().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_NE(dcb.pfc().reading().detail().find("unsupported or failed"), std::string::npos);
}

TEST(Dcb, FoldsTheAppTableWhateverItsOrder) {
  netlink::DcbState state;
  state.app = std::vector<netlink::DcbAppEntry>{
      {5, 3, 26}, {5, 0, 1}, {1, 3, 0x8915}, {5, 3, 24}, {5, 0, 0}};
  netlink::DcbState shuffled;
  shuffled.app = std::vector<netlink::DcbAppEntry>{
      {5, 0, 0}, {5, 3, 24}, {5, 3, 26}, {5, 0, 1}, {1, 3, 0x8915}};
  const v1::AppTable table = DcbOf(state).app();
  EXPECT_EQ(table.SerializeAsString(), DcbOf(shuffled).app().SerializeAsString());
  ASSERT_EQ(table.entries_size(), 3);
  EXPECT_EQ(table.entries(0).selector(), "ethertype");
  EXPECT_THAT(table.entries(1).protocols(), ElementsAre(0, 1));
  EXPECT_EQ(table.entries(2).selector(), "dscp");
  EXPECT_EQ(table.entries(2).priority(), 3u);
  EXPECT_THAT(table.entries(2).protocols(), ElementsAre(24, 26));
}

TEST(Dcb, ADeviceWithoutDcbIsUnsupportedInEveryAttribute) {
  netlink::FakeTransport route;
  route.Refuse(netlink::DcbIeeeRequest("eth0"), EOPNOTSUPP);
  const v1::Dcb dcb = ReadDcbFacts(route, "eth0");
  EXPECT_EQ(dcb.pfc().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(dcb.maxrate().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(dcb.app_trust().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

constexpr char kBufferTable[] =
    "Port buffer size = 262144\nSpare buffer size = 64\n"
    "buffer size xoff_threshold xon_threshold\n0 100 0 0\n1 200 80 40\n";

TEST(VendorDcb, AddsThresholdsToBuffersThatDcbTold) {
  FixtureTree tree;
  tree.File("/sys/class/net/ens1/qos/buffer_size", kBufferTable);
  v1::Dcb dcb;
  dcb.mutable_buffer()->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  ReadVendorDcb(HostRoot(tree.path()), "ens1", &dcb);
  EXPECT_THAT(dcb.buffer().xoff_bytes(), testing::ElementsAre(0, 80));
  EXPECT_THAT(dcb.buffer().xon_bytes(), testing::ElementsAre(0, 40));
}

TEST(VendorDcb, ATableOfAnotherShapeAddsNothing) {
  v1::PortBuffer buffer;
  EXPECT_FALSE(ParseBufferThresholds("buffer size xoff_threshold xon_threshold\n1 2 3 4", &buffer));
  EXPECT_FALSE(ParseBufferThresholds("buffer size xoff_threshold xon_threshold\n0 2 x 4", &buffer));
  EXPECT_FALSE(ParseBufferThresholds("0 1 2 3", &buffer));
  EXPECT_TRUE(buffer.xoff_bytes().empty());
}

TEST(VendorDcb, TellsTheTrustModeOnlyWhereTheKernelDoesNot) {
  FixtureTree tree;
  tree.File("/sys/class/net/ens1/qos/trust", "pcp");
  v1::Dcb dcb = DcbMissing(MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_DCBNL, "none"));
  ReadVendorDcb(HostRoot(tree.path()), "ens1", &dcb);
  EXPECT_THAT(dcb.app_trust().order(), testing::ElementsAre("pcp"));
  EXPECT_EQ(dcb.app_trust().reading().source(), v1::SOURCE_VENDOR_SYSFS);

  v1::Dcb told;
  told.mutable_app_trust()->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  told.mutable_app_trust()->add_order("dscp");
  ReadVendorDcb(HostRoot(tree.path()), "ens1", &told);
  EXPECT_THAT(told.app_trust().order(), testing::ElementsAre("dscp"));
}

}  // namespace
}  // namespace roceready::facts
