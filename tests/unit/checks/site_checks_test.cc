// SPDX-License-Identifier: Apache-2.0
// The checks that a site writes itself, judged: what passes, what fails, and that a fact which was
// not read never passes.
#include "checks/site_checks.h"

#include <set>

#include "checks/policy/loaded_policy.h"
#include "checks/site_facts.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::shared_ptr<const SiteRule> RuleOf(std::string_view rest) {
  const PolicyResult result = LoadPolicy(
      fmt::format("name: x\nsite_checks:\n- {{id: x, text: it matters here, {}}}\n", rest),
      "p.yaml", {});
  EXPECT_TRUE(result.ok()) << yaml::Render(result.problems);
  return result.ok() ? result.policy->ForAllHosts().site_checks.front() : nullptr;
}

// "PASS", "FAIL PATH=VALUE", "UNKNOWN PATH REASON" of each place.
std::vector<std::string> Judged(const builders::HostBuilder& given, std::string_view rest) {
  AuditOf audit({given});
  audit.policy = EffectivePolicy();
  audit.policy.site_checks = {RuleOf(rest)};
  const v1::AuditReport report = audit.Report();
  const v1::CheckTally tally = TallyOf(report, "site.x");
  std::vector<std::string> all(tally.pass(), "PASS");
  all.insert(all.end(), tally.not_applicable(), "NOT_APPLICABLE");
  for (const v1::Finding& finding : report.findings()) {
    if (finding.check_id() != "site.x") continue;
    const v1::Evidence& evidence = finding.evidence(0);
    all.push_back(finding.status() == v1::CHECK_STATUS_FAIL
                      ? fmt::format("FAIL {}={}", evidence.fact_path(), evidence.value())
                      : fmt::format("UNKNOWN {} {}", evidence.fact_path(), finding.reason()));
  }
  return all;
}

builders::HostBuilder LabHost(int rails = 1) { return {"host1", 1, builders::Nic::kLab, rails}; }

std::string Net(builders::HostBuilder& host, std::string_view rest, int rail = 0) {
  return fmt::format("net_devices[{}].{}", host.net(rail).id(), rest);
}

TEST(SiteCheck, PassesAndFailsByElement) {
  builders::HostBuilder host = LabHost(2);
  host.net(1).mutable_mtu()->set_mtu_bytes(1500);
  const std::string bad = "FAIL " + Net(host, "mtu.mtu_bytes", 1) + "=1500";

  EXPECT_THAT(Judged(host, "path: 'net_devices[].mtu.mtu_bytes', operator: at-least, value: 9000"),
              ElementsAre("PASS", bad));
  EXPECT_THAT(
      Judged(host, "path: 'net_devices[eth0].mtu.mtu_bytes', operator: at-least, value: 9000"),
      ElementsAre("PASS"));
  EXPECT_THAT(
      Judged(host, "path: 'net_devices[eth*].mtu.mtu_bytes', operator: at-least, value: 9000"),
      ElementsAre("PASS", bad));
  EXPECT_THAT(Judged(host, fmt::format("path: 'net_devices[{}].mtu.mtu_bytes', operator: equals, "
                                       "value: 9000",
                                       host.net(1).id())),
              ElementsAre(bad));
}

TEST(SiteCheck, JudgesSingleFacts) {
  builders::HostBuilder host = LabHost();
  EXPECT_THAT(Judged(host, "path: kernel.release, operator: matches, value: '6.1.*'"),
              ElementsAre("PASS"));
  EXPECT_THAT(Judged(host, "path: kernel.release, operator: at-least, value: '6.5'"),
              ElementsAre("FAIL kernel.release=6.1.0-57-amd64"));
  EXPECT_THAT(Judged(host,
                     "path: kernel.job_limits.memlock_unlimited, operator: equals, "
                     "value: false"),
              ElementsAre("FAIL kernel.job_limits.memlock_unlimited=true"));
  EXPECT_THAT(Judged(host,
                     "path: 'rdma_devices[].ports[1].state', operator: one-of, "
                     "values: [active, init]"),
              ElementsAre("PASS"));
}

