// SPDX-License-Identifier: Apache-2.0
// PCIe settings, GPUs, drivers on disk, switches of the driver, control groups, packet filter,
// virtual functions.
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::Nic;

v1::Firewall& FilterOf(FullFleet& fleet) { return *fleet.host2().facts().mutable_firewall(); }

v1::RdmaCgroupLimit& LimitOf(FullFleet& fleet) {
  v1::JobLimits& limits = *fleet.host2().facts().mutable_kernel()->mutable_job_limits();
  v1::RdmaCgroupLimit& limit = *limits.mutable_rdma_cgroup()->add_limits();
  limit.set_name(fleet.host2().rdma().name());
  return limit;
}

v1::PciHop& HopOf(FullFleet& fleet, int index) {
  return *fleet.host2().pci().mutable_path_to_root(index);
}

v1::FirewallRule& AddRule(FullFleet& fleet, std::string_view chain, std::string_view verdict,
                          bool every_packet = true) {
  v1::FirewallRule& rule = *FilterOf(fleet).add_roce_rules();
  rule.set_family("inet");
  rule.set_table("filter");
  rule.set_chain(std::string(chain));
  rule.set_verdict(std::string(verdict));
  rule.set_every_packet(every_packet);
  return rule;
}

std::vector<Case> FilterCases() {
  return {
      {"firewall.roce-port",
       "a rule drops what comes in",
       [](FullFleet& fleet) { AddRule(fleet, "input", "drop"); },
       {"FAIL firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "a rule rejects, and probes die of it",
       [](FullFleet& fleet) {
         AddRule(fleet, "input", "reject");
         fleet.probes[0].DropsFromAToB();
       },
       {"FAIL firewall.roce-port host2"},
       {"FAIL probe.write host1>host2 <- firewall.roce-port",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.roce-version host1>host2 <- probe.write",
        "UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.traffic-class host2>host1 <- probe.write",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"firewall.roce-port",
       "everything is dropped",
       [](FullFleet& fleet) { FilterOf(fleet).mutable_chains(0)->set_policy("drop"); },
       {"FAIL firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "what is not accepted is dropped, and no rule takes the port",
       [](FullFleet& fleet) {
         FilterOf(fleet).mutable_chains(0)->set_policy("drop");
         FilterOf(fleet).mutable_chains(0)->set_rules(4);
       },
       {"FAIL firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "some packets to the port are accepted, others dropped",
       [](FullFleet& fleet) {
         AddRule(fleet, "input", "accept", false);
         AddRule(fleet, "input", "drop");
       },
       {"UNKNOWN firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "a rule drops what a set or an address takes",
       [](FullFleet& fleet) { AddRule(fleet, "output", "drop", false); },
       {"UNKNOWN firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "the chain that a rule jumps to drops",
       [](FullFleet& fleet) {
         AddRule(fleet, "input", "jump").set_target("inner");
         AddRule(fleet, "inner", "drop");
       },
       {"FAIL firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "a map decides",
       [](FullFleet& fleet) { AddRule(fleet, "input", "map", false); },
       {"UNKNOWN firewall.roce-port host2"},
       {}},
      {"firewall.roce-port",
       "ip_tables has a table beside",
       [](FullFleet& fleet) {
         FilterOf(fleet).mutable_legacy()->set_outcome(v1::OUTCOME_OK);
         FilterOf(fleet).add_legacy_tables("ip filter");
       },
       {"UNKNOWN firewall.roce-port host2"},
       {}},
  };
}

std::vector<Case> DriverCases() {
  return {
      {"limits.rdma-cgroup",
       "three objects are no connection",
       [](FullFleet& fleet) { LimitOf(fleet).set_objects(3); },
       {"FAIL limits.rdma-cgroup host2"},
       {"FAIL limits.rdma-cgroup-room host2 <- limits.rdma-cgroup"}},
      {"limits.rdma-cgroup",
       "the device may not be opened at all",
       [](FullFleet& fleet) { LimitOf(fleet).set_handles(0); },
       {"FAIL limits.rdma-cgroup host2"},
       {"FAIL limits.rdma-cgroup-room host2 <- limits.rdma-cgroup"}},
      {"limits.rdma-cgroup-room",
       "four programs may open the device",
       [](FullFleet& fleet) { LimitOf(fleet).set_handles(4); },
       {"FAIL limits.rdma-cgroup-room host2"},
       {}},
      {"driver.on-disk",
       "another build is on disk",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_kernel()->mutable_modules(0)->set_srcversion_on_disk("A00");
       },
       {"FAIL driver.on-disk host2"},
       {}},
      {"driver.on-disk",
       "the same source was built anew",
       [](FullFleet& fleet) {
         v1::KernelModule& module = *fleet.host2().facts().mutable_kernel()->mutable_modules(0);
         module.set_build_id("0102");
         module.set_build_id_on_disk("0203");
       },
       {"FAIL driver.on-disk host2"},
       {}},
      {"device.roce-enabled",
       "RoCE is off in the driver, so that there are no GIDs",
       [](FullFleet& fleet) {
         fleet.host2().pci().mutable_parameters()->mutable_parameters(0)->set_driverinit("false");
         fleet.host2().WithoutGids();
       },
       {"FAIL device.roce-enabled host2"},
       {"FAIL gid.rocev2-ipv4 host2 <- device.roce-enabled"},
       Nic::kMlx5},
      {"device.roce-enabled",
       "RDMA is off in the driver, so that there is no device",
       [](FullFleet& fleet) {
         fleet.host2().pci().mutable_parameters()->mutable_parameters(0)->set_driverinit("false");
         fleet.host2().facts().clear_rdma_devices();
         fleet.audit.fleet.probes = {};
       },
       {"FAIL device.roce-enabled host2"},
       {"FAIL device.rdma-present host2 <- device.roce-enabled",
        "FAIL nic-count.odd-one-out host2 <- device.rdma-present"},
       Nic::kMlx5},
      {"firmware.staged",
       "a setting waits for a reset",
       [](FullFleet& fleet) {
         fleet.host2().pci().mutable_parameters()->mutable_parameters(0)->set_permanent("false");
       },
       {"FAIL firmware.staged host2"},
       {},
       Nic::kMlx5},
      {"firmware.staged",
       "the next reload switches RoCE off, which is on now",
       [](FullFleet& fleet) {
         fleet.host2().pci().mutable_parameters()->mutable_parameters(0)->set_driverinit("false");
       },
       {"FAIL firmware.staged host2"},
       {},
       Nic::kMlx5},
      {"device.roce-enabled",
       "RoCE is off at run time, whatever GIDs are left",
       [](FullFleet& fleet) {
         v1::DevlinkParameter& roce =
             *fleet.host2().pci().mutable_parameters()->mutable_parameters(0);
         roce.set_runtime("false");
         roce.set_driverinit("false");
         roce.clear_permanent();
       },
       {"FAIL device.roce-enabled host2"},
       {},
       Nic::kMlx5},
      {"firmware.staged",
       "a setting waits for a reload",
       [](FullFleet& fleet) {
         v1::DevlinkParameter& roce =
             *fleet.host2().pci().mutable_parameters()->mutable_parameters(0);
         roce.set_runtime("true");
         roce.set_driverinit("false");
       },
       {"FAIL firmware.staged host2"},
       {},
       Nic::kMlx5},
  };
}

std::vector<Case> PcieCases() {
  return {
      {"pcie.acs",
       "the bridge above NIC and GPU redirects requests",
       [](FullFleet& fleet) { HopOf(fleet, 1).set_acs_control(0x1d); },
       {"FAIL pcie.acs host2"},
       {},
       Nic::kMlx5},
      {"pcie.payload",
       "the NIC sends more than the bridge accepts",
       [](FullFleet& fleet) { HopOf(fleet, 1).set_max_payload_bytes(128); },
       {"FAIL pcie.payload host2"},
       {},
       Nic::kMlx5},
      {"pcie.read-request",
       "128 bytes at a time",
       [](FullFleet& fleet) { HopOf(fleet, 0).set_max_read_request_bytes(128); },
       {"FAIL pcie.read-request host2"},
       {},
       Nic::kMlx5},
      {"gpu.peer-memory",
       "an old kernel without the module",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_kernel()->mutable_modules()->RemoveLast();
         for (builders::HostBuilder& host : fleet.audit.hosts) {
           host.facts().mutable_kernel()->set_release("5.4.0-100-generic");
         }
       },
       {"FAIL gpu.peer-memory host2"},
       {},
       Nic::kMlx5},
      {"gpu.peer-memory",
       "a newer kernel, where the job may use dma-buf",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_kernel()->mutable_modules()->RemoveLast();
       },
       {"UNKNOWN gpu.peer-memory host2"},
       {},
       Nic::kMlx5},
      {"gpu.numa-node",
       "all GPUs are at the other socket",
       [](FullFleet& fleet) { fleet.host2().facts().mutable_gpus(0)->set_numa_node(1); },
       {"FAIL gpu.numa-node host2"},
       {},
       Nic::kMlx5},
  };
}

v1::VirtualFunction& VfOf(FullFleet& fleet) {
  return *fleet.host2().net().mutable_virtual_functions()->mutable_functions(0);
}

std::vector<Case> VirtualFunctionCases() {
  return {
      {"sriov.vf-settings",
       "the guest's link is held down",
       [](FullFleet& fleet) { VfOf(fleet).set_link_state("disable"); },
       {"FAIL sriov.vf-settings host2"},
       {},
       Nic::kMlx5},
      {"sriov.vf-settings",
       "the guest may send a tenth of what the policy wants",
       [](FullFleet& fleet) { VfOf(fleet).set_max_rate_mbps(10'000); },
       {"FAIL sriov.vf-settings host2"},
       {},
       Nic::kMlx5},
      {"sriov.vf-settings",
       "the NIC tags the guest's frames with another priority",
       [](FullFleet& fleet) {
         VfOf(fleet).set_vlan_id(100);
         VfOf(fleet).set_vlan_priority(5);
       },
       {"FAIL sriov.vf-settings host2"},
       {},
       Nic::kMlx5},
      {"sriov.vf-settings",
       "the NIC tags the guest's frames as a provider would",
       [](FullFleet& fleet) {
         VfOf(fleet).set_vlan_id(100);
         VfOf(fleet).set_vlan_priority(3);
         VfOf(fleet).set_vlan_protocol("802.1ad");
       },
       {"FAIL sriov.vf-settings host2"},
       {},
       Nic::kMlx5},
      {"sriov.vf-settings",
       "the answer does not hold the link state",
       [](FullFleet& fleet) { VfOf(fleet).clear_link_state(); },
       {"UNKNOWN sriov.vf-settings host2"},
       {},
       Nic::kMlx5},
      {"sriov.vf-settings",
       "the physical function could not be asked",
       [](FullFleet& fleet) {
         v1::VirtualFunctions& functions = *fleet.host2().net().mutable_virtual_functions();
         functions.clear_functions();
         *functions.mutable_reading() =
             builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);
       },
       {"UNKNOWN sriov.vf-settings host2"},
       {},
       Nic::kMlx5},
  };
}

}  // namespace

std::vector<Case> PlatformCases() {
  std::vector<Case> cases = FilterCases();
  for (auto* more : {DriverCases, PcieCases, VirtualFunctionCases}) {
    for (Case& one : more()) cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace roceready::checks
