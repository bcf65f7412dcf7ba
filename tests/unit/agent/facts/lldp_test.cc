// SPDX-License-Identifier: Apache-2.0
// What was heard as facts. Frames are lldpd's, recorded, or composed
// (tests/unit/agent/lldp/frames.h).
#include "agent/facts/lldp.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "agent/facts/lldp_neighbour.h"
#include "agent/facts/recorded_lldp.h"
#include "proto/contract/errors.h"
#include "tests/support/fixture_tree.h"
#include "tests/unit/agent/lldp/frames.h"

namespace roceready::facts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

lldp::Frame FrameOf(const lldp::Bytes& bytes) {
  auto frame = lldp::DecodeFrame(bytes);
  EXPECT_TRUE(frame.ok()) << frame.status();
  return frame.ok() ? *std::move(frame) : lldp::Frame{};
}
lldp::Hearing Heard(std::vector<lldp::Bytes> frames) {
  lldp::Hearing hearing;
  for (const lldp::Bytes& bytes : frames) hearing.neighbours.push_back({FrameOf(bytes), {}, {}});
  return hearing;
}

TEST(LldpNeighbour, OfASonicSwitchHasNamesAndAbsentDcbx) {
  const v1::LldpNeighbour neighbour = NeighbourOf(FrameOf(lldp::BytesOf(lldp::kPlainFrame)));
  EXPECT_EQ(neighbour.chassis_id(), "52:54:00:aa:00:01");
  EXPECT_EQ(neighbour.chassis_id_subtype(), "mac");
  EXPECT_EQ(neighbour.port_id(), "etp1");
  EXPECT_EQ(neighbour.port_id_subtype(), "local");
  EXPECT_EQ(neighbour.port_description(), "vA");
  EXPECT_EQ(neighbour.system_name(), "leaf1");
  EXPECT_EQ(neighbour.system_description(), "SONiC Software Version: test");
  EXPECT_EQ(neighbour.ttl_seconds(), 4u);
  EXPECT_EQ(neighbour.scope(), "nearest-bridge");
  EXPECT_EQ(neighbour.source_mac(), "52:54:00:aa:00:01");
  EXPECT_THAT(neighbour.management_addresses(), ElementsAre("192.0.2.1", "fe80::5054:ff:febb:1"));
  EXPECT_THAT(neighbour.capabilities(), ElementsAre("station"));
  EXPECT_TRUE(neighbour.aggregation().capable());
  EXPECT_FALSE(neighbour.aggregation().enabled());
  EXPECT_EQ(neighbour.dcb().pfc().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(neighbour.dcb().pfc().reading().source(), v1::SOURCE_LLDP_FRAME);
  EXPECT_EQ(neighbour.dcb().ets().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(neighbour.dcb().app().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(neighbour.ets_recommendation().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_FALSE(neighbour.dcb().pfc().has_capable_classes());
  EXPECT_FALSE(neighbour.has_max_frame_bytes());
  EXPECT_FALSE(neighbour.has_cee());
  EXPECT_THAT(neighbour.dcbx_dialects(), IsEmpty());
}

TEST(LldpNeighbour, WithDcbxSaysItInTheWordsOfTheHostsOwnDcb) {
  const v1::LldpNeighbour neighbour = NeighbourOf(FrameOf(lldp::BytesOf(lldp::kDcbxFrame)));
  EXPECT_EQ(neighbour.dcb().pfc().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_THAT(neighbour.dcb().pfc().enabled_priorities(), ElementsAre(3));
  EXPECT_EQ(neighbour.dcb().pfc().capable_classes(), 8u);
  EXPECT_FALSE(neighbour.dcb().pfc().willing());
  EXPECT_TRUE(neighbour.dcb().pfc().has_willing());
  const v1::Ets& ets = neighbour.dcb().ets();
  EXPECT_THAT(ets.priority_to_class(), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(ets.tx_bandwidth_percent(), ElementsAre(50, 50, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(ets.selection_algorithm(), ElementsAre("ets", "ets", "strict", "strict", "strict",
                                                     "strict", "strict", "strict"));
  EXPECT_EQ(ets.capable_classes(), 8u);
  EXPECT_FALSE(neighbour.ets_recommendation().has_willing());
  EXPECT_EQ(neighbour.ets_recommendation().tx_bandwidth_percent(0), 50u);
  ASSERT_EQ(neighbour.dcb().app().entries_size(), 2);
  EXPECT_EQ(neighbour.dcb().app().entries(0).selector(), "udp-port");
  EXPECT_EQ(neighbour.dcb().app().entries(0).priority(), 3u);
  EXPECT_THAT(neighbour.dcb().app().entries(0).protocols(), ElementsAre(4791));
  EXPECT_EQ(neighbour.dcb().app().entries(1).selector(), "dscp");
  EXPECT_EQ(neighbour.max_frame_bytes(), 9216u);
  ASSERT_EQ(neighbour.vlans_size(), 1);
  EXPECT_EQ(neighbour.vlans(0).vlan_id(), 100u);
  EXPECT_EQ(neighbour.vlans(0).name(), "RoCE");
  EXPECT_THAT(neighbour.cee().pfc().enabled_priorities(), ElementsAre(3));
  EXPECT_EQ(neighbour.cee().ets().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_THAT(neighbour.dcbx_dialects(), ElementsAre("ieee", "cee"));
  ASSERT_EQ(neighbour.cee_features_size(), 1);
  EXPECT_EQ(neighbour.cee_features(0).name(), "pfc");
  EXPECT_TRUE(neighbour.cee_features(0).enabled());
}

TEST(LldpNeighbour, MalformedTlvIsAFailedReadingAndNoValue) {
  // PFC of one byte.
  const v1::LldpNeighbour neighbour = NeighbourOf(FrameOf(lldp::FrameWith("fe05 0080c20b 08")));
  EXPECT_EQ(neighbour.dcb().pfc().reading().outcome(), v1::OUTCOME_FAILED);
  EXPECT_THAT(neighbour.dcb().pfc().reading().detail(), HasSubstr("byte 26"));
  EXPECT_THAT(neighbour.dcb().pfc().enabled_priorities(), IsEmpty());
  EXPECT_THAT(neighbour.refused_tlvs(), ElementsAre(HasSubstr("byte 26")));
  EXPECT_THAT(neighbour.dcbx_dialects(), ElementsAre("ieee"));
}

TEST(LldpNeighbour, NumbersWithoutAWordAreShown) {
  lldp::Frame frame = FrameOf(lldp::FrameWith("0e04 0000 8000"));
  frame.said.chassis.subtype = 9;
  frame.said.port.subtype = 0;
  frame.destination = "01:02:03:04:05:06";
  const v1::LldpNeighbour neighbour = NeighbourOf(frame);
  EXPECT_EQ(neighbour.chassis_id_subtype(), "chassis-subtype-9");
  EXPECT_EQ(neighbour.port_id_subtype(), "port-subtype-0");
  EXPECT_EQ(neighbour.scope(), "01:02:03:04:05:06");
  EXPECT_THAT(neighbour.capabilities(), ElementsAre("capability-16"));
}

TEST(Lldp, SeveralSpeakersOnAPortAreAllThere) {
  const v1::Lldp lldp =
      LldpOf(Heard({lldp::BytesOf(lldp::kPlainFrame), lldp::FrameWith("0a04 6c656166")}));
  EXPECT_EQ(lldp.reading().outcome(), v1::OUTCOME_OK);
  ASSERT_EQ(lldp.neighbours_size(), 2);
  EXPECT_EQ(lldp.neighbours(1).system_name(), "leaf");
}

TEST(Lldp, SilenceIsAnAnswerOnlyAfterLongEnough) {
  lldp::Hearing hearing;
  EXPECT_EQ(LldpOf(hearing).reading().outcome(), v1::OUTCOME_ABSENT);
  hearing.long_enough = true;
  const v1::Reading silent = LldpOf(hearing).reading();
  EXPECT_EQ(silent.outcome(), v1::OUTCOME_OK);
  EXPECT_THAT(silent.detail(), HasSubstr("firmware"));
}

TEST(Lldp, WithoutTheCapabilityIsDeniedAndSaysWhatUnlocksIt) {
  lldp::Hearing hearing;
  hearing.socket = ErrnoError(EPERM, "hearing LLDP");
  const v1::Reading reading = LldpOf(hearing).reading();
  EXPECT_EQ(reading.outcome(), v1::OUTCOME_DENIED);
  EXPECT_THAT(reading.needs(), HasSubstr("CAP_NET_RAW"));
  EXPECT_THAT(reading.needs(), HasSubstr("roceready-agent-privileged.socket"));
  EXPECT_EQ(reading.error(), EPERM);
}

TEST(Lldp, OnlyMalformedFramesAreNoSilence) {
  lldp::Hearing hearing;
  hearing.long_enough = true;
  hearing.refused = "byte 0: a TLV's header is cut";
  EXPECT_EQ(LldpOf(hearing).reading().outcome(), v1::OUTCOME_FAILED);
}

class FakeEars : public lldp::Ears {
 public:
  std::map<uint32_t, lldp::Hearing> Listen(const std::vector<uint32_t>& indexes) override {
    listened_to = indexes;
    std::map<uint32_t, lldp::Hearing> result;
    for (const uint32_t index : indexes) result[index] = heard[index];
    return result;
  }
  void TellLinkUps(uint32_t index, uint64_t times) override { link_ups[index] = times; }
  std::map<uint32_t, lldp::Hearing> heard;
  std::map<uint32_t, uint64_t> link_ups;
  std::vector<uint32_t> listened_to;
};

// A VLAN device on a bond of two: the ports of Soft-RoCE on the VLAN device.
class LldpPortsTest : public testing::Test {
 protected:
  LldpPortsTest() {
    int index = 1;
    for (const char* name : {"eth0", "eth1", "bond0", "vlan100", "docker0"}) {
      tree_.NetDevice(name, ++index);
      inventory_.net_devices.push_back(
          {fmt::format("name:{}", name), name, static_cast<uint32_t>(index), "", 0});
    }
    const std::string folder = "/sys/devices/virtual/net/";
    tree_.Link(folder + "bond0/lower_eth0", folder + "eth0");
    tree_.Link(folder + "bond0/lower_eth1", folder + "eth1");
    tree_.Link(folder + "vlan100/lower_bond0", folder + "bond0");
    inventory_.rdma_devices = {{"netdev:name:vlan100", "rxe0", "", "rxe", {1}}};
  }
  v1::Lldp Of(const std::string& name, const Fragment& fragment) {
    for (const v1::NetDevice& device : fragment.facts.net_devices()) {
      if (device.name() == name) return device.lldp();
    }
    ADD_FAILURE() << "no row " << name;
    return {};
  }

  FixtureTree tree_;
  Inventory inventory_;
  FakeEars ears_;
};

TEST_F(LldpPortsTest, AreTheBondsMembersUnderTheVlan) {
  ears_.heard[2] = Heard({lldp::BytesOf(lldp::kPlainFrame)});
  const Fragment fragment = ReadLldp(&ears_, HostRoot(tree_.path()), inventory_);
  EXPECT_THAT(ears_.listened_to, testing::UnorderedElementsAre(2, 3));
  EXPECT_EQ(Of("eth0", fragment).neighbours_size(), 1);
  EXPECT_EQ(Of("eth1", fragment).reading().outcome(), v1::OUTCOME_ABSENT);
  for (const char* other : {"bond0", "vlan100", "docker0"}) {
    EXPECT_EQ(Of(other, fragment).reading().outcome(), v1::OUTCOME_SKIPPED) << other;
  }
}

TEST_F(LldpPortsTest, TellHowOftenTheirLinkCameUp) {
  tree_.File("/sys/devices/virtual/net/eth0/carrier_up_count", "3");
  ReadLldp(&ears_, HostRoot(tree_.path()), inventory_);
  EXPECT_THAT(ears_.link_ups, ElementsAre(testing::Pair(2, 3)));
}

TEST_F(LldpPortsTest, AreSkippedWhereNobodyListens) {
  const Fragment fragment = ReadLldp(nullptr, HostRoot(tree_.path()), inventory_);
  EXPECT_EQ(Of("eth0", fragment).reading().outcome(), v1::OUTCOME_SKIPPED);
  EXPECT_THAT(Of("eth0", fragment).reading().detail(), HasSubstr("service"));
}

TEST(RecordedLldp, IsHeardSilentOrClosedByItsLines) {
  FixtureTree tree;
  tree.NetDevice("eth0", 2).NetDevice("eth1", 3).NetDevice("eth2", 4);
  const auto recorded = ParseRecordedLldp(
      HostRoot(tree.path()),
      fmt::format("# leaf1\nheard eth0 {}\nsilent eth1\nclosed eth2 1\n", lldp::kPlainFrame));
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(LldpOf(recorded->at(2)).neighbours(0).system_name(), "leaf1");
  EXPECT_EQ(LldpOf(recorded->at(3)).reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(LldpOf(recorded->at(4)).reading().outcome(), v1::OUTCOME_DENIED);
}

TEST(RecordedLldp, NamesTheLineThatIsWrong) {
  FixtureTree tree;
  tree.NetDevice("eth0", 2);
  for (const char* line :
       {"heard eth0", "heard eth9 00", "heard eth0 0g", "closed eth0 x", "x eth0", "heard"}) {
    const auto recorded =
        ParseRecordedLldp(HostRoot(tree.path()), std::string("silent eth0\n") + line);
    EXPECT_THAT(std::string(Message(recorded.status())), HasSubstr("line 2")) << line;
  }
}

TEST(RecordedLldp, ThatIsNotThereIsAbsent) {
  FixtureTree tree;
  tree.NetDevice("eth0", 2);
  const auto ears = RecordedEars(HostRoot(tree.path()));
  EXPECT_EQ(LldpOf(ears->Listen({2})[2]).reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(LldpDaemons, AreKnownByTheirSockets) {
  FixtureTree tree;
  tree.File("/proc/net/unix",
            "Num       RefCount Protocol Flags    Type St Inode Path\n"
            "0000000000000000: 00000002 00000000 00010000 0001 01 20118 /run/lldpd.socket\n"
            "0000000000000000: 00000002 00000000 00010000 0001 01 20119 /run/systemd/notify\n"
            "0000000000000000: 00000002 00000000 00000000 0002 01 20120");
  const v1::LldpDaemons daemons = ReadLldpDaemons(HostRoot(tree.path()));
  EXPECT_EQ(daemons.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_THAT(daemons.running(), ElementsAre("lldpd"));
}

TEST(LldpDaemons, OfTheOlderPlacesAreKnownToo) {
  FixtureTree tree;
  tree.File("/proc/net/unix",
            "0000: 00000002 00000000 00010000 0001 01 20118 /var/run/lldpd.socket\n"
            "0000: 00000002 00000000 00000000 0002 01 20119 @/com/intel/lldpad");
  EXPECT_THAT(ReadLldpDaemons(HostRoot(tree.path())).running(), ElementsAre("lldpad", "lldpd"));
}

TEST(LldpDaemons, AreUnknownWithoutTheList) {
  FixtureTree tree;
  EXPECT_EQ(ReadLldpDaemons(HostRoot(tree.path())).reading().outcome(), v1::OUTCOME_ABSENT);
}

}  // namespace
}  // namespace roceready::facts
