// SPDX-License-Identifier: Apache-2.0
// Where checks of the host's surroundings must hold their tongue: what is no fault, what cannot
// matter, and what is not known.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::HasSubstr;

v1::AuditReport Judge(const HostBuilder& host) { return AuditOf({host}).Report(); }

bool IsNotJudged(const v1::AuditReport& report, std::string_view check_id) {
  const v1::CheckTally tally = TallyOf(report, check_id);
  return tally.evaluated() == 0 && tally.not_applicable() > 0;
}

TEST(PacketFilter, DoesNotMatterToHardware) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.facts().mutable_firewall()->mutable_chains(0)->set_policy("drop");

  EXPECT_TRUE(IsNotJudged(Judge(host), "firewall.roce-port"));
}

TEST(PacketFilter, ThatDropsByPolicyMayAcceptThePort) {
  HostBuilder host("host1", 1);
  host.facts().mutable_firewall()->mutable_chains(0)->set_policy("drop");
  host.facts().mutable_firewall()->mutable_chains(0)->set_rules(1);
  v1::FirewallRule& rule = *host.facts().mutable_firewall()->add_roce_rules();
  rule.set_family("inet");
  rule.set_table("filter");
  rule.set_chain("input");
  rule.set_verdict("accept");
  rule.set_every_packet(true);

  EXPECT_EQ(TallyOf(Judge(host), "firewall.roce-port").pass(), 1u);
}

TEST(PacketFilter, MayDropWhatIsForwardedOrOfTheOtherFamily) {
  HostBuilder host("host1", 1);
  v1::FirewallChain& forward = *host.facts().mutable_firewall()->add_chains();
  forward = host.facts().firewall().chains(0);
  forward.set_hook("forward");
  forward.set_name("forward");
  forward.set_policy("drop");
  v1::FirewallChain& other = *host.facts().mutable_firewall()->add_chains();
  other = host.facts().firewall().chains(0);
  other.set_family("ip6");
  other.set_policy("drop");

  EXPECT_EQ(TallyOf(Judge(host), "firewall.roce-port").pass(), 1u);
}

TEST(PacketFilter, OfTheOldKindIsUnknownAndNoneIsNotJudged) {
  HostBuilder host("host1", 1);
  *host.facts().mutable_firewall() = {};
  *host.facts().mutable_firewall()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_NETFILTER);
  EXPECT_EQ(TallyOf(Judge(host), "firewall.roce-port").unknown(), 1u);

  host.facts().mutable_firewall()->mutable_reading()->set_outcome(v1::OUTCOME_ABSENT);
  // Nor is it known then what ip_tables does.
  EXPECT_EQ(TallyOf(Judge(host), "firewall.roce-port").unknown(), 1u);
  host.facts().mutable_firewall()->mutable_legacy()->set_outcome(v1::OUTCOME_ABSENT);
  EXPECT_TRUE(IsNotJudged(Judge(host), "firewall.roce-port"));
}

TEST(RdmaCgroup, OfAnotherDeviceDoesNotMatter) {
  HostBuilder host("host1", 1);
  v1::RdmaCgroup& cgroup =
      *host.facts().mutable_kernel()->mutable_job_limits()->mutable_rdma_cgroup();
  cgroup.add_limits()->set_name("mlx5_9");
  cgroup.mutable_limits(0)->set_objects(0);
  EXPECT_EQ(TallyOf(Judge(host), "limits.rdma-cgroup").pass(), 1u);

  *cgroup.mutable_reading() = builders::Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS);
  EXPECT_TRUE(IsNotJudged(Judge(host), "limits.rdma-cgroup"));

  // Nobody starts jobs here: that is not known to be without limits.
  *cgroup.mutable_reading() = builders::Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_PROCFS);
  EXPECT_EQ(TallyOf(Judge(host), "limits.rdma-cgroup").unknown(), 1u);
}

TEST(DriverOnDisk, InACompressedFileIsUnknown) {
  HostBuilder host("host1", 1);
  v1::KernelModule& module = *host.facts().mutable_kernel()->mutable_modules(0);
  *module.mutable_on_disk() =
      builders::Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_FILE, {}, "compressed");

  EXPECT_THAT(Only(Judge(host), "driver.on-disk").reason(), HasSubstr("compressed"));
}

TEST(Acs, DoesNotMatterToAGpuThatIsGivenAway) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_path_to_root(1)->set_acs_control(0x1d);
  host.facts().mutable_gpus(0)->set_driver("vfio-pci");

  EXPECT_TRUE(IsNotJudged(Judge(host), "pcie.acs"));
}

TEST(Acs, IsUnknownWhereTheConfigurationSpaceIsClosed) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::PciHop& bridge = *host.pci().mutable_path_to_root(1);
  bridge.clear_acs_control();
  *bridge.mutable_config_space() =
      builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_PCI_CONFIG, "CAP_SYS_ADMIN");

  EXPECT_THAT(Only(Judge(host), "pcie.acs").reason(), HasSubstr("needs CAP_SYS_ADMIN"));
}

