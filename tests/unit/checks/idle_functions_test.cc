// SPDX-License-Identifier: Apache-2.0
// Virtual functions that a host keeps for its guests are none of its ports.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::Contains, ::testing::Not;

const char* const kSaid = "1 virtual function without an address, kept for guests";

// Its second rail is a virtual function without an address, of the first.
HostBuilder HostWithIdleFunction() {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.pci(1).set_physical_function_id(host.pci(0).id());
  host.net(1).mutable_addresses()->clear_addresses();
  host.port(1).mutable_gid_table()->mutable_gids()->RemoveLast();
  host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
  return host;
}

TEST(IdleVirtualFunction, IsNotJudgedAndSaidToBeLeftOut) {
  AuditOf audit({HostWithIdleFunction()});

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(report.verdict().coverage().ports_judged(), 1u);
  EXPECT_THAT(report.verdict().coverage().not_audited(), Contains(kSaid));
}

TEST(IdleVirtualFunction, IsNoneWithAnAddress) {
  HostBuilder host = HostWithIdleFunction();
  host.net(1).mutable_addresses()->add_addresses()->set_address("10.77.1.1");

  const v1::AuditReport report = AuditOf({host}).Report();

  EXPECT_EQ(Only(report, "gid.rocev2-ipv4").status(), v1::CHECK_STATUS_FAIL);
  EXPECT_THAT(report.verdict().coverage().not_audited(), Not(Contains(kSaid)));
}

TEST(IdleVirtualFunction, IsNoneWhereItsPhysicalFunctionIsNotSeen) {
  HostBuilder host = HostWithIdleFunction();
  host.pci(1).set_physical_function_id("pci:0000:99:00.0");

  EXPECT_EQ(AuditOf({host}).Report().verdict().coverage().ports_judged(), 2u);
}

TEST(IdleVirtualFunction, IsNoneThatTheJobNames) {
  AuditOf audit({HostWithIdleFunction()});
  audit.policy.job.add_interfaces("mlx5_1");

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(Only(report, "gid.rocev2-ipv4").status(), v1::CHECK_STATUS_FAIL);
}

TEST(IdleVirtualFunction, IsJudgedOnAHostThatHasNothingElse) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.MakeVirtual();
  host.net().mutable_addresses()->clear_addresses();
  host.port().mutable_gid_table()->mutable_gids()->RemoveLast();

  EXPECT_EQ(AuditOf({host}).Report().verdict().readiness(), v1::READINESS_NOT_READY);
}

}  // namespace
}  // namespace roceready::checks
