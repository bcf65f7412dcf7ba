// SPDX-License-Identifier: Apache-2.0
#include "checks/report/report.h"

#include <google/protobuf/util/json_util.h>

#include <sstream>

#include "checks/report/layout.h"
#include "tests/unit/checks/audit.h"
#include "tests/unit/checks/report/golden.h"
#include "tests/unit/checks/report/reports.h"

namespace roceready::report {
namespace {

using builders::HostBuilder;
using checks::AuditOf, checks::HealthyLab;
using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::Not;

TEST(Table, ShowsASickFleet) {
  EXPECT_EQ(RenderTable(SickReport(), {.took = "41 s"}), Golden("sick.txt"));
}

TEST(Table, ShowsAHealthyFleet) {
  EXPECT_EQ(RenderTable(HealthyReport(), {.took = "12 s"}), Golden("healthy.txt"));
}

// The stock maps of a switch, and a port that is left at 1500; a host that is plugged in there.
v1::AuditReport SwitchReport() {
  AuditOf audit = HealthyLab();
  builders::SwitchBuilder& leaf = audit.switches.emplace_back("leaf1", 6);
  leaf.WithDscp(26, 1);
  leaf.port(1).set_mtu_bytes(1500);
  leaf.port(5).clear_priority_groups();
  *audit.host(0).net().mutable_lldp() = leaf.HeardAt(1);
  return audit.Report();
}

TEST(Table, ShowsSwitchesBesideHosts) {
  EXPECT_EQ(RenderTable(SwitchReport()), Golden("switches.txt"));
}

TEST(Switches, AreShownWithWhatTheyAreSetTo) {
  v1::SwitchSummary summary;
  summary.set_name("leaf1");
  summary.set_hardware("Test-64x100G");
  summary.set_ports(64);
  summary.set_ports_in_service(60);
  summary.set_ports_with_qos(58);
  summary.add_pfc()->add_priorities(3);
  summary.mutable_pfc(0)->set_ports(58);
  v1::SwitchDscpAnswer& answer = *summary.add_dscps();
  answer.set_dscp(3);
  answer.set_ports(58);
  answer.set_traffic_class(3);
  answer.set_queue(3);
  answer.set_priority_group(3);
  answer.set_lossless(true);
  answer.set_marks_ecn(true);
  answer.set_ecn_min_bytes(1'048'576);
  answer.set_ecn_max_bytes(2'097'152);
  answer.set_ecn_max_percent(5);
  *summary.add_dscps() = answer;
  summary.mutable_dscps(1)->set_dscp(26);
  summary.mutable_dscps(1)->set_lossless(false);
  summary.mutable_dscps(1)->set_marks_ecn(false);
  google::protobuf::RepeatedPtrField<v1::SwitchSummary> summaries;
  *summaries.Add() = summary;

  EXPECT_EQ(RenderSwitches(summaries), Golden("switch_summary.txt"));
}

TEST(Table, FitsTheWidthInEveryLine) {
  for (const size_t width : {60u, 80u, 120u}) {
    std::istringstream lines(RenderTable(SickReport(), {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(WidthOf(line), width) << line;
  }
}

TEST(Table, FoldsHostsWithTheSameFindingIntoOneBlock) {
  AuditOf audit = HealthyLab();
  for (HostBuilder& host : audit.hosts) host.WithPfc({4});

  const std::string table = RenderTable(audit.Report());

  EXPECT_THAT(table, HasSubstr("x 1 PFC on priority 4"));
  EXPECT_THAT(table, HasSubstr("host[1-3] eth0 (rxe0)\n"));
  EXPECT_THAT(table, HasSubstr("fix     host[1-3]# dcb pfc set dev eth0 prio-pfc 3:on 4:off"));
  EXPECT_THAT(table, Not(HasSubstr("x 2")));
}

TEST(Table, PrintsEveryUnknownWithItsReason) {
  AuditOf audit = HealthyLab();
  *audit.host(1).net().mutable_dcb()->mutable_pfc()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_DCBNL, {}, "the answer is cut short");

  EXPECT_THAT(RenderTable(audit.Report()),
              HasSubstr("pfc.lossless-priority on host2: FAILED: the answer is cut short (dcb)\n"));
}

TEST(Table, PrintsWhatIsWaived) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({});
  v1::Waiver waiver;
  waiver.set_id("OPS-211");
  waiver.set_check_id("pfc.lossless-priority");
  waiver.set_hosts("host2");
  waiver.mutable_until()->set_seconds(checks::kNow.time_since_epoch() / std::chrono::seconds(1) +
                                      9);
  audit.policy.waivers.push_back(waiver);

  EXPECT_THAT(RenderTable(audit.Report()),
              HasSubstr("waived  pfc.lossless-priority on host2 eth0 (rxe0) (OPS-211)\n"));
}

TEST(Table, OfProbesAloneKeepsTheNumbersOfTheWholeReport) {
  v1::AuditReport report;
  const auto add = [&](const std::string& check, v1::Scope scope, v1::Severity severity) {
    v1::Finding& finding = *report.add_findings();
    finding.set_key(check);
    finding.set_check_id(check);
    finding.set_scope(scope);
    finding.set_status(v1::CHECK_STATUS_FAIL);
    finding.set_severity(severity);
    finding.mutable_subject()->set_host("gpu1");
    finding.set_actual(check + " is wrong");
    return &finding;
  };
  add("pfc.lossless-priority", v1::SCOPE_HOST, v1::SEVERITY_BLOCKS);
  add("mtu.netdev", v1::SCOPE_HOST, v1::SEVERITY_BLOCKS);
  // What probes show of a setting makes that setting theirs.
  add("probe.large-only", v1::SCOPE_PROBE, v1::SEVERITY_BLOCKS)->set_caused_by("mtu.netdev");
  add("probe.loss", v1::SCOPE_PROBE, v1::SEVERITY_DEGRADES);
  const std::string whole = RenderTable(report);
  const std::string probes = RenderTable(report, {.only_probes = true});
  for (const char* check : {"mtu.netdev is wrong", "probe.loss is wrong"}) {
    const size_t at = whole.find(check);
    ASSERT_NE(at, std::string::npos) << whole;
    // "x 2 mtu.netdev is wrong"
    EXPECT_THAT(probes, HasSubstr(whole.substr(at - 4, 4) + check));
  }
  EXPECT_THAT(whole, HasSubstr("pfc.lossless-priority is wrong"));
  EXPECT_THAT(probes, Not(HasSubstr("pfc.lossless-priority is wrong")));
  EXPECT_THAT(probes, HasSubstr("also    1 root cause in settings, that no probe shows: number "));
}

TEST(Table, ColoursOnlyWhenAsked) {
  EXPECT_THAT(RenderTable(SickReport()), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(RenderTable(SickReport(), {.color = true}), HasSubstr("\x1b[1;31mNOT READY\x1b[0m"));
}

TEST(Table, LetsNoHostMoveTheCursor) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({});
  audit.host(1).net().set_name("eth0\x1b[2J\n");

  EXPECT_THAT(RenderTable(audit.Report()), Not(HasSubstr("\x1b")));
}

TEST(Json, IsTheMessageWithNamesOfTheProto) {
  const v1::AuditReport report = SickReport();

  const std::string json = RenderJson(report);

  EXPECT_THAT(json, HasSubstr("\"check_id\": \"pfc.lossless-priority\""));
  v1::AuditReport back;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &back).ok());
  EXPECT_EQ(back.SerializeAsString(), report.SerializeAsString());
}

TEST(Checklist, HasEachCheckOnceAndFitsTheScreen) {
  std::istringstream lines(RenderChecks());
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(WidthOf(line), 80u) << line;
    // A title that is longer goes on below itself.
    if (!line.starts_with(' ')) ++count;
  }
  EXPECT_EQ(count, checks::Catalog().size());
  EXPECT_EQ(static_cast<size_t>(AllChecks().checks_size()), checks::Catalog().size());
}

TEST(Explain, SaysWhyHowAndFix) {
  EXPECT_EQ(RenderExplain(*checks::FindCheck("pfc.lossless-priority")), Golden("explain.txt"));
}

TEST(UnknownCheck, NamesItsNeighbours) {
  const absl::Status status = UnknownCheck("mtu.everything");

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(std::string(status.message()),
            "no check is called \"mtu.everything\"; there is mtu.netdev, mtu.rdma-active and "
            "mtu.peer-mismatch");
}

TEST(Wrap, BreaksBetweenWordsAndLeavesLongOnesWhole) {
  EXPECT_THAT(Wrap("aa bb  cc", 5), ElementsAre("aa bb", "cc"));
  EXPECT_THAT(Wrap("abcdefgh i", 4), ElementsAre("abcdefgh", "i"));
  EXPECT_THAT(Wrap("", 4), ElementsAre());
}

}  // namespace
}  // namespace roceready::report
