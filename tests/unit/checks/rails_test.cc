// SPDX-License-Identifier: Apache-2.0
#include "checks/rails.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders/facts_builder.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::ElementsAre, ::testing::IsEmpty, ::testing::SizeIs;

TEST(NetworkOf, CutsTheHostPart) {
  EXPECT_EQ(NetworkOf("10.77.3.200", 24), "10.77.3.0/24");
  EXPECT_EQ(NetworkOf("10.77.3.200", 26), "10.77.3.192/26");
  EXPECT_EQ(NetworkOf("10.77.3.200", 32), "10.77.3.200/32");
  EXPECT_EQ(NetworkOf("10.77.3.200", 0), "0.0.0.0/0");
  EXPECT_EQ(NetworkOf("10.77.3.200", 33), "");
  EXPECT_EQ(NetworkOf("fd00::1", 24), "");
  EXPECT_EQ(NetworkOf("10.77.3", 24), "");
}

TEST(RailsOfHost, AreOneForEachSubnetOfItsRocePorts) {
  HostBuilder host("host1", 7, Nic::kLab, 2);

  const std::vector<RailPort> rails = RailsOfHost(host.facts());

  ASSERT_THAT(rails, SizeIs(2));
  EXPECT_EQ(rails[0].rail, "10.77.0.0/24");
  EXPECT_EQ(rails[1].rail, "10.77.1.0/24");
  EXPECT_EQ(rails[0].address, "10.77.0.7");
  EXPECT_EQ(rails[0].host, "host1");
  EXPECT_EQ(rails[0].rdma_device_id, host.rdma().id());
  EXPECT_EQ(rails[0].port, 1u);
  EXPECT_EQ(rails[0].net_device_id, host.net().id());
  EXPECT_EQ(rails[0].adapter_id, "serial-7-0");
  EXPECT_EQ(rails[0].label, "eth0 (rxe0)");
  EXPECT_TRUE(rails[0].active);
}

TEST(RailsOfHost, LeaveOutAddressesThatNameNoFabric) {
  HostBuilder host("host1", 1);
  host.net().mutable_addresses()->mutable_addresses(0)->set_address("169.254.3.1");

  EXPECT_THAT(RailsOfHost(host.facts()), IsEmpty());
}

TEST(RailsOfHost, KnowAPortThatIsDown) {
  HostBuilder host("host1", 1);
  host.WithPortDown();

  EXPECT_FALSE(RailsOfHost(host.facts())[0].active);
}

TEST(RailsOfHost, FollowTheAddressToABondAndAVlan) {
  HostBuilder host("host1", 1, Nic::kMlx5, 2);
  host.BondRails(0, 1);
  EXPECT_EQ(RailsOfHost(host.facts())[0].net_device_id, "name:bond0");

  HostBuilder tagged("host2", 2);
  v1::NetDevice& vlan = tagged.AddVlan(100);
  vlan.mutable_addresses()->Swap(tagged.net().mutable_addresses());
  EXPECT_EQ(RailsOfHost(tagged.facts())[0].net_device_id, "name:eth0.100");
}

v1::LldpNeighbour& AddNeighbour(v1::NetDevice& net_device, const std::string& name,
                                const std::string& capability) {
  v1::LldpNeighbour& neighbour = *net_device.mutable_lldp()->add_neighbours();
  neighbour.set_system_name(name);
  if (!capability.empty()) neighbour.add_capabilities(capability);
  return neighbour;
}

TEST(RailsOfHost, KnowTheLeafThatAPortHears) {
  HostBuilder host("host1", 1, Nic::kLab, 2);
  host.net(0).clear_lldp();
  host.net(1).clear_lldp();
  AddNeighbour(host.net(0), "leaf1", "bridge").set_chassis_id("00:11:22:33:44:55");
  AddNeighbour(host.net(0), "host7", "station");

  const std::vector<RailPort> rails = RailsOfHost(host.facts());

  ASSERT_THAT(rails, SizeIs(2));
  EXPECT_EQ(rails[0].leaf, "leaf1 (00:11:22:33:44:55)") << "a host is no leaf";
  EXPECT_EQ(rails[1].leaf, "") << "nothing was heard";
}

TEST(RailsOfHost, KnowBothLeavesOfABond) {
  HostBuilder host("host1", 1, Nic::kMlx5, 2);
  host.BondRails(0, 1);
  host.net(0).clear_lldp();
  host.net(1).clear_lldp();
  AddNeighbour(host.net(1), "leaf2", "");
  AddNeighbour(host.net(0), "leaf1", "router");
  EXPECT_EQ(RailsOfHost(host.facts())[0].leaf, "leaf1+leaf2");
}

std::vector<std::string> RingNames(std::vector<std::string> hosts) {
  std::vector<RailPort> ports;
  for (const std::string& host : hosts) ports.push_back({.rail = "r", .host = host});
  std::vector<std::string> names;
  for (const RailPair& pair : RingOf(ports)) names.push_back(pair.a.host + "-" + pair.b.host);
  return names;
}

TEST(RingOf, JoinsNeighboursAndTheEnds) {
  EXPECT_THAT(RingNames({"a", "b", "c"}), ElementsAre("a-b", "b-c", "c-a"));
  EXPECT_THAT(RingNames({"a", "b"}), ElementsAre("a-b"));
  EXPECT_THAT(RingNames({"a"}), IsEmpty());
  EXPECT_THAT(RingNames({}), IsEmpty());
}

TEST(RingOf, PairsNoHostWithItself) {
  EXPECT_THAT(RingNames({"a", "a", "b"}), ElementsAre("a-b", "b-a"));
}

TEST(GroupByRail, SortsPortsByHost) {
  HostBuilder second("host2", 2, Nic::kLab, 2), first("host1", 1, Nic::kLab, 2);
  std::vector<RailPort> ports = RailsOfHost(second.facts());
  for (RailPort& port : RailsOfHost(first.facts())) ports.push_back(port);

  const Rails rails = GroupByRail(ports);

  ASSERT_THAT(rails, SizeIs(2));
  EXPECT_EQ(rails.at("10.77.0.0/24")[0].host, "host1");
  EXPECT_EQ(rails.at("10.77.0.0/24")[1].host, "host2");
}

}  // namespace
}  // namespace roceready::checks