TEST(Acs, IsUnknownWithoutTheExtendedSpaceAndThePayloadIsNot) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::PciHop& bridge = *host.pci().mutable_path_to_root(1);
  bridge.clear_acs_control();
  *bridge.mutable_config_space() = builders::Unanswered(
      v1::OUTCOME_UNSUPPORTED, v1::SOURCE_PCI_CONFIG, {}, "the first 256 bytes only");
  const v1::AuditReport report = Judge(host);

  EXPECT_THAT(Only(report, "pcie.acs").reason(), HasSubstr("256 bytes"));
  EXPECT_EQ(TallyOf(report, "pcie.payload").unknown(), 0u);
}

TEST(Gpus, OfAmdNeedNoModule) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.facts().mutable_kernel()->mutable_modules()->RemoveLast();
  host.facts().mutable_gpus(0)->set_vendor(0x1002);
  host.facts().mutable_gpus(0)->set_driver("amdgpu");

  EXPECT_TRUE(IsNotJudged(Judge(host), "gpu.peer-memory"));
}

TEST(Gpus, OfAHostThatTellsNoNodesAreNotJudged) {
  HostBuilder host("vm1", 1, Nic::kMlx5);
  host.pci().set_numa_node(-1);

  EXPECT_TRUE(IsNotJudged(Judge(host), "gpu.numa-node"));
}

TEST(PcieBridges, MayAcceptMoreThanTheNicSends) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_path_to_root(1)->set_max_payload_bytes(512);

  EXPECT_EQ(TallyOf(Judge(host), "pcie.payload").pass(), 1u);
}

TEST(ConnectionDefaults, MayBeUnmarkedWhereOnlyAMarkingJobUsesThem) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5)});
  audit.host().port().mutable_cm_defaults()->set_tos(0);
  EXPECT_EQ(TallyOf(audit.Report(), "cm.default-tos").fail(), 1u);

  audit.policy.job.set_traffic_class(104);
  audit.host().facts().mutable_kernel_users()->clear_users();
  EXPECT_EQ(TallyOf(audit.Report(), "cm.default-tos").pass(), 1u);

  *audit.host().facts().mutable_kernel_users()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_PROCFS);
  EXPECT_EQ(TallyOf(audit.Report(), "cm.default-tos").unknown(), 1u);
}

TEST(ConnectionDefaults, AreUnknownWhereReadingThemWouldWrite) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  *host.port().mutable_cm_defaults() = {};
  *host.port().mutable_cm_defaults()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_SKIPPED, v1::SOURCE_CONFIGFS);

  EXPECT_EQ(TallyOf(Judge(host), "cm.default-tos").unknown(), 1u);
  EXPECT_EQ(TallyOf(Judge(host), "cm.roce-mode").unknown(), 1u);
}

TEST(PauseFrames, InModerationAreHowPfcWorks) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  for (v1::PortCounters& counters : *host.counters().mutable_ports()) {
    if (counters.owner_id() != host.net().id()) continue;
    for (v1::CounterSample& sample : *counters.mutable_samples()) {
      if (sample.id() == v1::COUNTER_ID_TX_PAUSE_FRAMES) sample.set_delta(60 * 1'000);
    }
  }
  EXPECT_EQ(TallyOf(Judge(host), "pause.storm").pass(), 1u);

  // The same number keeps a port of a third of the speed stopped.
  host.net().mutable_ethernet()->set_speed_mbps(25'000);
  EXPECT_EQ(TallyOf(Judge(host), "pause.storm").fail(), 1u);
}

TEST(Programs, OfTheSitesBackgroundAreNoForeignJob) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5)});
  v1::RdmaDeviceUse& use = *audit.host().facts().mutable_rdma_use()->mutable_devices(0);
  use.set_user_qps(3);
  use.add_users()->set_name("ceph-osd");
  use.mutable_users(1)->set_qps(3);
  use.mutable_users(1)->set_qps_in_error(0);
  EXPECT_THAT(Only(audit.Report(), "use.foreign-programs").actual(), HasSubstr("ceph-osd"));

  audit.policy.background.add_processes("ceph-osd");
  EXPECT_EQ(TallyOf(audit.Report(), "use.foreign-programs").pass(), 1u);

  // A probe of ours.
  use.mutable_users(1)->set_name("roceready-agent");
  audit.policy.background.clear_processes();
  EXPECT_EQ(TallyOf(audit.Report(), "use.foreign-programs").pass(), 1u);
}

// Two hosts with two rails each, and what they hear on them.
AuditOf TwoRails() {
  return AuditOf({HostBuilder("gpu1", 1, Nic::kMlx5, 2), HostBuilder("gpu2", 2, Nic::kMlx5, 2),
                  HostBuilder("gpu3", 3, Nic::kMlx5, 2)});
}

v1::LldpNeighbour& Hear(HostBuilder& host, int rail, std::string_view leaf) {
  v1::LldpNeighbour& neighbour = *host.net(rail).mutable_lldp()->add_neighbours();
  neighbour.set_system_name(std::string(leaf));
  return neighbour;
}

