// SPDX-License-Identifier: Apache-2.0
// Addresses, routes, GID indexes, what the job asks for, and DCB.
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;

v1::Dcb& DcbOf(FullFleet& fleet) { return *fleet.host2().net().mutable_dcb(); }

// The second rail moves into the subnet of the first.
void ShareSubnet(HostBuilder& host) {
  host.WithAddress("10.77.0.102", 1);
  v1::IpRoute& route = *host.facts().mutable_ip_stack()->mutable_routes(1);
  route.set_destination("10.77.0.0/24");
}

// The address of the first rail moves to its VLAN, with route and GID.
v1::NetDevice& MoveToVlan(HostBuilder& host) {
  v1::NetDevice& vlan = *host.facts().mutable_net_devices()->rbegin();
  vlan.mutable_addresses()->Swap(host.net().mutable_addresses());
  *host.net().mutable_addresses()->mutable_reading() = vlan.addresses().reading();
  host.facts().mutable_ip_stack()->mutable_routes(0)->set_net_device_id(vlan.id());
  host.port().mutable_gid_table()->mutable_gids(1)->set_net_device_id(vlan.id());
  for (v1::Neighbour& neighbour : *host.facts().mutable_neighbours()->mutable_neighbours()) {
    neighbour.set_net_device_id(vlan.id());
  }
  vlan.mutable_link()->set_mac(host.net().link().mac());
  return vlan;
}

std::vector<Case> AddressCases() {
  return {
      {"port.active",
       "the VLAN with the address is switched off, the port below it active",
       [](FullFleet& fleet) {
         v1::NetDevice& vlan = MoveToVlan(fleet.host2());
         vlan.mutable_link()->set_admin_up(false);
         vlan.mutable_link()->set_operstate("DOWN");
         fleet.host2().facts().mutable_ip_stack()->mutable_routes(0)->set_destination(
             "10.9.0.0/16");
       },
       {"FAIL port.active host2"},
       {"FAIL route.rail-device host2 <- port.active"}},
      {"port.active",
       "the net device has no operational link, the port is active",
       [](FullFleet& fleet) {
         fleet.host2().net().mutable_link()->set_operstate("LOWERLAYERDOWN");
       },
       {"FAIL port.active host2"},
       {}},
      {"qos.vlan-priority",
       "one host has its RoCE address beside the VLAN, not on it",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.add_vlan_ids(100);
         for (size_t index : {0, 2}) MoveToVlan(fleet.audit.host(index));
       },
       {"FAIL qos.vlan-priority host2"},
       {}},
      {"address.duplicate",
       "two hosts have one address",
       [](FullFleet& fleet) {
         fleet.host2().WithAddress("10.77.0.1");
         fleet.probes[0].DropsFromAToB();
       },
       {"FAIL address.duplicate 10.77.0.1"},
       {"FAIL probe.write host1>host2 <- address.duplicate",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.roce-version host1>host2 <- probe.write",
        "UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.traffic-class host2>host1 <- probe.write",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"address.duplicate",
       "two hosts have one global IPv6 address",
       [](FullFleet& fleet) {
         for (size_t index : {0, 2}) {
           v1::IpAddress& address =
               *fleet.audit.host(index).net().mutable_addresses()->add_addresses();
           address.set_address("fd00::7");
           address.set_prefix_bits(64);
           address.set_permanent(true);
         }
       },
       {"FAIL address.duplicate fd00::7"},
       {}},
      {"address.duplicate-mac",
       "a virtual machine was cloned",
       [](FullFleet& fleet) {
         fleet.host2().net().mutable_link()->set_mac(fleet.audit.host(2).net().link().mac());
       },
       {"FAIL address.duplicate-mac 52:54:00:77:00:03"},
       {"FAIL neighbour.mac host1>host2 <- address.duplicate-mac"}},
      {"address.arp-flux",
       "two rails are in one subnet",
       [](FullFleet& fleet) { ShareSubnet(fleet.host2()); },
       {"FAIL address.arp-flux host2", "FAIL address.arp-flux host2"},
       {},
       Nic::kMlx5,
       2},
      {"address.permanent",
       "the address is leased",
       [](FullFleet& fleet) {
         fleet.host2().net().mutable_addresses()->mutable_addresses(0)->set_permanent(false);
       },
       {"FAIL address.permanent host2"},
       {}},
      {"route.rail-device",
       "the route leaves by another device",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_ip_stack()->mutable_routes(0)->set_net_device_id(
             fleet.host2().net(1).id());
       },
       {"FAIL route.rail-device host2"},
       {},
       Nic::kMlx5,
       2},
      {"route.rail-device",
       "there is no route",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_ip_stack()->mutable_routes(0)->set_destination(
             "10.9.0.0/16");
       },
       {"FAIL route.rail-device host2"},
       {}},
      {"gid.rocev2-ipv4",
       "all GIDs are of RoCE v1",
       [](FullFleet& fleet) {
         for (v1::Gid& gid : *fleet.host2().port().mutable_gid_table()->mutable_gids()) {
           gid.set_type(v1::GID_TYPE_ROCE_V1);
         }
       },
       {"FAIL gid.rocev2-ipv4 host2"},
       {}},
      {"gid.index-alike",
       "one port's index moved",
       [](FullFleet& fleet) {
         fleet.host2().port(1).mutable_gid_table()->mutable_gids(1)->set_index(3);
       },
       {"FAIL gid.index-alike host2"},
       {},
       Nic::kMlx5,
       2},
      {"job.gid-index",
       "the job's index is empty on one host",
       [](FullFleet& fleet) {
         fleet.audit.policy.job.set_gid_index(1);
         fleet.host2().port().mutable_gid_table()->mutable_gids(1)->set_index(2);
       },
       {"FAIL job.gid-index host2"},
       {}},
      {"job.gid-index",
       "the job's index is link-local",
       [](FullFleet& fleet) {
         fleet.audit.policy.job.set_gid_index(1);
         v1::GidTable& table = *fleet.host2().port().mutable_gid_table();
         table.mutable_gids(0)->set_index(1);
         table.mutable_gids(1)->set_index(0);
       },
       {"FAIL job.gid-index host2"},
       {}},
      {"job.traffic-class",
       "the job's traffic class is DSCP 32",
       [](FullFleet& fleet) { fleet.audit.policy.job.set_traffic_class(128); },
       {"FAIL job.traffic-class host1", "FAIL job.traffic-class host2",
        "FAIL job.traffic-class host3"},
       {}},
      {"job.timers",
       "the job gives up after half a second",
       [](FullFleet& fleet) { fleet.audit.policy.job.set_ack_timeout_exponent(14); },
       {"FAIL job.timers host1", "FAIL job.timers host2", "FAIL job.timers host3"},
       {}},
  };
}

