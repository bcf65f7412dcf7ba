// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tests/support/fake_netlink.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

Inventory TwoDevices() {
  Inventory inventory;
  inventory.net_devices = {{"pci:0000:3b:00.0/0", "ens1", 2, "0000:3b:00.0", 0},
                           {"name:ens1.100", "ens1.100", 5, "", 0}};
  return inventory;
}

TEST(Links, GiveMtuStateAndWordsOfIproute2) {
  netlink::Link link;
  link.index = 2;
  link.name = "ens1";
  link.flags = 1;
  link.mtu_bytes = 9000;
  link.max_mtu_bytes = 9978;
  link.operstate = 6;
  link.carrier = true;
  v1::NetDevice device;
  FillLink(link, TwoDevices(), &device);
  EXPECT_EQ(device.mtu().mtu_bytes(), 9000u);
  EXPECT_EQ(device.link().max_mtu_bytes(), 9978u);
  EXPECT_EQ(device.link().operstate(), "UP");
  EXPECT_TRUE(device.link().carrier());
  EXPECT_TRUE(device.link().admin_up());
  EXPECT_FALSE(device.has_vlan());
}

TEST(Links, NoLimitOfTheMtuIsAbsent) {
  netlink::Link link;
  link.max_mtu_bytes = 0;
  v1::NetDevice device;
  FillLink(link, TwoDevices(), &device);
  EXPECT_FALSE(device.link().has_max_mtu_bytes());
}

TEST(Links, AVlanNamesItsLowerDeviceById) {
  netlink::Link link;
  link.index = 5;
  link.kind = "vlan";
  link.lower_index = 2;
  link.vlan = netlink::LinkVlan{};
  link.vlan->id = 100;
  link.vlan->protocol = 0x8100;
  link.vlan->egress = {{3, 3}, {2, 1}};
  v1::NetDevice device;
  FillLink(link, TwoDevices(), &device);
  EXPECT_EQ(device.link().lower_id(), "pci:0000:3b:00.0/0");
  EXPECT_EQ(device.vlan().vlan_id(), 100u);
  EXPECT_EQ(device.vlan().protocol(), "802.1Q");
  ASSERT_EQ(device.vlan().egress_size(), 2);
  EXPECT_EQ(device.vlan().egress(0).from(), 2u);
  EXPECT_EQ(device.vlan().ingress_size(), 0);
}

TEST(Links, ALowerDeviceOfAnotherNamespaceIsNotTakenForOurs) {
  netlink::Link link;
  link.lower_index = 2;
  link.lower_netns_id = 0;
  v1::NetDevice device;
  FillLink(link, TwoDevices(), &device);
  EXPECT_FALSE(device.link().has_lower_id());
}

TEST(Links, AddressesAreSortedAndOfThatDeviceOnly) {
  const auto address = [](const char* text, uint32_t index, uint32_t flags) {
    netlink::InterfaceAddress result;
    result.address = *netlink::IpAddressBytes::Parse(text);
    result.link_index = index;
    result.prefix_bits = 24;
    result.flags = flags;
    return result;
  };
  const v1::IpAddresses addresses =
      AddressesOf({address("192.0.2.9", 2, 0x80), address("192.0.2.1", 2, 0xc0),
                   address("198.51.100.1", 5, 0x80)},
                  2);
  ASSERT_EQ(addresses.addresses_size(), 2);
  EXPECT_EQ(addresses.addresses(0).address(), "192.0.2.1");
  EXPECT_TRUE(addresses.addresses(0).tentative());
  EXPECT_FALSE(addresses.addresses(1).tentative());
}

TEST(Links, TellTheHostsEndOfAVirtualFunctionFromAPort) {
  const auto link_of = [](const char* port_name, bool switchdev) {
    netlink::Link link;
    link.port_name = port_name;
    if (switchdev) link.switch_id = {0xb8, 0x3f, 0x01};
    v1::NetDevice device;
    FillLink(link, TwoDevices(), &device);
    return device.link();
  };
  EXPECT_TRUE(link_of("pf0vf3", true).representor());
  EXPECT_TRUE(link_of("c1pf0sf2", true).representor());
  EXPECT_FALSE(link_of("p0", true).representor());
  EXPECT_EQ(link_of("p0", true).switch_id(), "b83f01");
  // Without an embedded switch there is nothing to tell apart.
  EXPECT_FALSE(link_of("p0", false).has_representor());
}

TEST(Links, ABondTellsItsPartnerAndItsMembersLacpState) {
  netlink::Link link;
  link.bond = netlink::LinkBond{};
  link.bond->lacp_rate = 1;
  link.bond->miimon_ms = 100;
  link.bond->aggregator = netlink::BondAggregator{};
  link.bond->aggregator->partner_mac = netlink::MacAddress{};
  link.bond_member = netlink::LinkBondMember{};
  link.bond_member->actor_port_state = 0x3d;
  v1::NetDevice device;
  FillLink(link, TwoDevices(), &device);
  EXPECT_EQ(device.bond().lacp_rate(), "fast");
  EXPECT_EQ(device.bond().miimon_ms(), 100u);
  EXPECT_EQ(device.bond().partner_mac(), "00:00:00:00:00:00");
  EXPECT_EQ(device.bond_member().actor_port_state(), 0x3du);
  EXPECT_FALSE(device.bond_member().has_partner_port_state());
}

TEST(Links, WithoutAnAnswerEveryDeviceSaysWhy) {
  netlink::FakeTransport route;
  route.Fail(netlink::LinksRequest(), DeadlineExceeded("links: no answer in 2 s"));
  const v1::HostFacts facts = ReadLinks(route, TwoDevices());
  ASSERT_EQ(facts.net_devices_size(), 2);
  for (const v1::NetDevice& device : facts.net_devices()) {
    EXPECT_EQ(device.link().reading().outcome(), v1::OUTCOME_TIMED_OUT);
    EXPECT_EQ(device.addresses().reading().outcome(), v1::OUTCOME_TIMED_OUT);
    // The MTU that sysfs gave is not taken away.
    EXPECT_FALSE(device.has_mtu());
  }
}

TEST(Links, ADeviceThatWentMeanwhileSaysSoInEachGroup) {
  netlink::FakeTransport route;
  route.Answer(netlink::LinksRequest(), {});
  route.Answer(netlink::AddressesRequest(), {});
  const v1::HostFacts facts = ReadLinks(route, TwoDevices());
  ASSERT_EQ(facts.net_devices_size(), 2);
  for (const v1::NetDevice& device : facts.net_devices()) {
    EXPECT_EQ(device.link().reading().outcome(), v1::OUTCOME_ABSENT);
    EXPECT_EQ(device.addresses().reading().outcome(), v1::OUTCOME_ABSENT);
    EXPECT_EQ(device.addresses().reading().detail(), "the device is gone");
    EXPECT_FALSE(device.has_mtu());
  }
}

TEST(Links, SysfsGivesTheMtuAlone) {
  FixtureTree tree;
  tree.File("/sys/class/net/ens1/mtu", "9000");
  const v1::NetMtu mtu = ReadMtuFromSysfs(HostRoot(tree.path()), "ens1");
  EXPECT_EQ(mtu.mtu_bytes(), 9000u);
  EXPECT_EQ(mtu.reading().source(), v1::SOURCE_SYSFS);
  EXPECT_EQ(ReadMtuFromSysfs(HostRoot(tree.path()), "gone").reading().outcome(),
            v1::OUTCOME_ABSENT);
}

}  // namespace
}  // namespace roceready::facts
