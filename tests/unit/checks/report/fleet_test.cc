// SPDX-License-Identifier: Apache-2.0
// The report that the product is for: a large fleet with a few faults, on one screen.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "checks/report/layout.h"
#include "checks/report/report.h"
#include "tests/unit/checks/audit.h"
#include "tests/unit/checks/report/golden.h"

namespace roceready::report {
namespace {

using builders::EndOf, builders::HostBuilder, builders::kLargeBytes, builders::ProbeBuilder;
using checks::AuditOf;

constexpr int kHosts = 128;
constexpr int kRails = 8;

// 128 hosts with 8 rails each, all probed in a ring on each rail. PFC is off on one rail of gpu017;
// gpu[040-047] were installed with an MTU of 1500; 1 % of what gpu088 sends to gpu089 on rail 5 is
// lost.
v1::AuditReport FleetReport() {
  std::vector<HostBuilder> hosts;
  for (uint32_t i = 1; i <= kHosts; ++i) {
    hosts.emplace_back(fmt::format("gpu{:03}", i), i, builders::Nic::kMlx5, kRails);
  }
  AuditOf audit(std::move(hosts));
  audit.host(16).WithPfc({}, 3);
  for (size_t host = 39; host < 47; ++host) {
    for (int rail = 0; rail < kRails; ++rail) audit.host(host).WithMtu(1500, 1024, rail);
  }
  std::vector<ProbeBuilder> probes;
  for (int rail = 0; rail < kRails; ++rail) {
    for (size_t host = 0; host < kHosts; ++host) {
      probes.emplace_back(EndOf(audit.host(host).facts(), rail),
                          EndOf(audit.host((host + 1) % kHosts).facts(), rail));
    }
  }
  probes[5 * kHosts + 87].Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                                 {.sent = 2600, .received = 200, .gaps = 0, .repeats = 26},
                                 {.sent = 200, .received = 2574, .gaps = 26, .duplicates = 9});
  for (ProbeBuilder& probe : probes) audit.Probed(probe);
  return audit.Report();
}

size_t LinesOf(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

TEST(Fleet, Of128HostsWithThreeFaultsFitsOneScreen) {
  const std::string table = RenderTable(FleetReport(), {.took = "41 s", .audit_id = "a1-7"});

  EXPECT_EQ(table, Golden("fleet.txt"));
  EXPECT_LE(LinesOf(table), 40u);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(WidthOf(line), 80u) << line;
}

TEST(Fleet, IsAsLongInColour) {
  const v1::AuditReport report = FleetReport();
  EXPECT_EQ(LinesOf(RenderTable(report, {.color = true})), LinesOf(RenderTable(report)));
}

TEST(Explain, OfEveryCheckFitsTheScreen) {
  for (const checks::Check& check : checks::Catalog()) {
    std::istringstream lines(RenderExplain(check));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(WidthOf(line), 80u) << check.id << ": " << line;
    }
  }
}

}  // namespace
}  // namespace roceready::report
