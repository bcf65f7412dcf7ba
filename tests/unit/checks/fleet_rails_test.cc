// SPDX-License-Identifier: Apache-2.0
// What healthy fleets look like to the comparisons of rails, routes and kinds of hosts, and what
// is said where facts are missing.
#include "checks/rails.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/rail_changes.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::Contains, ::testing::HasSubstr, ::testing::IsEmpty, ::testing::Not,
    ::testing::UnorderedElementsAre;

AuditOf Hardware(int hosts, int rails = 2) {
  std::vector<HostBuilder> all;
  for (int i = 1; i <= hosts; ++i) {
    all.emplace_back(fmt::format("host{}", i), static_cast<uint32_t>(i), Nic::kMlx5, rails);
  }
  return AuditOf(std::move(all));
}

// Hosts 3 and 4 are in another rack; each rack reaches the other by the gateways of its rails.
AuditOf TwoRacks() {
  AuditOf audit = Hardware(4);
  for (size_t i = 0; i < 4; ++i) {
    for (const int rail : {0, 1}) {
      if (i >= 2) MoveRail(audit.host(i), rail, fmt::format("10.77.{}.{}", 16 + rail, i), 24);
      const int here = i < 2 ? rail : 16 + rail, there = i < 2 ? 16 + rail : rail;
      AddRoute(audit.host(i), rail, fmt::format("10.77.{}.0/24", there),
               fmt::format("10.77.{}.254", here));
    }
  }
  return audit;
}

TEST(RouteToPeer, IsThereBetweenRacksBehindGateways) {
  AuditOf audit = TwoRacks();
  const v1::AuditReport report = audit.Report();
  EXPECT_THAT(RootsOf(report), IsEmpty());
  EXPECT_EQ(TallyOf(report, "route.to-peer").pass(), 8u);
}

TEST(RouteToPeer, IsMissingForOneRailOfOneHost) {
  AuditOf audit = TwoRacks();
  audit.host(0).facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
  EXPECT_THAT(RootsOf(audit.Report()), UnorderedElementsAre("FAIL route.to-peer host1"));
}

TEST(RouteToPeer, IsMissingEverywhereBetweenRacksWithoutGateways) {
  AuditOf audit = TwoRacks();
  for (HostBuilder& host : audit.hosts) {
    for (int i = 0; i < 2; ++i) host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
  }
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(TallyOf(report, "route.to-peer").fail(), 8u);
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(RouteToPeer, IsThereWhereEachCableHasItsSubnet) {
  AuditOf audit = HealthyLab();
  RouteEachCable(audit.hosts);
  const v1::AuditReport report = audit.Report();
  EXPECT_THAT(RootsOf(report), IsEmpty());
  EXPECT_EQ(TallyOf(report, "route.to-peer").pass(), 3u);
}

TEST(RouteToPeer, MayBeInATableThatARuleBySourceChooses) {
  AuditOf audit = HealthyLab();
  RouteEachCable(audit.hosts);
  HostBuilder& host = audit.host(1);
  host.facts().mutable_ip_stack()->mutable_routes()->rbegin()->set_table(100);
  AddRule(host, 32766, "lookup").set_table(254);
  EXPECT_THAT(RootsOf(audit.Report()), UnorderedElementsAre("FAIL route.to-peer host2"));

  v1::IpRule& rule = AddRule(host, 1000, "lookup");
  rule.set_table(100);
  rule.set_from("10.90.1.1/32");
  EXPECT_THAT(RootsOf(audit.Report()), IsEmpty());

  rule.set_from("10.90.2.0/24");
  EXPECT_THAT(RootsOf(audit.Report()), UnorderedElementsAre("FAIL route.to-peer host2"));
}

TEST(RouteToPeer, IsNamedAtTheOneWhoseSubnetNobodyReaches) {
  AuditOf audit = HealthyLab();
  RouteEachCable(audit.hosts);
  MoveRail(audit.host(1), 0, "10.99.1.1", 31);
  const v1::AuditReport report = audit.Report();
  EXPECT_THAT(RootsOf(report), UnorderedElementsAre("FAIL route.to-peer host2"));
  EXPECT_THAT(Only(report, "route.to-peer").actual(), HasSubstr("2 of its peers"));
}

TEST(RouteToPeer, IsUnknownWhereRoutesWereNotRead) {
  AuditOf audit = HealthyLab();
  RouteEachCable(audit.hosts);
  *audit.host(1).facts().mutable_ip_stack() = v1::IpStack();
  *audit.host(1).facts().mutable_ip_stack()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);
  EXPECT_THAT(FoldedOf(audit.Report()),
              Contains("UNKNOWN route.to-peer host2 <- route.rail-device"));
}

