// SPDX-License-Identifier: Apache-2.0
#include "checks/report/fix.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <tuple>

#include "checks/report/layout.h"
#include "checks/report/report.h"
#include "tests/unit/checks/audit.h"
#include "tests/unit/checks/report/golden.h"

namespace roceready::report {
namespace {

using builders::HostBuilder;
using checks::AuditOf, checks::HealthyLab;
using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty, ::testing::Not;

const FixHeading kHeading{.of = "audit a1-7", .policy = "lossless-dscp"};

// Two hosts with one MTU, one with another device's name, PFC of two kinds, one host slow (words
// alone mend it), one without an address (a value is to be chosen), a switch port left at 1500, and
// a host that is silent.
v1::AuditReport SickReport() {
  AuditOf audit({HostBuilder("gpu1", 1), HostBuilder("gpu2", 2), HostBuilder("gpu3", 3),
                 HostBuilder("gpu4", 4)});
  audit.host(0).WithMtu(1500, 1024);
  audit.host(1).WithMtu(1500, 1024);
  audit.host(1).WithPfc({});
  audit.host(2).WithMtu(1500, 1024).WithPfc({3, 4});
  audit.host(2).net().set_name("ens7f0");
  audit.host(3).WithoutGids();
  audit.host(3).net().mutable_ethernet()->set_speed_mbps(25'000);
  builders::SwitchBuilder& leaf = audit.switches.emplace_back("leaf1", 4);
  leaf.port(1).set_mtu_bytes(1500);
  audit.With(
      {.host = "gpu9", .state = v1::HOST_STATE_MISSING, .state_reason = "not heard for 2 h"});
  return audit.Report();
}

FixPlan PlanOf(const v1::AuditReport& report, std::optional<size_t> number = std::nullopt) {
  auto plan = PlanFixes(report, number);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : FixPlan{};
}

// A report of one finding with this command, of this host.
v1::AuditReport ReportOf(const std::string& host, const std::string& command,
                         const std::string& name = "eth0") {
  v1::AuditReport report;
  v1::Finding& finding = *report.add_findings();
  finding.set_key("k");
  finding.set_check_id("mtu.netdev");
  finding.set_status(v1::CHECK_STATUS_FAIL);
  finding.set_severity(v1::SEVERITY_BLOCKS);
  finding.set_expected("MTU 9000");
  finding.set_actual("MTU 1500");
  finding.mutable_subject()->set_host(host);
  finding.mutable_subject()->set_label(host + " " + name);
  finding.mutable_fix()->set_text("Set it.");
  finding.mutable_fix()->set_command(command);
  finding.mutable_fix()->set_run_on(host);
  finding.mutable_fix()->set_survives_reboot(false);
  return report;
}

TEST(FixPlan, GroupsHostsByTheCommandTheyNeed) {
  const FixPlan plan = PlanOf(SickReport(), 2);

  ASSERT_EQ(plan.causes.size(), 1u);
  EXPECT_EQ(plan.causes[0].check_id, "mtu.netdev");
  ASSERT_EQ(plan.causes[0].steps.size(), 2u);
  EXPECT_EQ(plan.causes[0].steps[0].command, "ip link set dev eth0 mtu 9000");
  EXPECT_THAT(plan.causes[0].steps[0].targets, ElementsAre("gpu1", "gpu2"));
  EXPECT_EQ(plan.causes[0].steps[1].command, "ip link set dev ens7f0 mtu 9000");
  EXPECT_THAT(plan.causes[0].steps[1].targets, ElementsAre("gpu3"));
  EXPECT_THAT(plan.causes[0].by_hand, IsEmpty());
}

TEST(FixPlan, NumbersRootCausesAsTheTableDoes) {
  const v1::AuditReport report = SickReport();
  const std::string table = RenderTable(report);
  const FixPlan plan = PlanOf(report);
  for (const FixCause& cause : plan.causes) {
    EXPECT_THAT(table, HasSubstr(fmt::format(" {} {}", cause.number, cause.seen.substr(0, 20))));
    EXPECT_EQ(PlanOf(report, cause.number).causes.front().seen, cause.seen);
  }
}

TEST(FixPlan, KnowsNoNumberBeyondTheTable) {
  const auto none = PlanFixes(SickReport(), 99);

  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("number 99: this report has 1 to "));
  EXPECT_FALSE(PlanFixes(HealthyLab().Report(), 1).ok());
}

TEST(FixPlan, LeavesToAPersonWhatCannotBeRunAsItStands) {
  for (const auto& [host, command, why] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"gpu1", "", "no command mends this"},
           {"gpu1", "ip addr add <ADDRESS>/24 dev eth0",
            "the values between < and > are to be chosen"},
           {"gpu1", "ip link set dev 'e\x1b[2J' up", "characters that are not printable"},
           {"gpu1", "ip link set dev 'e\n' up", "characters that are not printable"},
           {"gpu1", "ip link set dev 'e\u202e' up", "characters that are not printable"},
           {"-oProxyCommand=x", "true", "name is not fit"},
           {"gpu1;reboot", "true", "name is not fit"},
           {"@all", "true", "name is not fit"},
           {"*", "true", "name is not fit"}}) {
    const FixPlan plan = PlanOf(ReportOf(host, command));
    EXPECT_FALSE(plan.HasSteps()) << host << " " << command;
    ASSERT_EQ(plan.causes.at(0).by_hand.size(), 1u);
    EXPECT_THAT(plan.causes[0].by_hand[0].why, HasSubstr(why));
    EXPECT_THAT(RenderFixClush(plan, kHeading), Not(HasSubstr("\nclush ")));
    EXPECT_THAT(RenderFixShell(plan, kHeading), Not(HasSubstr("run '")));
    EXPECT_TRUE(YAML::Load(RenderFixAnsible(plan, kHeading)).IsSequence());
  }
}

