// SPDX-License-Identifier: Apache-2.0
// What only a comparison of hosts, or the policy's inventory, can tell: rails that are missing,
// subnets, VLANs, routes between racks.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/rail_changes.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;

// The second NIC was left at InfiniBand: it has no net device.
void LeaveAtInfiniBand(HostBuilder& host) {
  host.rdma(1).set_protocol("ib");
  host.port(1).mutable_attributes()->set_link_layer("InfiniBand");
  host.port(1).clear_net_device_id();
  host.port(1).mutable_gid_table()->clear_gids();
  host.facts().mutable_net_devices()->DeleteSubrange(1, 1);
  host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
}

std::vector<Case> PresenceCases() {
  return {
      {"link-layer.odd-one-out",
       "one port was left at InfiniBand",
       [](FullFleet& fleet) { LeaveAtInfiniBand(fleet.host2()); },
       {"FAIL link-layer.odd-one-out host2"},
       {"FAIL nic-count.odd-one-out host2 <- link-layer.odd-one-out"},
       Nic::kMlx5,
       2},
      {"device.rdma-present",
       "one of two devices was not read, so that its ports are not known",
       [](FullFleet& fleet) {
         v1::RdmaDevice& device = fleet.host2().rdma(1);
         *device.mutable_reading() =
             builders::Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_RDMA_NETLINK);
         device.clear_ports();
         device.clear_protocol();
         device.clear_driver();
       },
       {"UNKNOWN device.rdma-present host2"},
       {"UNKNOWN nic-count.odd-one-out host2 <- device.rdma-present"},
       Nic::kMlx5,
       2},
      {"device.rdma-present",
       "one of two devices shows no port",
       [](FullFleet& fleet) { fleet.host2().rdma(1).clear_ports(); },
       {"UNKNOWN device.rdma-present host2"},
       {"UNKNOWN nic-count.odd-one-out host2 <- device.rdma-present"},
       Nic::kMlx5,
       2},
      {"inventory.rails",
       "a NIC is gone, and the inventory misses its rail",
       [](FullFleet& fleet) {
         WantRails(fleet.audit.policy, {"10.77.0.0/24", "10.77.1.0/24"});
         HostBuilder& host = fleet.host2();
         host.facts().mutable_pci_functions()->RemoveLast();
         host.facts().mutable_rdma_devices()->RemoveLast();
         host.facts().mutable_net_devices()->DeleteSubrange(1, 1);
         host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
       },
       {"FAIL inventory.rails host2"},
       {"FAIL nic-count.odd-one-out host2 <- inventory.rails"},
       Nic::kMlx5,
       2},
      {"inventory.rails",
       "a port has an address of another subnet than the inventory says",
       [](FullFleet& fleet) {
         WantRails(fleet.audit.policy, {"10.77.0.0/24", "10.77.1.0/24"});
         MoveRail(fleet.host2(), 1, "10.88.1.2", 24);
       },
       {"FAIL inventory.rails host2"},
       {"FAIL rail.alone host2 <- inventory.rails", "FAIL route.to-peer host2 <- rail.alone",
        "FAIL lldp.rail-leaf spare1 <- rail.alone"},
       Nic::kMlx5,
       2},
  };
}

std::vector<Case> SubnetCases() {
  return {
      {"vlan.peer-mismatch",
       "one host tags the subnet with another VLAN",
       [](FullFleet& fleet) {
         for (HostBuilder& host : fleet.audit.hosts) AddressVlan(host, 0);
         fleet.host2().facts().mutable_net_devices()->rbegin()->mutable_vlan()->set_vlan_id(101);
       },
       {"FAIL vlan.peer-mismatch host2"},
       {}},
      {"address.prefix-alike",
       "one host has the address with /32, and so no way to the others",
       [](FullFleet& fleet) { MoveRail(fleet.host2(), 0, "10.77.0.2", 32); },
       {"FAIL address.prefix-alike host2"},
       {"FAIL route.to-peer host2 <- address.prefix-alike"}},
      {"address.prefix-alike",
       "one host has the address with /16",
       [](FullFleet& fleet) { MoveRail(fleet.host2(), 0, "10.77.0.2", 16); },
       {"FAIL address.prefix-alike host2"},
       {}},
      {"rail.alone",
       "one port has an address of a subnet where nobody is",
       [](FullFleet& fleet) { MoveRail(fleet.host2(), 1, "10.88.1.2", 24); },
       {"FAIL rail.alone host2"},
       {"FAIL route.to-peer host2 <- rail.alone", "FAIL lldp.rail-leaf spare1 <- rail.alone"},
       Nic::kMlx5,
       2},
      {"route.to-peer",
       "each cable has a subnet of its own, and one host no route to the others",
       [](FullFleet& fleet) {
         RouteEachCable(fleet.audit.hosts);
         fleet.host2().facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
       },
       {"FAIL route.to-peer host2"},
       {}},
      {"route.rail-device",
       "a rule forbids the rail's subnet",
       [](FullFleet& fleet) {
         AddRule(fleet.host2(), 100, "prohibit").set_to("10.77.0.0/24");
         AddRule(fleet.host2(), 32766, "lookup").set_table(254);
       },
       {"FAIL route.rail-device host2"},
       {"FAIL route.to-peer host2 <- route.rail-device"}},
  };
}

}  // namespace

std::vector<Case> FleetCases() {
  std::vector<Case> cases = PresenceCases();
  for (Case& one : SubnetCases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace roceready::checks