TEST(RouteRailDevice, IsNotStoppedByRulesThatAreNeverReached) {
  AuditOf audit = HealthyLab();
  AddRule(audit.host(1), 32766, "lookup").set_table(254);
  AddRule(audit.host(1), 32770, "prohibit").set_to("10.77.0.0/24");
  AddRule(audit.host(1), 50, "unreachable").set_mark(7);
  AddRule(audit.host(1), 51, "blackhole").set_from("10.5.0.0/16");
  AddRule(audit.host(1), 52, "prohibit").set_to("10.5.0.0/16");
  EXPECT_THAT(RootsOf(audit.Report()), IsEmpty());

  AddRule(audit.host(1), 53, "blackhole").set_from("10.77.0.2/32");
  EXPECT_THAT(RootsOf(audit.Report()), UnorderedElementsAre("FAIL route.rail-device host2"));
}

TEST(PrefixAlike, AllowsASecondNameInsideTheSubnet) {
  AuditOf audit = HealthyLab();
  v1::IpAddress& second = *audit.host(1).net().mutable_addresses()->add_addresses();
  second = audit.host(1).net().addresses().addresses(0);
  second.set_address("10.77.0.200");
  second.set_prefix_bits(32);
  EXPECT_THAT(RootsOf(audit.Report()), IsEmpty());
}

TEST(PrefixAlike, NamesTheSubnetWhereTwoLengthsAreAsCommon) {
  AuditOf audit({HostBuilder("host1", 1), HostBuilder("host2", 2)});
  MoveRail(audit.host(1), 0, "10.77.0.2", 16);
  EXPECT_THAT(RootsOf(audit.Report()),
              UnorderedElementsAre("FAIL address.prefix-alike 10.77.0.0/16"));
}

TEST(RailAlone, IsRightForARailMoreThanTheOthersHave) {
  AuditOf audit = Hardware(3);
  MoveRail(audit.host(0), 1, "10.50.0.1", 24);
  MoveRail(audit.host(2), 1, "10.51.0.1", 24);
  EXPECT_THAT(TallyOf(audit.Report(), "rail.alone").fail(), 0u);
}

TEST(VlanPeerMismatch, AllowsUntaggedBesideTagged) {
  AuditOf audit = HealthyLab();
  for (HostBuilder& host : audit.hosts) {
    host.AddVlan(100);
    AddressVlan(host, 0);
  }
  // The switch tags for it.
  v1::NetDevice& vlan = *audit.host(1).facts().mutable_net_devices()->rbegin();
  audit.host(1).net().mutable_addresses()->mutable_addresses()->Add()->Swap(
      vlan.mutable_addresses()->mutable_addresses(0));
  vlan.mutable_addresses()->clear_addresses();
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(TallyOf(report, "vlan.peer-mismatch").fail(), 0u);
}

TEST(VlanPeerMismatch, FindsRailsThatAreSwapped) {
  AuditOf audit = Hardware(3);
  for (HostBuilder& host : audit.hosts) {
    for (const int rail : {0, 1}) {
      const bool swapped = &host == &audit.host(1);
      host.AddVlan(swapped ? 712 - rail : 711 + rail, rail);
      AddressVlan(host, rail);
    }
  }
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(TallyOf(report, "vlan.peer-mismatch").fail(), 2u);
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(InventoryRails, AreUnknownWhereAddressesWereNotRead) {
  AuditOf audit = HealthyLab();
  WantRails(audit.policy, {"10.77.0.0/24"});
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY);

  v1::IpAddresses& addresses = *audit.host(1).net().mutable_addresses();
  addresses.clear_addresses();
  *addresses.mutable_reading() = builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_RTNETLINK);
  // The GID still tells.
  EXPECT_EQ(TallyOf(audit.Report(), "inventory.rails").pass(), 3u);

  audit.host(1).WithoutGids();
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(Only(report, "inventory.rails").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_NE(report.verdict().readiness(), v1::READINESS_READY);
}