TEST(SiteCheck, JudgesListsAsWholeAndByElement) {
  builders::HostBuilder host = LabHost();
  host.WithPfc({3, 5});
  const std::string list = "path: 'net_devices[].dcb.pfc.enabled_priorities";
  EXPECT_THAT(Judged(host, list + "', operator: contains, value: 5"), ElementsAre("PASS"));
  EXPECT_THAT(Judged(host, list + "', operator: contains, value: 4"),
              ElementsAre("FAIL " + Net(host, "dcb.pfc.enabled_priorities") + "=3, 5"));
  EXPECT_THAT(Judged(host, list + "[]', operator: at-most, value: 4"),
              ElementsAre("PASS", "FAIL " + Net(host, "dcb.pfc.enabled_priorities[1]") + "=5"));
  host.WithPfc({});
  EXPECT_THAT(Judged(host, list + "', operator: contains, value: 3"),
              ElementsAre("FAIL " + Net(host, "dcb.pfc.enabled_priorities") + "="));
  EXPECT_THAT(Judged(host, list + "[]', operator: at-most, value: 4"),
              ElementsAre("NOT_APPLICABLE"));
  EXPECT_THAT(Judged(host, list + "', operator: absent"), ElementsAre("PASS"));
}

// Every way in which a reading can end without an answer.
TEST(SiteCheck, NeverPassesWhatWasNotRead) {
  for (const v1::Outcome outcome :
       {v1::OUTCOME_UNSUPPORTED, v1::OUTCOME_DENIED, v1::OUTCOME_ABSENT, v1::OUTCOME_FAILED,
        v1::OUTCOME_TIMED_OUT, v1::OUTCOME_SKIPPED, v1::OUTCOME_UNSPECIFIED}) {
    SCOPED_TRACE(v1::Outcome_Name(outcome));
    builders::HostBuilder host = LabHost();
    // A value that an answer of another outcome holds is none.
    host.net().mutable_mtu()->mutable_reading()->set_outcome(outcome);
    for (const char* rest : {"equals, value: 9000", "differs, value: 1", "at-least, value: 1",
                             "at-most, value: 60000", "one-of, values: [9000]"}) {
      const auto judged =
          Judged(host, fmt::format("path: 'net_devices[].mtu.mtu_bytes', operator: {}", rest));
      ASSERT_EQ(judged.size(), 1u);
      EXPECT_THAT(judged[0], HasSubstr("UNKNOWN " + Net(host, "mtu.mtu_bytes") + " ")) << rest;
    }
  }
}

TEST(SiteCheck, DoesNotPassAValueThatTheAnswerDoesNotHold) {
  builders::HostBuilder host = LabHost();
  host.net().mutable_mtu()->clear_mtu_bytes();
  EXPECT_THAT(Judged(host, "path: 'net_devices[].mtu.mtu_bytes', operator: differs, value: 1500"),
              ElementsAre("UNKNOWN " + Net(host, "mtu.mtu_bytes") +
                          " the answer does not hold this value"));
}

TEST(SiteCheck, DoesNotPassAGroupThatWasNotCollected) {
  builders::HostBuilder host = LabHost();
  host.net().clear_mtu();
  for (const char* rest : {"differs, value: 1500", "exists", "absent"}) {
    EXPECT_THAT(
        Judged(host, fmt::format("path: 'net_devices[].mtu.mtu_bytes', operator: {}", rest)),
        ElementsAre("UNKNOWN " + Net(host, "mtu.mtu_bytes") +
                    " NOT_COLLECTED: this agent does not read it"));
  }
}

TEST(SiteCheck, KnowsWhatIsThere) {
  builders::HostBuilder host = LabHost();
  const std::string path = "path: 'net_devices[].mtu.mtu_bytes', operator: ";
  EXPECT_THAT(Judged(host, path + "exists"), ElementsAre("PASS"));
  EXPECT_THAT(Judged(host, path + "absent"),
              ElementsAre("FAIL " + Net(host, "mtu.mtu_bytes") + "=9000"));
  host.net().mutable_mtu()->clear_mtu_bytes();
  EXPECT_THAT(Judged(host, path + "exists"),
              ElementsAre("FAIL " + Net(host, "mtu.mtu_bytes") + "="));
  EXPECT_THAT(Judged(host, path + "absent"), ElementsAre("PASS"));
  // The interface exists, the object does not: that is an answer.
  host.net().mutable_mtu()->mutable_reading()->set_outcome(v1::OUTCOME_ABSENT);
  EXPECT_THAT(Judged(host, path + "exists"),
              ElementsAre("FAIL " + Net(host, "mtu.mtu_bytes") + "="));
  EXPECT_THAT(Judged(host, path + "absent"), ElementsAre("PASS"));
  for (const v1::Outcome outcome :
       {v1::OUTCOME_UNSUPPORTED, v1::OUTCOME_DENIED, v1::OUTCOME_FAILED, v1::OUTCOME_TIMED_OUT,
        v1::OUTCOME_SKIPPED, v1::OUTCOME_UNSPECIFIED}) {
    host.net().mutable_mtu()->mutable_reading()->set_outcome(outcome);
    for (const char* word : {"exists", "absent"}) {
      EXPECT_THAT(Judged(host, path + word), ElementsAre(HasSubstr("UNKNOWN")));
    }
  }
}