TEST(FixShell, RunsOnEachHostItsOwnLines) {
  EXPECT_EQ(RenderFixShell(PlanOf(SickReport()), kHeading), Golden("fix.sh"));
}

TEST(FixShell, TakesAHostsNameWithItsDomainWhereOneIsMeant) {
  EXPECT_THAT(RenderFixShell(PlanOf(ReportOf("gpu1.lab", "true")), kHeading),
              HasSubstr("case $host in\ngpu1.lab) ;;\n*) host=${host%%.*} ;;\nesac\n"));
  EXPECT_THAT(RenderFixShell(PlanOf(ReportOf("GPU1", "true")), kHeading),
              AllOf(HasSubstr("\nhost=${host%%.*}\n"), HasSubstr("case $host in\ngpu1)\n")));
}

TEST(FixShell, HasNothingButCommentsForAHealthyFleet) {
  const std::string script = RenderFixShell(PlanOf(HealthyLab().Report()), kHeading);

  EXPECT_THAT(script, HasSubstr("# There is nothing to mend.\n"));
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.empty() || line.starts_with('#')) << line;
  }
}

TEST(FixClush, HasALineForEachCommand) {
  EXPECT_EQ(RenderFixClush(PlanOf(SickReport()), kHeading), Golden("fix.clush"));
}

TEST(FixClush, FoldsHosts) {
  std::vector<HostBuilder> hosts;
  for (uint32_t i = 1; i <= 128; ++i) {
    hosts.emplace_back(fmt::format("gpu{:03}", i), i);
    hosts.back().WithPfc({});
  }
  const std::string script = RenderFixClush(PlanOf(AuditOf(hosts).Report()), kHeading);

  EXPECT_THAT(script,
              HasSubstr("\nclush -w 'gpu[001-128]' -- 'dcb pfc set dev eth0 prio-pfc 3:on'\n"));
}

TEST(FixAnsible, IsAPlaybook) {
  const std::string playbook = RenderFixAnsible(PlanOf(SickReport()), kHeading);
  EXPECT_EQ(playbook, Golden("fix.yaml"));

  const YAML::Node plays = YAML::Load(playbook);
  ASSERT_GT(plays.size(), 3u);
  EXPECT_EQ(plays[0]["hosts"].as<std::vector<std::string>>(),
            (std::vector<std::string>{"gpu1", "gpu2"}));
  EXPECT_EQ(plays[0]["tasks"][0]["ansible.builtin.shell"]["cmd"].as<std::string>(),
            "ip link set dev eth0 mtu 9000");
  for (const YAML::Node& play : plays) {
    EXPECT_TRUE(play["name"].IsScalar());
    EXPECT_TRUE(play["become"].as<bool>());
    EXPECT_GT(play["tasks"].size(), 0u);
  }
}

TEST(FixAnsible, KeepsCommandsWholeAndUnevaluated) {
  const std::string hard = "for p in np rp; do echo '1: #\"' > /x/'it'\\''s'; done";
  const YAML::Node plays = YAML::Load(RenderFixAnsible(PlanOf(ReportOf("gpu1", hard)), kHeading));
  EXPECT_EQ(plays[0]["tasks"][0]["ansible.builtin.shell"]["cmd"].as<std::string>(), hard);

  for (const std::string_view command : {"ip link set dev '{{ 7 * 7 }}' up", "echo '{% x %}'"}) {
    const YAML::Node none =
        YAML::Load(RenderFixAnsible(PlanOf(ReportOf("gpu1", std::string(command))), kHeading));
    EXPECT_EQ(none[0]["tasks"].size(), 0u);
  }
}

TEST(FixAnsible, TakesNoHostForAGroupOfAll) {
  const YAML::Node plays = YAML::Load(RenderFixAnsible(PlanOf(ReportOf("all", "true")), kHeading));

  EXPECT_EQ(plays[0]["hosts"].size(), 0u);
}

// A name or a word of a finding that would begin a line of its own in any of the formats.
TEST(Fix, LetsNoHostOutOfAComment) {
  for (const std::string_view end : {"\n", "\r", "\xc2\x85", "\u2028", "\u2029"}) {
    const std::string name = fmt::format("eth0{}reboot", end);
    const FixPlan plan = PlanOf(ReportOf("gpu1", "true", name));
    for (const std::string& text : {RenderFixShell(plan, kHeading), RenderFixClush(plan, kHeading),
                                    RenderFixAnsible(plan, kHeading)}) {
      EXPECT_THAT(text, Not(HasSubstr(std::string(end) + "reboot")));
      for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c <= 0x7e));
    }
  }
}

TEST(Fix, FitsTheScreenInItsComments) {
  const FixPlan plan = PlanOf(SickReport());
  for (const std::string& text : {RenderFixShell(plan, kHeading), RenderFixClush(plan, kHeading),
                                  RenderFixAnsible(plan, kHeading)}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(WidthOf(line), 80u) << line;
  }
}

}  // namespace
}  // namespace roceready::report
