// SPDX-License-Identifier: Apache-2.0
// Devices, links, bonds, firmware, PCIe and what the host allows a job.
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;

v1::PciHop& CardOf(FullFleet& fleet) { return *fleet.host2().pci().mutable_path_to_root(0); }

v1::NetDevice& BondOf(HostBuilder& host) { return *host.facts().mutable_net_devices()->rbegin(); }

void BondAll(FullFleet& fleet) {
  for (HostBuilder& host : fleet.audit.hosts) host.BondRails(0, 1);
}

std::vector<Case> DeviceCases() {
  return {
      {"device.lost-rdma",
       "one of two NICs has lost its RDMA device",
       [](FullFleet& fleet) { fleet.host2().facts().mutable_rdma_devices()->RemoveLast(); },
       {"FAIL device.lost-rdma host2"},
       {"FAIL nic-count.odd-one-out host2 <- device.lost-rdma"},
       Nic::kMlx5,
       2},
      {"device.verbs-access",
       "only root may open the verbs node",
       [](FullFleet& fleet) { fleet.host2().rdma().mutable_uverbs()->set_mode(0600); },
       {"FAIL device.verbs-access host2"},
       {}},
      {"device.health",
       "a health reporter is in error",
       [](FullFleet& fleet) {
         fleet.host2().pci().mutable_health()->mutable_reporters(0)->set_state("error");
       },
       {"FAIL device.health host2"},
       {}},
      {"port.lid",
       "the port shows a LID",
       [](FullFleet& fleet) { fleet.host2().port().mutable_attributes()->set_lid(1); },
       {"FAIL port.lid host2"},
       {}},
      {"link.flaps",
       "the link went down and came back",
       [](FullFleet& fleet) { fleet.host2().WithCounter(v1::COUNTER_ID_LINK_DOWN, 2); },
       {"FAIL link.flaps host2"},
       {}},
      {"link.flaps",
       "the port is down",
       [](FullFleet& fleet) {
         fleet.host2().WithPortDown().WithCounter(v1::COUNTER_ID_LINK_DOWN, 1);
         fleet.host2().facts().mutable_ip_stack()->clear_routes();
       },
       {"FAIL port.active host2"},
       {"FAIL link.flaps host2 <- port.active", "UNKNOWN route.rail-device host2 <- port.active"}},
      {"link.fec",
       "a fast lane has no FEC",
       [](FullFleet& fleet) { fleet.host2().net().mutable_ethernet()->set_fec_active("None"); },
       {"FAIL link.fec host2"},
       {},
       Nic::kMlx5},
      {"bond.mode",
       "the bond sends in turns",
       [](FullFleet& fleet) {
         BondAll(fleet);
         BondOf(fleet.host2()).mutable_bond()->set_mode("balance-rr");
       },
       {"FAIL bond.mode host2"},
       {},
       Nic::kMlx5,
       2},
      {"bond.roce-lag",
       "each member of the bond kept its RDMA device",
       [](FullFleet& fleet) {
         v1::RdmaDevice second = fleet.host2().facts().rdma_devices(1);
         BondAll(fleet);
         v1::RdmaPort& first_port = fleet.host2().port(0);
         first_port.set_net_device_id(fleet.host2().net(0).id());
         for (const int member : {0, 1}) {
           *fleet.host2().net(member).mutable_addresses()->mutable_reading() =
               builders::Answered(v1::SOURCE_RTNETLINK);
         }
         *second.mutable_ports(0)->mutable_gid_table() = first_port.gid_table();
         *fleet.host2().facts().add_rdma_devices() = std::move(second);
       },
       {"FAIL bond.roce-lag host2"},
       {"FAIL nic-count.odd-one-out host2 <- bond.roce-lag"},
       Nic::kMlx5,
       2},
      {"bond.members-up",
       "a member is down",
       [](FullFleet& fleet) {
         BondAll(fleet);
         fleet.host2().net(1).mutable_bond_member()->set_mii_status("DOWN");
       },
       {"FAIL bond.members-up host2"},
       {},
       Nic::kMlx5,
       2},
      {"bond.members-up",
       "a member is outside the aggregate",
       [](FullFleet& fleet) {
         BondAll(fleet);
         fleet.host2().net(1).mutable_bond_member()->set_aggregator_id(2);
       },
       {"FAIL bond.members-up host2"},
       {},
       Nic::kMlx5,
       2},
      {"bond.members-alike",
       "a member runs at half the speed of the other",
       [](FullFleet& fleet) {
         BondAll(fleet);
         for (HostBuilder& host : fleet.audit.hosts) {
           host.net(0).mutable_ethernet()->set_speed_mbps(200'000);
           host.net(1).mutable_ethernet()->set_speed_mbps(200'000);
         }
         fleet.host2().net(1).mutable_ethernet()->set_speed_mbps(100'000);
       },
       {"FAIL bond.members-alike host2"},
       {},
       Nic::kMlx5,
       2},
      {"bond.hash-policy",
       "the bond hashes over MACs",
       [](FullFleet& fleet) {
         BondAll(fleet);
         BondOf(fleet.host2()).mutable_bond()->set_xmit_hash_policy("layer2");
       },
       {"FAIL bond.hash-policy host2"},
       {},
       Nic::kMlx5,
       2},
  };
}

std::vector<Case> HostCases() {
  return {
      {"firmware.pending",
       "an update waits for a reset",
       [](FullFleet& fleet) {
         fleet.host2().pci().mutable_firmware()->mutable_stored(0)->set_value("28.43.1014");
       },
       {"FAIL firmware.pending host2"},
       {}},
      {"kernel.odd-one-out",
       "one host runs another kernel, and so other modules",
       [](FullFleet& fleet) {
         v1::KernelFacts& kernel = *fleet.host2().facts().mutable_kernel();
         kernel.set_release("6.1.0-31-amd64");
         kernel.mutable_modules(0)->set_srcversion("0123456789ABCDEF0123456");
         kernel.mutable_modules(0)->set_srcversion_on_disk("0123456789ABCDEF0123456");
       },
       {"FAIL kernel.odd-one-out host2"},
       {"FAIL driver.odd-one-out host2 <- kernel.odd-one-out"}},
      {"driver.odd-one-out",
       "one host has the vendor's driver",
       [](FullFleet& fleet) {
         v1::KernelModule& module = *fleet.host2().facts().mutable_kernel()->mutable_modules(0);
         module.set_version("24.10-0.7.0");
         module.set_srcversion("0123456789ABCDEF0123456");
         module.set_srcversion_on_disk("0123456789ABCDEF0123456");
       },
       {"FAIL driver.odd-one-out host2"},
       {}},
      {"driver.odd-one-out",
       "one host has rdma-core of another release",
       [](FullFleet& fleet) {
         for (HostBuilder& host : fleet.audit.hosts) {
           host.facts().mutable_rdma_stack()->set_rdma_core_version("50.0");
         }
         fleet.host2().facts().mutable_rdma_stack()->set_rdma_core_version("39.0");
       },
       {"FAIL driver.odd-one-out host2"},
       {}},
      {"model.odd-one-out",
       "one host has another model, named otherwise",
       [](FullFleet& fleet) {
         fleet.host2().pci().set_device(0x1021);
         fleet.host2().rdma().set_name("rocep1s0");
       },
       {"FAIL model.odd-one-out host2"},
       {"FAIL name.odd-one-out host2 <- model.odd-one-out"}},
      {"model.odd-one-out",
       "one host has a slower model, and the policy plans no speed",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.clear_min_speed_mbps();
         fleet.host2().pci().set_device(0x1015);
         fleet.host2().net().mutable_ethernet()->set_speed_mbps(50'000);
       },
       {"FAIL model.odd-one-out host2"},
       {"FAIL speed.odd-one-out host2 <- model.odd-one-out"}},
      {"slot.odd-one-out",
       "the card is at the other socket",
       [](FullFleet& fleet) { fleet.host2().pci().set_numa_node(1); },
       {"FAIL slot.odd-one-out host2"},
       {}},
      {"name.odd-one-out",
       "one host names the device otherwise",
       [](FullFleet& fleet) { fleet.host2().rdma().set_name("rocep1s0"); },
       {"FAIL name.odd-one-out host2"},
       {}},
      {"pcie.link",
       "half the lanes",
       [](FullFleet& fleet) { CardOf(fleet).set_current_width_lanes(8); },
       {"FAIL pcie.link host2"},
       {}},
      {"pcie.link",
       "an older generation, too slow for the port",
       [](FullFleet& fleet) { CardOf(fleet).set_current_speed_mtps(2500); },
       {"FAIL pcie.link host2"},
       {"FAIL pcie.bandwidth host2 <- pcie.link", "UNKNOWN probe.incast host2 <- pcie.link"},
       Nic::kMlx5},
      {"pcie.bandwidth",
       "the slot has four lanes",
       [](FullFleet& fleet) {
         CardOf(fleet).set_current_width_lanes(4);
         fleet.host2().pci().mutable_path_to_root(1)->set_current_width_lanes(4);
         fleet.host2().pci().mutable_path_to_root(1)->set_max_width_lanes(4);
       },
       {"FAIL pcie.bandwidth host2"},
       {"UNKNOWN probe.incast host2 <- pcie.bandwidth"},
       Nic::kMlx5},
      {"iommu.passthrough",
       "the IOMMU translates",
       [](FullFleet& fleet) { fleet.host2().pci().set_iommu_domain_type("DMA-FQ"); },
       {"FAIL iommu.passthrough host2"},
       {},
       Nic::kMlx5},
      {"limits.locked-memory",
       "the limit is a default",
       [](FullFleet& fleet) {
         v1::JobLimits& limits = *fleet.host2().facts().mutable_kernel()->mutable_job_limits();
         limits.set_memlock_unlimited(false);
         limits.set_memlock_soft_bytes(8 << 20);
       },
       {"FAIL limits.locked-memory host2"},
       {}},
      {"limits.open-files",
       "the limit is a default",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_kernel()->mutable_job_limits()->set_open_files(1024);
       },
       {"FAIL limits.open-files host2"},
       {}},
      {"speed.odd-one-out",
       "slower than its peers, and the policy plans no speed",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.clear_min_speed_mbps();
         fleet.host2().net().mutable_ethernet()->set_speed_mbps(50'000);
       },
       {"FAIL speed.odd-one-out host2"},
       {}},
  };
}

}  // namespace

std::vector<Case> HardwareCases() {
  std::vector<Case> cases = DeviceCases();
  for (Case& one : HostCases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace roceready::checks