TEST(SiteCheck, KnowsWhichElementsAreThere) {
  builders::HostBuilder host = LabHost();
  EXPECT_THAT(Judged(host, "path: 'net_devices[eth0]', operator: exists"), ElementsAre("PASS"));
  EXPECT_THAT(Judged(host, "path: 'net_devices[bond0]', operator: exists"),
              ElementsAre("FAIL net_devices="));
  EXPECT_THAT(Judged(host, "path: 'net_devices[bond0]', operator: absent"), ElementsAre("PASS"));
  EXPECT_THAT(Judged(host, "path: 'kernel.modules[rdma_rxe]', operator: absent"),
              ElementsAre("FAIL kernel.modules=rdma_rxe"));
  EXPECT_THAT(Judged(host, "path: 'kernel.modules[nvidia_peermem]', operator: exists"),
              ElementsAre("FAIL kernel.modules="));
  host.facts().mutable_kernel()->mutable_reading()->set_outcome(v1::OUTCOME_DENIED);
  for (const char* word : {"exists", "absent"}) {
    EXPECT_THAT(
        Judged(host, fmt::format("path: 'kernel.modules[nvidia_peermem]', operator: {}", word)),
        ElementsAre("UNKNOWN kernel.modules DENIED (procfs)"));
  }
}

TEST(SiteCheck, TellsAnEmptyListFromOneThatWasNotRead) {
  const std::string rest = "path: 'net_devices[].mtu.mtu_bytes', operator: equals, value: 9000";
  builders::HostBuilder host = LabHost();
  host.facts().clear_net_devices();
  EXPECT_THAT(Judged(host, rest), ElementsAre("NOT_APPLICABLE"));
  host.facts().mutable_net_scan()->set_outcome(v1::OUTCOME_TIMED_OUT);
  EXPECT_THAT(Judged(host, rest), ElementsAre(HasSubstr("UNKNOWN net_devices TIMED_OUT")));
  host.facts().clear_net_scan();
  EXPECT_THAT(Judged(host, rest), ElementsAre(HasSubstr("UNKNOWN net_devices NOT_COLLECTED")));
}

TEST(SiteCheck, DoesNotTakeAPartOfAListForTheWhole) {
  builders::HostBuilder host = LabHost();
  host.facts().mutable_net_scan()->set_outcome(v1::OUTCOME_TIMED_OUT);
  EXPECT_THAT(Judged(host, "path: 'net_devices[].mtu.mtu_bytes', operator: equals, value: 9000"),
              ElementsAre("PASS", HasSubstr("UNKNOWN net_devices TIMED_OUT")));
  EXPECT_THAT(Judged(host, "path: 'net_devices[eth1]', operator: absent"),
              ElementsAre(HasSubstr("UNKNOWN net_devices TIMED_OUT")));
}

TEST(SiteCheck, LeavesOutDevicesOfAnotherKind) {
  builders::HostBuilder host = LabHost();
  ASSERT_FALSE(host.net().has_bond());
  const std::string path = "path: 'net_devices[].bond.mode', operator: ";
  EXPECT_THAT(Judged(host, path + "equals, value: 802.3ad"), ElementsAre("NOT_APPLICABLE"));
  EXPECT_THAT(Judged(host, path + "absent"), ElementsAre("PASS"));
  EXPECT_THAT(Judged(host, path + "exists"), ElementsAre(HasSubstr("FAIL")));
  host.net().mutable_link()->mutable_reading()->set_outcome(v1::OUTCOME_TIMED_OUT);
  EXPECT_THAT(Judged(host, path + "equals, value: 802.3ad"), ElementsAre(HasSubstr("UNKNOWN")));
}