TEST(InventoryRails, AreReadFromGidsAsTheKernelWritesThem) {
  AuditOf audit = HealthyLab();
  WantRails(audit.policy, {"10.77.0.0/24"});
  audit.host(1).net().mutable_addresses()->Clear();
  v1::Gid& gid = *audit.host(1).port().mutable_gid_table()->mutable_gids(1);
  gid.set_gid("0000:0000:0000:0000:0000:ffff:0a4d:0002");
  EXPECT_EQ(TallyOf(audit.Report(), "inventory.rails").pass(), 3u);
  gid.set_gid("0000:0000:0000:0000:0000:ffff:0a4e:0002");
  EXPECT_EQ(TallyOf(audit.Report(), "inventory.rails").pass(), 2u);
}

TEST(InventoryRails, NameThePortThatLostItsAddress) {
  AuditOf audit = Hardware(3);
  WantRails(audit.policy, {"10.77.0.0/24", "10.77.1.0/24"});
  audit.host(1).net(1).mutable_addresses()->clear_addresses();
  const v1::AuditReport report = audit.Report();
  const v1::Finding& finding = Only(report, "inventory.rails");
  EXPECT_EQ(finding.subject().device_id(), audit.host(1).rdma(1).id());
  EXPECT_EQ(finding.actual(), "none; ens1 (mlx5_1) has no address");
  EXPECT_EQ(finding.policy_source(), "lossless-dscp.yaml:40");
}

TEST(Kinds, AreNotComparedByKernelAndSpeed) {
  AuditOf audit = Hardware(5);
  audit.policy.intent.clear_min_speed_mbps();
  for (const size_t storage : {3, 4}) {
    HostBuilder& host = audit.host(storage);
    host.facts().clear_gpus();
    host.facts().mutable_kernel()->set_release("7.2.13-amd64");
    for (const int rail : {0, 1}) host.net(rail).mutable_ethernet()->set_speed_mbps(25'000);
  }
  for (const size_t gpu : {0, 1, 2}) {
    if (audit.host(gpu).facts().gpus().empty()) audit.host(gpu).facts().add_gpus();
  }
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(Find(report, "kernel.odd-one-out"), nullptr);
  EXPECT_EQ(Find(report, "speed.odd-one-out"), nullptr);

  audit.host(1).facts().mutable_kernel()->set_release("6.1.0-31-amd64");
  audit.host(1).net(1).mutable_ethernet()->set_speed_mbps(50'000);
  const v1::AuditReport odd = audit.Report();
  EXPECT_EQ(Only(odd, "kernel.odd-one-out").subject().host(), "host2");
  EXPECT_EQ(Only(odd, "speed.odd-one-out").subject().host(), "host2");
}

TEST(LinkLayer, IsNotJudgedWhereTheJobNamesItsInterfaces) {
  AuditOf audit = Hardware(3);
  audit.policy.job.add_interfaces("mlx5_0");
  audit.host(1).port(1).mutable_attributes()->set_link_layer("InfiniBand");
  EXPECT_THAT(RootsOf(audit.Report()), IsEmpty());
}

TEST(UnreadDevice, IsNoInterfaceThatIsMissing) {
  AuditOf audit = Hardware(3);
  v1::RdmaDevice& device = audit.host(1).rdma(1);
  device.clear_ports();
  *device.mutable_reading() = builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RDMA_NETLINK);
  audit.policy.job.add_interfaces("mlx5_0");
  EXPECT_THAT(RootsOf(audit.Report()), IsEmpty());

  audit.policy.job.add_interfaces("mlx5_1:1");
  EXPECT_THAT(RootsOf(audit.Report()), UnorderedElementsAre("UNKNOWN device.rdma-present host2"));
}

TEST(UnreadDevice, ThatSpeaksInfiniBandIsNotMissed) {
  AuditOf audit = HealthyLab();
  v1::RdmaDevice& device = *audit.host(1).facts().add_rdma_devices();
  device = audit.host(1).rdma();
  device.set_id("pci:0000:99:00.0");
  device.set_name("ibp153s0");
  device.set_protocol("ib");
  device.clear_ports();
  EXPECT_EQ(Find(audit.Report(), "device.rdma-present"), nullptr);
}

}  // namespace
}  // namespace roceready::checks
