// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/report/report.h"
#include "tests/unit/checks/report/golden.h"
#include "tests/unit/checks/report/reports.h"

namespace roceready::report {
namespace {

using ::testing::HasSubstr, ::testing::StartsWith;

v1::Verdict VerdictOf(v1::Readiness readiness, uint32_t degrading = 0, uint32_t advice = 0) {
  v1::Verdict verdict;
  verdict.set_readiness(readiness);
  verdict.set_degrading(degrading);
  verdict.set_advice(advice);
  return verdict;
}

TEST(Nagios, ShowsASickFleetInOneLine) {
  EXPECT_EQ(RenderNagios(SickReport()), Golden("sick.nagios"));
}

TEST(Nagios, ShowsAHealthyFleetInOneLine) {
  EXPECT_EQ(RenderNagios(HealthyReport()), Golden("healthy.nagios"));
}

TEST(Nagios, HasAStateForEachVerdict) {
  EXPECT_EQ(NagiosStateOf(VerdictOf(v1::READINESS_READY)), NagiosState::kOk);
  EXPECT_EQ(NagiosStateOf(VerdictOf(v1::READINESS_READY, 1)), NagiosState::kWarning);
  EXPECT_EQ(NagiosStateOf(VerdictOf(v1::READINESS_NOT_READY, 1)), NagiosState::kCritical);
  EXPECT_EQ(NagiosStateOf(VerdictOf(v1::READINESS_UNDETERMINED)), NagiosState::kUnknown);
  EXPECT_EQ(NagiosStateOf(v1::Verdict()), NagiosState::kUnknown);
}

TEST(Nagios, WarnsOfAdviceOnlyWhereAsked) {
  const v1::Verdict advice = VerdictOf(v1::READINESS_READY, 0, 2);
  EXPECT_EQ(NagiosStateOf(advice), NagiosState::kOk);
  EXPECT_EQ(NagiosStateOf(advice, {.advice_warns = true}), NagiosState::kWarning);
}

TEST(Nagios, CallsAnAuditThatDidNotEndUnknown) {
  const NagiosOptions options{.unfinished = "the audit did not end: interrupted"};
  EXPECT_EQ(NagiosStateOf(VerdictOf(v1::READINESS_READY), options), NagiosState::kUnknown);
  EXPECT_THAT(RenderNagios(HealthyReport(), options),
              StartsWith("ROCEREADY UNKNOWN - the audit did not end: interrupted; READY: 3 hosts"));
}

TEST(Nagios, LetsNoTextBeginALineOrThePerformanceData) {
  v1::AuditReport report = SickReport();
  for (v1::Finding& finding : *report.mutable_findings()) {
    finding.set_actual("a|b\nc");
    finding.set_reason("d|e\rf");
  }
  const std::string line = RenderNagios(report);

  EXPECT_EQ(std::ranges::count(line, '|'), 1);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(RenderNagiosError("no | controller\n"), "ROCEREADY UNKNOWN - no / controller \n");
}

}  // namespace
}  // namespace roceready::report
