// SPDX-License-Identifier: Apache-2.0
// What was not read is told by the outcome of that reading, and never taken for another value.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::HasSubstr;

TEST(PcieChecks, OfABusThatMayNotBeReadSayDenied) {
  AuditOf audit({HostBuilder("host1", 1, Nic::kMlx5)});
  v1::HostFacts& facts = audit.host().facts();
  *facts.mutable_pci_scan() = builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_SYSFS);
  facts.clear_pci_functions();
  const v1::AuditReport report = audit.Report();
  int pcie = 0;
  for (const v1::Finding& finding : report.findings()) {
    if (!finding.check_id().starts_with("pcie.") || finding.check_id() == "pcie.errors") continue;
    ++pcie;
    EXPECT_EQ(finding.status(), v1::CHECK_STATUS_UNKNOWN);
    EXPECT_THAT(finding.reason(), HasSubstr("DENIED")) << finding.check_id();
  }
  EXPECT_GE(pcie, 3);
}

class DriverBuilds : public ::testing::Test {
 protected:
  v1::KernelModule& module(size_t host) {
    return *audit.host(host).facts().mutable_kernel()->mutable_modules(0);
  }

  AuditOf audit{{HostBuilder("host1", 1, Nic::kMlx5), HostBuilder("host2", 2, Nic::kMlx5),
                 HostBuilder("host3", 3, Nic::kMlx5)}};
};

TEST_F(DriverBuilds, AreTheSameWhereAVersionWasNotRead) {
  for (size_t host : {0, 1, 2}) module(host).set_version("24.10-0.7.0");
  module(1).clear_version();
  EXPECT_EQ(Find(audit.Report(), "driver.odd-one-out"), nullptr);
}

TEST_F(DriverBuilds, AreUnknownWhereTheSourceVersionWasNotRead) {
  for (size_t host : {0, 1, 2}) module(host).set_version("24.10-0.7.0");
  module(1).clear_srcversion();
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(Only(report, "driver.odd-one-out").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(Only(report, "driver.odd-one-out").subject().host(), "host2");
}

TEST_F(DriverBuilds, DifferWhereTheSourceVersionsDo) {
  for (size_t host : {0, 1, 2}) module(host).set_version("24.10-0.7.0");
  module(1).set_srcversion("0123456789ABCDEF0123456");
  module(1).clear_version();
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(Only(report, "driver.odd-one-out").status(), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(Only(report, "driver.odd-one-out").subject().host(), "host2");
}

}  // namespace
}  // namespace roceready::checks
