// SPDX-License-Identifier: Apache-2.0
// nic-count.missing: who lacks a NIC, and which fleets are only built in several ways.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;

constexpr std::string_view kMissing = "nic-count.missing";

// Hosts with so many NICs each, in the same slots.
AuditOf Fleet(const std::vector<int>& nics) {
  std::vector<HostBuilder> hosts;
  uint32_t number = 0;
  for (const int count : nics) {
    ++number;
    hosts.emplace_back(fmt::format("host{}", number), number, Nic::kMlx5, count);
  }
  return AuditOf(std::move(hosts));
}

void TakeNic(HostBuilder& host, int index) {
  host.facts().mutable_pci_functions()->DeleteSubrange(index, 1);
  host.facts().mutable_rdma_devices()->DeleteSubrange(index, 1);
  host.facts().mutable_net_devices()->DeleteSubrange(index, 1);
}

std::vector<std::string> HostsThatLackOne(AuditOf& audit) {
  std::vector<std::string> hosts;
  const v1::AuditReport report = audit.Report();
  for (const v1::Finding& finding : report.findings()) {
    if (finding.check_id() != kMissing) continue;
    EXPECT_EQ(finding.status(), v1::CHECK_STATUS_FAIL);
    EXPECT_EQ(finding.severity(), v1::SEVERITY_BLOCKS);
    hosts.push_back(finding.subject().host());
  }
  return hosts;
}

TEST(MissingNic, IsNamedBySlotWhereThreeHostsAgree) {
  AuditOf audit = Fleet({2, 2, 2, 2});
  TakeNic(audit.host(3), 1);
  const std::string slot = audit.host(0).pci(1).id().substr(4);
  const v1::AuditReport report = audit.Report();
  EXPECT_THAT(Only(report, kMissing).actual(), HasSubstr(slot));
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(MissingNic, IsNoneWhereTwoHostsAgree) {
  AuditOf audit = Fleet({2, 2, 1});
  EXPECT_THAT(HostsThatLackOne(audit), IsEmpty());
}

TEST(MissingNic, IsTheOnlyOneOfItsModelToo) {
  AuditOf audit = Fleet({2, 2, 2, 2});
  for (HostBuilder& host : audit.hosts) host.pci(1).set_device(0x101d);
  TakeNic(audit.host(1), 1);
  EXPECT_THAT(HostsThatLackOne(audit), ElementsAre("host2"));
}

TEST(MissingNic, OfSeveralHostsAreEachNamedWhereEachLacksAnother) {
  AuditOf audit = Fleet({2, 2, 2, 2, 2, 2, 2, 2});
  TakeNic(audit.host(0), 0);
  TakeNic(audit.host(1), 1);
  EXPECT_THAT(HostsThatLackOne(audit), ElementsAre("host1", "host2"));
  // Three that agree are too few for two that do not.
  AuditOf few = Fleet({2, 2, 2, 2, 2});
  TakeNic(few.host(0), 0);
  TakeNic(few.host(1), 1);
  EXPECT_THAT(HostsThatLackOne(few), IsEmpty());
}

TEST(HeterogeneousFleet, WithTwoHostsOfASmallerBuildLacksNothing) {
  AuditOf audit = Fleet({2, 2, 2, 2, 2, 2, 1, 1});
  EXPECT_THAT(HostsThatLackOne(audit), IsEmpty());
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY);
}

TEST(HeterogeneousFleet, WithAnotherMakeOrOtherGpusLacksNothing) {
  AuditOf other_slots = Fleet({2, 2, 2, 1});
  other_slots.host(3).pci(0).set_id("pci:0000:86:00.0");
  EXPECT_THAT(HostsThatLackOne(other_slots), IsEmpty());
  AuditOf other_model = Fleet({2, 2, 2, 1});
  other_model.host(3).pci(0).set_device(0x101d);
  EXPECT_THAT(HostsThatLackOne(other_model), IsEmpty());
  AuditOf storage = Fleet({2, 2, 2, 1});
  for (int i : {0, 1, 2}) storage.host(static_cast<size_t>(i)).facts().add_gpus();
  EXPECT_THAT(HostsThatLackOne(storage), IsEmpty());
}

TEST(HeterogeneousFleet, OfThreeBuildsGivesNoMeasureForAHostThatFitsTwo) {
  AuditOf audit = Fleet({3, 3, 3, 2, 2, 2, 1});
  EXPECT_THAT(HostsThatLackOne(audit), IsEmpty());
}

TEST(MissingNic, IsNotLookedForWhereTheJobNamesItsInterfaces) {
  AuditOf audit = Fleet({2, 2, 2, 1});
  audit.policy.job.add_interfaces(audit.host(0).rdma(0).name());
  EXPECT_THAT(HostsThatLackOne(audit), IsEmpty());
}

TEST(MissingNic, IsUnknownWhereTheBusWasNotRead) {
  AuditOf audit = Fleet({2, 2, 2, 2});
  *audit.host(3).facts().mutable_pci_scan() =
      builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_SYSFS);
  audit.host(3).facts().clear_pci_functions();
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(Only(report, kMissing).status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(Only(report, kMissing).reason(), HasSubstr("DENIED"));
}

}  // namespace
}  // namespace roceready::checks