TEST(SiteCheck, ReadsEachFactByItsOwnReading) {
  builders::HostBuilder host = LabHost();
  v1::Ethernet& ethernet = *host.net().mutable_ethernet();
  ethernet.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  ethernet.clear_fec_active();
  ethernet.mutable_fec_reading()->set_outcome(v1::OUTCOME_DENIED);
  EXPECT_THAT(Judged(host, "path: 'net_devices[].ethernet.fec_active', operator: absent"),
              ElementsAre("UNKNOWN " + Net(host, "ethernet.fec_active") + " DENIED"));
}

TEST(SiteCheck, CannotCompareWhatIsNoVersion) {
  builders::HostBuilder host = LabHost();
  host.rdma().set_firmware("unreleased");
  EXPECT_THAT(Judged(host, "path: 'rdma_devices[].firmware', operator: at-least, value: '28.1'"),
              ElementsAre(HasSubstr("unreleased is no version that could be compared with 28.1")));
}

TEST(SiteCheckFinding, SaysWhoseFactItIs) {
  builders::HostBuilder host = LabHost();
  AuditOf audit({host});
  audit.policy.site_checks = {
      RuleOf("path: 'rdma_devices[].ports[].gid_table.gids[].index', operator: at-most, value: 0, "
             "fix: give it fewer addresses, severity: blocks")};
  audit.policy.sources["site_checks.x"] = "p.yaml:3";

  const v1::AuditReport report = audit.Report();
  const v1::Finding& finding = Only(report, "site.x");

  EXPECT_EQ(finding.subject().host(), "host1");
  EXPECT_EQ(finding.subject().device_id(), host.rdma().id());
  EXPECT_EQ(finding.subject().port(), 1u);
  EXPECT_EQ(finding.subject().group(), "gid_table.gids[1].index");
  EXPECT_EQ(finding.subject().label(), "host1 rxe0 port 1 gid_table.gids[1].index");
  EXPECT_EQ(finding.expected(), "index at most 0");
  EXPECT_EQ(finding.actual(), "index is 1: it matters here");
  EXPECT_EQ(finding.fix().text(), "give it fewer addresses");
  EXPECT_EQ(finding.policy_source(), "p.yaml:3");
  EXPECT_EQ(finding.severity(), v1::SEVERITY_BLOCKS);
  EXPECT_EQ(finding.scope(), v1::SCOPE_HOST);
}

AuditOf OneBadMtu(std::string_view more = "") {
  AuditOf audit = HealthyLab();
  audit.policy.intent.clear_mtu_bytes();
  audit.policy.checks["mtu.peer-mismatch"].enabled = false;
  audit.policy.site_checks = {RuleOf(
      fmt::format("path: 'net_devices[].mtu.mtu_bytes', operator: equals, value: 9000{}", more))};
  audit.host(1).net().mutable_mtu()->set_mtu_bytes(9100);
  return audit;
}