TEST(Leaves, MayHaveAllRailsOfARack) {
  AuditOf audit = TwoRails();
  for (const int rail : {0, 1}) {
    for (const size_t host : {0, 1}) Hear(audit.host(host), rail, "rack1");
    Hear(audit.host(2), rail, "rack2");
  }
  EXPECT_EQ(Find(audit.Report(), "lldp.rail-leaf"), nullptr);
  EXPECT_EQ(TallyOf(audit.Report(), "lldp.rail-leaf").pass(), 1u);
}

TEST(Leaves, TellNothingWhereEachCableHasASubnetOfItsOwn) {
  AuditOf audit = TwoRails();
  for (size_t host = 0; host < 3; ++host) {
    for (const int rail : {0, 1}) {
      v1::IpAddress& address =
          *audit.host(host).net(rail).mutable_addresses()->mutable_addresses(0);
      address.set_address("10.78." + std::to_string(host) + "." + std::to_string(2 * rail));
      address.set_prefix_bits(31);
      // Swapped on the second host.
      Hear(audit.host(host), rail, (rail == 0) != (host == 1) ? "leaf1" : "leaf2");
    }
  }
  EXPECT_EQ(Find(audit.Report(), "lldp.rail-leaf"), nullptr);
}

TEST(Leaves, PassNothingWhileAPortWasNotRead) {
  AuditOf audit = TwoRails();
  for (size_t host = 0; host < 3; ++host) {
    for (const int rail : {0, 1}) Hear(audit.host(host), rail, rail == 0 ? "leaf1" : "leaf2");
  }
  EXPECT_EQ(TallyOf(audit.Report(), "lldp.rail-leaf").pass(), 2u);

  *audit.host(1).net(0).mutable_lldp() = {};
  EXPECT_EQ(TallyOf(audit.Report(), "lldp.rail-leaf").pass(), 0u);
  EXPECT_EQ(TallyOf(audit.Report(), "lldp.rail-leaf").unknown(), 1u);
}

TEST(Leaves, AreNotOtherHosts) {
  AuditOf audit = TwoRails();
  for (size_t host = 0; host < 3; ++host) {
    Hear(audit.host(host), host == 1 ? 1 : 0, "hypervisor").add_capabilities("station");
  }
  EXPECT_EQ(Find(audit.Report(), "lldp.rail-leaf"), nullptr);
}

// The first host has met these addresses of the second's rail.
AuditOf Met(std::vector<std::pair<std::string, std::string>> neighbours) {
  AuditOf audit({HostBuilder("host1", 1), HostBuilder("host2", 2)});
  for (const auto& [address, mac] : neighbours) {
    v1::Neighbour& neighbour = *audit.host(0).facts().mutable_neighbours()->add_neighbours();
    neighbour.set_net_device_id(audit.host(0).net().id());
    neighbour.set_address(address);
    neighbour.set_mac(mac);
    neighbour.set_state("resolved");
  }
  return audit;
}

TEST(Neighbours, AreTheSameInCapitals) {
  AuditOf audit = Met({{"10.77.0.2", "AA:54:00:77:00:02"}});
  audit.host(1).net().mutable_link()->set_mac("aa:54:00:77:00:02");
  EXPECT_EQ(TallyOf(audit.Report(), "neighbour.mac").pass(), 1u);
}

TEST(Neighbours, MayAllBeBehindAProxy) {
  const std::string router = "44:38:39:ff:00:01";
  AuditOf audit = Met({{"10.77.0.2", router}, {"10.77.0.3", router}, {"10.77.0.4", router}});
  EXPECT_TRUE(IsNotJudged(audit.Report(), "neighbour.mac"));
}

TEST(Neighbours, AnsweredForByAnotherNicOfThePeerAreAFault) {
  AuditOf audit({HostBuilder("host1", 1), HostBuilder("host2", 2, Nic::kLab, 2)});
  v1::Neighbour& neighbour = *audit.host(0).facts().mutable_neighbours()->add_neighbours();
  neighbour.set_net_device_id(audit.host(0).net().id());
  neighbour.set_address("10.77.0.2");
  neighbour.set_mac(audit.host(1).net(1).link().mac());
  neighbour.set_state("resolved");

  EXPECT_THAT(Only(audit.Report(), "neighbour.mac").actual(), HasSubstr("another NIC of the peer"));
}

TEST(Neighbours, OfAHostWhoseTableWasNotReadAreUnknown) {
  AuditOf audit = Met({});
  *audit.host(0).facts().mutable_neighbours() = {};
  EXPECT_EQ(TallyOf(audit.Report(), "neighbour.mac").unknown(), 2u);
}

TEST(NicCounts, AreComparedAmongHostsOfOneKind) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5, 2), HostBuilder("gpu2", 2, Nic::kMlx5, 2),
                 HostBuilder("store1", 3, Nic::kMlx5, 1)});
  EXPECT_EQ(Find(audit.Report(), "nic-count.odd-one-out"), nullptr);
}

}  // namespace
}  // namespace roceready::checks
