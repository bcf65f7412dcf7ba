// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/rtnl_link.h"

#include <gmock/gmock.h>
#include <linux/rtnetlink.h>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The links of the recorded guest; expected values are those that `ip -j -d link` printed there.
class RecordedLinks : public testing::Test {
 protected:
  void SetUp() override {
    FakeTransport route = Guest("route");
    auto links = ReadLinks(route);
    ASSERT_TRUE(links.ok()) << links.status();
    links_ = *std::move(links);
  }

  const Link& Named(std::string_view name) const {
    for (const Link& link : links_) {
      if (link.name == name) return link;
    }
    ADD_FAILURE() << "no link " << name;
    return links_.front();
  }

  std::vector<Link> links_;
};

TEST_F(RecordedLinks, AreTwelve) { EXPECT_EQ(links_.size(), 12u); }

TEST_F(RecordedLinks, EveryFieldOfAnEthernetDevice) {
  const Link& eth1 = Named("eth1");
  EXPECT_EQ(eth1.index, 5u);
  EXPECT_EQ(eth1.hardware_type, 1);
  EXPECT_TRUE(eth1.admin_up());
  EXPECT_EQ(eth1.mtu_bytes, 1500u);
  EXPECT_EQ(eth1.min_mtu_bytes, 68u);
  EXPECT_EQ(eth1.max_mtu_bytes, 9212u);
  EXPECT_EQ(eth1.operstate, 6);
  EXPECT_EQ(eth1.carrier, true);
  EXPECT_TRUE(eth1.carrier_changes.has_value());
  EXPECT_EQ(MacText(*eth1.mac), "52:54:00:cc:00:0e");
  EXPECT_EQ(MacText(*eth1.permanent_mac), "52:54:00:cc:00:0e");
  EXPECT_EQ(eth1.parent_bus, "pci");
  EXPECT_EQ(eth1.parent_device, "0000:00:06.0");
  EXPECT_EQ(eth1.kind, std::nullopt);
  EXPECT_EQ(eth1.lower_index, std::nullopt);
  EXPECT_EQ(eth1.master_index, std::nullopt);
  EXPECT_FALSE(eth1.vlan.has_value() || eth1.bond.has_value() || eth1.bond_member.has_value());
}

TEST_F(RecordedLinks, ADeviceThatIsDownHasNoCarrier) {
  const Link& dummy = Named("dummy0");
  EXPECT_FALSE(dummy.admin_up());
  EXPECT_EQ(dummy.operstate, 2);
  EXPECT_EQ(dummy.kind, "dummy");
  EXPECT_EQ(dummy.max_mtu_bytes, 0u);
}

TEST_F(RecordedLinks, VlanHasItsIdMapsAndLowerDevice) {
  const Link& vlan = Named("eth0.100");
  EXPECT_EQ(vlan.kind, "vlan");
  EXPECT_EQ(vlan.lower_index, Named("eth0").index);
  EXPECT_EQ(vlan.lower_netns_id, std::nullopt);
  EXPECT_EQ(vlan.mtu_bytes, 9000u);
  ASSERT_TRUE(vlan.vlan.has_value());
  EXPECT_EQ(vlan.vlan->id, 100);
  EXPECT_EQ(vlan.vlan->protocol, 0x8100);
  EXPECT_EQ(vlan.vlan->flags, 1u);
  EXPECT_THAT(vlan.vlan->ingress, ElementsAre(VlanQosMapping{3, 2}));
  EXPECT_THAT(vlan.vlan->egress, ElementsAre(VlanQosMapping{2, 3}, VlanQosMapping{4, 4}));
}

TEST_F(RecordedLinks, BondHasModePolicyAndAggregator) {
  const Link& bond = Named("bond0");
  EXPECT_EQ(bond.kind, "bond");
  ASSERT_TRUE(bond.bond.has_value());
  EXPECT_EQ(bond.bond->mode, 4);
  EXPECT_EQ(bond.bond->xmit_hash_policy, 1);
  EXPECT_EQ(bond.bond->lacp_rate, 1);
  EXPECT_EQ(bond.bond->miimon_ms, 100u);
  EXPECT_EQ(bond.bond->min_links, 1u);
  EXPECT_EQ(bond.bond->active_member, std::nullopt);
  ASSERT_TRUE(bond.bond->aggregator.has_value());
  EXPECT_EQ(bond.bond->aggregator->id, 1);
  EXPECT_EQ(bond.bond->aggregator->ports, 2);
  EXPECT_EQ(bond.bond->aggregator->actor_key, 15);
  EXPECT_EQ(bond.bond->aggregator->partner_key, 15);
  EXPECT_EQ(MacText(*bond.bond->aggregator->partner_mac), "66:08:dc:70:58:e2");
}