std::vector<Case> DcbCases() {
  return {
      {"device.rdma-present",
       "an interface of the job is missing, and PFC is off on the one that is there",
       [](FullFleet& fleet) {
         for (std::string_view name : {"mlx5_0", "mlx5_1"}) {
           fleet.audit.policy.job.add_interfaces(std::string(name));
         }
         fleet.host2().facts().mutable_rdma_devices()->RemoveLast();
         fleet.host2().WithPfc({});
       },
       {"FAIL device.rdma-present host2", "FAIL pfc.lossless-priority host2"},
       {},
       builders::Nic::kMlx5,
       2},
      {"qos.dscp-priority",
       "the port trusts PCP, and its DSCP map was not read",
       [](FullFleet& fleet) {
         v1::Dcb& dcb = *fleet.host2().net().mutable_dcb();
         *dcb.mutable_app_trust()->mutable_reading() = builders::Answered(v1::SOURCE_DCBNL);
         dcb.mutable_app_trust()->add_order("pcp");
         dcb.mutable_app()->clear_entries();
         *dcb.mutable_app()->mutable_reading() =
             builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_DCBNL);
       },
       {"FAIL qos.dscp-priority host2"},
       {}},
      {"pfc.peer-agrees",
       "the switch port has PFC on another priority",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_peer_pfc()->set_enabled_priorities(0, 4); },
       {"FAIL pfc.peer-agrees host2"},
       {}},
      {"pause.with-pfc",
       "global pause is on",
       [](FullFleet& fleet) { fleet.host2().net().mutable_pause()->set_rx(true); },
       {"FAIL pause.with-pfc host2"},
       {}},
      {"pause.with-pfc",
       "PFC was never set up, so that global pause is on and nothing has a buffer",
       [](FullFleet& fleet) {
         fleet.host2().WithPfc({});
         fleet.host2().net().mutable_pause()->set_rx(true);
         DcbOf(fleet).mutable_buffer()->set_priority_to_buffer(3, 0);
       },
       {"FAIL pfc.lossless-priority host2"},
       {"FAIL pause.with-pfc host2 <- pfc.lossless-priority",
        "FAIL buffer.lossless host2 <- pfc.lossless-priority"}},
      {"dcbx.settings-hold",
       "the port is willing",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_ets()->set_willing(true); },
       {"FAIL dcbx.settings-hold host2"},
       {}},
      {"dcbx.settings-hold",
       "firmware runs DCBX",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_dcbx()->set_modes(0, "lld-managed"); },
       {"FAIL dcbx.settings-hold host2"},
       {}},
      {"ets.roce-bandwidth",
       "the class has 0 %",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_ets()->set_tx_bandwidth_percent(3, 0); },
       {"FAIL ets.roce-bandwidth host2"},
       {}},
      {"ets.roce-class",
       "TCP's priority is in the class of RoCE",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_ets()->set_priority_to_class(0, 3); },
       {"FAIL ets.roce-class host2"},
       {}},
      {"buffer.lossless",
       "the buffer has no bytes",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_buffer()->set_buffer_bytes(1, 0); },
       {"FAIL buffer.lossless host2"},
       {}},
      {"buffer.lossless",
       "the buffer is shared with TCP",
       [](FullFleet& fleet) { DcbOf(fleet).mutable_buffer()->set_priority_to_buffer(0, 1); },
       {"FAIL buffer.lossless host2"},
       {}},
      {"ecn.cnp-ignored",
       "CNPs are ignored",
       [](FullFleet& fleet) { fleet.host2().WithCounter(v1::COUNTER_ID_CNP_IGNORED, 17); },
       {"FAIL ecn.cnp-ignored host2"},
       {}},
      {"ecn.cnp-answered",
       "marked packets get no answer",
       [](FullFleet& fleet) { fleet.host2().WithCounter(v1::COUNTER_ID_ECN_MARKED, 900); },
       {"FAIL ecn.cnp-answered host2"},
       {}},
  };
}

}  // namespace

std::vector<Case> NetworkCases() {
  std::vector<Case> cases = AddressCases();
  for (auto* more : {DcbCases, FleetCases}) {
    for (Case& one : more()) cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace roceready::checks