TEST(SiteCheckFinding, IsAdviceUnlessTheSiteSaysOtherwise) {
  EXPECT_EQ(OneBadMtu().Report().verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(OneBadMtu().Report().verdict().advice(), 1u);
  EXPECT_EQ(OneBadMtu(", severity: blocks").Report().verdict().readiness(),
            v1::READINESS_NOT_READY);
  AuditOf settled = OneBadMtu();
  settled.policy.checks["site.x"].severity = v1::SEVERITY_BLOCKS;
  EXPECT_EQ(settled.Report().verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(SiteCheckFinding, MayBeWaivedAndSwitchedOff) {
  AuditOf waived = OneBadMtu(", severity: blocks");
  v1::Waiver& waiver = waived.policy.waivers.emplace_back();
  waiver.set_id("OPS-1");
  waiver.set_check_id("site.x");
  waiver.mutable_until()->set_seconds(4'000'000'000);
  const v1::AuditReport report = waived.Report();
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(TallyOf(report, "site.x").waived(), 1u);

  AuditOf off = OneBadMtu(", severity: blocks");
  off.policy.checks["site.x"].enabled = false;
  EXPECT_EQ(Find(off.Report(), "site.x"), nullptr);
  EXPECT_EQ(TallyOf(off.Report(), "site.x").evaluated(), 0u);
}

TEST(SiteCheckFinding, MakesTheVerdictUndeterminedWhereItMustBeKnown) {
  for (const auto& [more, readiness] :
       {std::pair("", v1::READINESS_READY),
        std::pair(", on_unknown: block", v1::READINESS_UNDETERMINED)}) {
    AuditOf audit = OneBadMtu(more);
    audit.policy.intent.clear_rdma_mtu_bytes();
    audit.host(1).net().mutable_mtu()->mutable_reading()->set_outcome(v1::OUTCOME_DENIED);
    const v1::AuditReport report = audit.Report();
    EXPECT_EQ(report.verdict().readiness(), readiness);
    const auto& unseen = report.verdict().coverage().not_audited();
    EXPECT_EQ(std::ranges::count(unseen, "site.x on 1 of 3"),
              readiness == v1::READINESS_READY ? 1 : 0);
  }
}

TEST(SiteCheckFinding, ComesBehindTheCataloguesAndInOneOrder) {
  AuditOf audit = HealthyLab();
  audit.host(0).WithMtu(1500, 1024);
  for (const char* id : {"b", "a"}) {
    const PolicyResult result =
        LoadPolicy(fmt::format("name: x\nsite_checks:\n- {{id: {}, text: t, severity: blocks, "
                               "path: kernel.release, operator: equals, value: '7'}}\n",
                               id),
                   "p.yaml", {});
    audit.policy.site_checks.push_back(result.policy->ForAllHosts().site_checks.front());
  }
  const std::vector<std::string> roots = RootsOf(audit.Report());
  EXPECT_THAT(std::vector(roots.end() - 6, roots.end()),
              ElementsAre("FAIL site.a host1", "FAIL site.a host2", "FAIL site.a host3",
                          "FAIL site.b host1", "FAIL site.b host2", "FAIL site.b host3"));
  EXPECT_THAT(std::vector(roots.begin(), roots.end() - 6), Contains("FAIL mtu.netdev host1"));
}

// A fact that another reading than its message's own tells of would be judged by the wrong one.
TEST(SiteFacts, KnowEveryReadingThatStandsBesideOthers) {
  std::set<const google::protobuf::FieldDescriptor*> known;
  std::set<const google::protobuf::Descriptor*> seen;
  std::vector<std::string> forgotten;
  const auto visit = [&](auto& self, const google::protobuf::Descriptor& type) -> void {
    if (!seen.insert(&type).second) return;
    for (int i = 0; i < type.field_count(); ++i) {
      known.insert(ReadingOfField(*type.field(i)));
      if (type.field(i)->message_type() != nullptr) self(self, *type.field(i)->message_type());
    }
  };
  visit(visit, *v1::HostFacts::descriptor());
  for (const google::protobuf::Descriptor* type : seen) {
    for (int i = 0; i < type->field_count(); ++i) {
      const auto& field = *type->field(i);
      if (field.message_type() != v1::Reading::descriptor() || field.name() == "reading") continue;
      if (!known.contains(&field)) forgotten.push_back(field.full_name());
    }
  }
  EXPECT_THAT(forgotten, IsEmpty());
}

TEST(SiteFacts, TellElementsOfOneNameApart) {
  v1::HostFacts facts;
  facts.mutable_neighbours()->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  for (const char* device : {"a", "b"}) {
    v1::Neighbour& neighbour = *facts.mutable_neighbours()->add_neighbours();
    neighbour.set_net_device_id(device);
    neighbour.set_address("fe80::1");
    neighbour.set_state("failed");
  }
  const auto rule =
      RuleOf("path: 'neighbours.neighbours[].state', operator: differs, value: failed");
  std::vector<std::string> paths;
  for (const SiteFact& fact : FactsAt(facts, "h", rule->path)) paths.push_back(fact.path);
  EXPECT_THAT(paths, ElementsAre("neighbours.neighbours[fe80::1#0].state",
                                 "neighbours.neighbours[fe80::1#1].state"));
}

TEST(ExplainSiteCheck, SaysWhatIsJudged) {
  const auto rule = RuleOf("path: 'net_devices[].mtu.mtu_bytes', operator: at-least, value: 9000");
  EXPECT_EQ(HowOf(*rule),
            "net_devices[].mtu.mtu_bytes must be at least 9000. Judged at each place that the path "
            "leads to; a value that was not read is UNKNOWN.");
  const Check check = CheckOf(*rule);
  EXPECT_EQ(check.id, "site.x");
  EXPECT_EQ(check.title, "it matters here");
  EXPECT_EQ(check.severity, v1::SEVERITY_ADVICE);
}

}  // namespace
}  // namespace roceready::checks