TEST_F(RecordedLinks, BondMemberHasStateAndItsOwnAddress) {
  const Link& member = Named("vethc");
  EXPECT_EQ(member.kind, "veth");
  EXPECT_EQ(member.member_kind, "bond");
  EXPECT_EQ(member.master_index, Named("bond0").index);
  EXPECT_EQ(MacText(*member.mac), "36:a8:92:06:66:8f");
  ASSERT_TRUE(member.bond_member.has_value());
  EXPECT_EQ(member.bond_member->state, 0);
  EXPECT_EQ(member.bond_member->mii_status, 0);
  EXPECT_EQ(member.bond_member->link_failures, 0u);
  EXPECT_EQ(MacText(*member.bond_member->permanent_mac), "9a:9f:ff:68:b1:0a");
  EXPECT_EQ(member.bond_member->aggregator_id, 1);
  EXPECT_EQ(member.bond_member->actor_port_state, 63);
  EXPECT_EQ(member.bond_member->partner_port_state, 61);
}

TEST_F(RecordedLinks, SwitchPortHasItsSwitchAndPortName) {
  const Link& port = Named("eth2");
  EXPECT_EQ(port.port_name, "p1");
  ASSERT_TRUE(port.switch_id.has_value());
  // iproute2 6.1 prints only the first 31 of these 32 bytes.
  EXPECT_EQ(HexOfBytes(*port.switch_id),
            "0f433c6a47ce9352e5f1b97739bf7ed7e79745185567a9f96a4e12667c4b68a2");
  EXPECT_EQ(port.parent_bus, "netdevsim");
}

TEST(Links, OneLinkIsAskedByItsIndex) {
  FakeTransport route = Guest("route");
  const auto link = ReadLink(route, 2);
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->name, "eth0");
  EXPECT_EQ(link->parent_bus, "virtio");
}

Message LinkWith(std::string_view attributes) {
  return MessageOf(RTM_NEWLINK, "00000100 07000000 03100000 00000000 06000300 6e300000" +
                                    std::string(attributes));
}

TEST(Links, VlanWithoutMapsHasEmptyOnes) {
  // IFLA_LINKINFO { "vlan", data { id 5 } }, the lower device (4) in another namespace (0).
  const auto link =
      DecodeLink(LinkWith("08000500 04000000 08002500 00000000"
                          "1c001200 09000100 766c616e 00000000 0c000200 06000100 05000000"));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->lower_index, 4u);
  EXPECT_EQ(link->lower_netns_id, 0);
  ASSERT_TRUE(link->vlan.has_value());
  EXPECT_EQ(link->vlan->id, 5);
  EXPECT_EQ(link->vlan->protocol, std::nullopt);
  EXPECT_THAT(link->vlan->egress, IsEmpty());
}

TEST(Links, AddressOfAnotherLengthIsNoMac) {
  const auto link = DecodeLink(LinkWith("08000100 c0000201"));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->mac, std::nullopt);
}

TEST(Links, WithoutNameOrIndexOrOfAnotherTypeAreRefused) {
  EXPECT_FALSE(DecodeLink(MessageOf(RTM_NEWLINK, "00000100 07000000 03100000 00000000")).ok());
  EXPECT_FALSE(
      DecodeLink(MessageOf(RTM_NEWLINK, "00000100 00000000 03100000 00000000 06000300 6e300000"))
          .ok());
  EXPECT_FALSE(
      DecodeLink(MessageOf(RTM_NEWADDR, "00000100 07000000 03100000 00000000 06000300 6e300000"))
          .ok());
}

TEST(Links, MalformedKindDataIsRefused) {
  // A VLAN id of 4 bytes; a priority map entry of 4 bytes.
  EXPECT_FALSE(
      DecodeLink(LinkWith("1c001200 09000100 766c616e 00000000 0c000200 08000100 05000000")).ok());
  EXPECT_FALSE(DecodeLink(LinkWith("20001200 09000100 766c616e 00000000 10000200 0c000300"
                                   "08000100 03000000"))
                   .ok());
}

TEST(Links, CutAnswersAreRefused) {
  FakeTransport route = Guest("route");
  for (const Message& message : Answered(route, LinksRequest()))
    ExpectCutsAreRefused(message, 16, &DecodeLink);
}

}  // namespace
}  // namespace roceready::netlink
