// SPDX-License-Identifier: Apache-2.0
// Switches beside hosts: what is judged, what is joined, and what is only said not to be known.
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

// It needs gtest before it.
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>

#include "checks/switch/chain.h"
#include "checks/switch/summary.h"
#include "checks/switch/switch_set.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::SwitchBuilder;
using ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty,
    ::testing::Not;

// A switch alone, under the policy of FullFleet.
v1::AuditReport JudgeAlone(const SwitchBuilder& one, const EffectivePolicy& policy) {
  const SwitchSet set({{.facts = &one.facts(), .age = {}, .policy = &policy}});
  FleetInput fleet;
  fleet.policy = &policy;
  fleet.switches = &set;
  fleet.now = kNow;
  return Conclude({}, fleet);
}

EffectivePolicy SwitchPolicy() { return FullFleet().audit.policy; }

std::vector<std::string> NotAudited(const v1::AuditReport& report) {
  const auto& list = report.verdict().coverage().not_audited();
  return {list.begin(), list.end()};
}

TEST(Switches, AreNotAuditedWhereNoneIsGiven) {
  AuditOf audit = HealthyLab();

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(NotAudited(report), Contains(HasSubstr("switch settings (not audited")));
  for (const v1::CheckTally& tally : report.verdict().tallies()) {
    EXPECT_FALSE(tally.check_id().starts_with("switch.")) << tally.check_id();
  }
}

TEST(Switches, AreReadyAloneWhereAllIsRight) {
  const v1::AuditReport report = JudgeAlone(SwitchBuilder("leaf1", 2), SwitchPolicy());

  EXPECT_THAT(report.findings(), IsEmpty());
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(report.verdict().coverage().switches_judged(), 1u);
  EXPECT_EQ(report.verdict().coverage().switch_ports_judged(), 2u);
}

TEST(Switches, WithNoPortInServiceAreUndetermined) {
  SwitchBuilder leaf("leaf1");
  leaf.port().set_admin_up(false);

  EXPECT_EQ(JudgeAlone(leaf, SwitchPolicy()).verdict().readiness(), v1::READINESS_UNDETERMINED);
}

TEST(Switches, AreJudgedAtExternalPortsThatAreUpAndNotIgnored) {
  SwitchBuilder leaf("leaf1", 5);
  leaf.port(1).set_admin_up(false);
  leaf.port(2).set_role("Rec");
  EffectivePolicy policy = SwitchPolicy();
  policy.switches.add_ignored_ports("leaf*:*t12");

  const SwitchInput input{.facts = &leaf.facts(), .age = {}, .policy = &policy};
  const SwitchView view(input);

  std::vector<std::string> names;
  for (const v1::SwitchPort* port : view.ports()) names.push_back(port->name());
  EXPECT_THAT(names, ElementsAre("Ethernet0", "Ethernet16"));
}

TEST(Switches, BlockAnAuditOfHostsWithoutBlamingAHost) {
  FullFleet fleet;
  fleet.audit.switches[0].port(1).set_mtu_bytes(1500);

  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_THAT(report.verdict().hosts_blocked(), IsEmpty());
}

TEST(Switches, CanBeWaivedByTheirName) {
  FullFleet fleet;
  fleet.audit.switches[0].port(1).set_mtu_bytes(1500);
  v1::Waiver& waiver = fleet.audit.policy.waivers.emplace_back();
  waiver.set_id("leaf1-mtu");
  waiver.set_check_id("switch.mtu");
  waiver.mutable_until()->set_seconds(4'000'000'000);

  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(Only(report, "switch.mtu").waived_by(), "leaf1-mtu");
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
}

TEST(Switches, NameTheRowAFindingRestsOnAndTheCommandThatMendsIt) {
  FullFleet fleet;
  fleet.audit.switches[0].WithPfc({}, 1);

  const v1::AuditReport report = fleet.Report();
  const v1::Finding& finding = Only(report, "switch.pfc-lossless");

  EXPECT_EQ(finding.subject().label(), "leaf1 Ethernet4");
  EXPECT_EQ(finding.key(), "switch.pfc-lossless switch=leaf1 switch-port=Ethernet4");
  EXPECT_EQ(finding.evidence(0).fact_path(), "ports[Ethernet4].qos.pfc.enabled_priorities");
  EXPECT_THAT(finding.evidence(0).reading().locator(), HasSubstr("PORT_QOS_MAP|Ethernet4"));
  EXPECT_EQ(finding.evidence(0).age().seconds(), 180);
  EXPECT_EQ(finding.fix().command(), "config interface pfc priority Ethernet4 3 on");
  EXPECT_EQ(finding.fix().run_on(), "leaf1");
}

TEST(Switches, OfAnotherKindGetNoSonicCommand) {
  SwitchBuilder leaf("leaf1");
  leaf.WithPfc({}).facts().mutable_identity()->clear_system();

  const v1::AuditReport report = JudgeAlone(leaf, SwitchPolicy());

  EXPECT_EQ(Only(report, "switch.pfc-lossless").fix().command(), "");
  EXPECT_NE(Only(report, "switch.pfc-lossless").fix().text(), "");
}

TEST(Switches, WithoutMapsAreUnknownWhereTheSourceIsNotTheWholeConfiguration) {
  SwitchBuilder leaf("leaf1");
  leaf.facts().set_complete(false);
  leaf.facts().clear_maps();

  const v1::AuditReport report = JudgeAlone(leaf, SwitchPolicy());

  EXPECT_THAT(RootsOf(report), Contains("UNKNOWN switch.roce-class leaf1"));
  EXPECT_THAT(RootsOf(report), Not(Contains(HasSubstr("FAIL"))));
}

TEST(Switches, HaveAnUnknownWatchdogWhereItIsNotKnownWhetherTheyHavePfc) {
  SwitchBuilder leaf("leaf1");
  leaf.port().mutable_qos()->clear_pfc();
  *leaf.port().mutable_qos()->mutable_pfc()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_SWITCH_CONFIG, {}, "cut short");

  const v1::AuditReport report = JudgeAlone(leaf, SwitchPolicy());

  const v1::Finding& finding = Only(report, "switch.pfc-watchdog");
  EXPECT_EQ(finding.status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(finding.reason(), HasSubstr("cut short"));
  EXPECT_EQ(TallyOf(report, "switch.pfc-watchdog").not_applicable(), 0u);
}

TEST(Switches, FollowThePcpWhereThePolicyTrustsIt) {
  SwitchBuilder leaf("leaf1");
  v1::SwitchMap& map = *leaf.facts().add_maps();
  map.set_kind(v1::SWITCH_MAP_KIND_PCP_TO_TC);
  map.set_name("PCP");
  *map.mutable_reading() = leaf.port().reading();
  map.add_entries()->set_from(3);
  map.mutable_entries(0)->set_to(3);
  EffectivePolicy policy = SwitchPolicy();
  policy.intent.set_trust("pcp");
  policy.intent.set_roce_pcp(3);

  // The port does not use the map yet.
  EXPECT_THAT(RootsOf(JudgeAlone(leaf, policy)), Contains("FAIL switch.roce-class leaf1"));
  v1::SwitchMapUse& use = *leaf.port().mutable_qos()->add_maps();
  use.set_kind(v1::SWITCH_MAP_KIND_PCP_TO_TC);
  use.set_map_name("PCP");
  EXPECT_THAT(RootsOf(JudgeAlone(leaf, policy)), IsEmpty());
}

TEST(Switches, UseTheSwitchWideMapWhereThePortNamesNone) {
  SwitchBuilder leaf("leaf1");
  auto& maps = *leaf.port().mutable_qos()->mutable_maps();
  *leaf.facts().add_default_maps() = maps[0];
  maps.erase(maps.begin());

  EXPECT_THAT(RootsOf(JudgeAlone(leaf, SwitchPolicy())), IsEmpty());
}

TEST(Switches, ThatPauseByAnotherPriorityThanTheGroupsNumberAreFollowed) {
  SwitchBuilder leaf("leaf1");
  v1::SwitchMap& map = *leaf.facts().add_maps();
  map.set_kind(v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_PRIORITY_GROUP);
  map.set_name("SHIFTED");
  *map.mutable_reading() = leaf.port().reading();
  map.add_entries()->set_from(4);
  map.mutable_entries(0)->set_to(3);
  v1::SwitchMapUse& use = *leaf.port().mutable_qos()->add_maps();
  use.set_kind(map.kind());
  use.set_map_name(map.name());

  const v1::AuditReport report = JudgeAlone(leaf, SwitchPolicy());

  EXPECT_THAT(Only(report, "switch.roce-class").actual(),
              HasSubstr("PFC would be sent for priority 4"));
}

TEST(Switches, SayOfALossyFabricNothingAboutLosslessClasses) {
  EffectivePolicy policy = SwitchPolicy();
  policy.intent.clear_lossless_priorities();
  policy.intent.set_congestion_control("nic");
  SwitchBuilder leaf("leaf1");
  leaf.WithPfc({});

  EXPECT_THAT(RootsOf(JudgeAlone(leaf, policy)), IsEmpty());
}

// Switches alone that were imported so long ago.
std::vector<std::string> NotAuditedAtAges(const std::map<std::string, Age>& ages) {
  const EffectivePolicy policy = SwitchPolicy();
  std::deque<SwitchBuilder> switches;
  std::vector<SwitchInput> inputs;
  for (const auto& [name, age] : ages) {
    inputs.push_back(
        {.facts = &switches.emplace_back(name).facts(), .age = age, .policy = &policy});
  }
  const SwitchSet set(inputs);
  FleetInput fleet;
  fleet.policy = &policy;
  fleet.switches = &set;
  const v1::AuditReport report = Conclude({}, fleet);
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(report.verdict().coverage().switches_judged(), ages.size());
  return NotAudited(report);
}

TEST(Switches, OfWhichTheConfigurationIsOldAreJudgedAndTheReportSaysSo) {
  EXPECT_THAT(NotAuditedAtAges({{"leaf1", std::chrono::hours(9 * 24 + 3)}}),
              Contains("what was set since on leaf1: leaf1's configuration is 9 days old"));
  EXPECT_THAT(NotAuditedAtAges({{"leaf1", std::chrono::hours(25)}}),
              Contains(HasSubstr("leaf1's configuration is 25 hours old")));
  EXPECT_THAT(NotAuditedAtAges({{"leaf1", std::chrono::hours(24)}}),
              Not(Contains(HasSubstr("old"))));
}

TEST(Switches, OfWhichTheConfigurationsAreOldAreNamedTogether) {
  EXPECT_THAT(NotAuditedAtAges({{"leaf1", std::chrono::hours(72)},
                                {"leaf2", std::chrono::hours(1)},
                                {"spine1", std::chrono::hours(48)}}),
              Contains("what was set since on 2 switches: their configurations are up to 3 days "
                       "old: leaf1,spine1"));
}

TEST(HostsAndSwitches, AreJoinedByWhatTheHostHears) {
  FullFleet fleet;
  const v1::Coverage coverage = fleet.Report().verdict().coverage();
  EXPECT_EQ(coverage.host_ports(), 3u);
  EXPECT_EQ(coverage.host_ports_joined(), 1u);
}

TEST(HostsAndSwitches, AreJoinedByTheSwitchsPlanWhereNothingIsHeard) {
  FullFleet fleet;
  fleet.audit.switches[0].Plan("HOST2.example.org", "eth0", 1);
  fleet.host2().WithPfc({3, 5});

  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(report.verdict().coverage().host_ports_joined(), 2u);
  EXPECT_THAT(FoldedOf(report), Contains("FAIL switch.host-pfc host2 <- pfc.lossless-priority"));
}

TEST(HostsAndSwitches, AreJoinedByAPortsDescription) {
  FullFleet fleet;
  fleet.audit.switches[0].port(1).set_description("host2:eth0");
  EXPECT_EQ(fleet.Report().verdict().coverage().host_ports_joined(), 2u);
}

TEST(HostsAndSwitches, AreNotJoinedByAPlanThatTwoPortsClaim) {
  FullFleet fleet;
  fleet.audit.switches.emplace_back("leaf2", 1).Plan("host2", "eth0");
  fleet.audit.switches.emplace_back("leaf3", 1).Plan("host2", "eth0");
  EXPECT_EQ(fleet.Report().verdict().coverage().host_ports_joined(), 1u);
}

TEST(HostsAndSwitches, AreNotJoinedAgainstWhatIsHeard) {
  FullFleet fleet;
  fleet.audit.switches[0].Plan("host2", "eth0", 1);
  SwitchBuilder stranger("spine9");
  stranger.facts().mutable_identity()->set_mac("52:54:00:bb:00:09");
  *fleet.host2().net().mutable_lldp() = stranger.HeardAt();

  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(report.verdict().coverage().host_ports_joined(), 1u);
  EXPECT_THAT(NotAudited(report), Contains(HasSubstr("the switch ports of 2 of 3 host ports")));
}

TEST(HostsAndSwitches, ShowWhatASwitchPortDoesToItsHostsProbes) {
  FullFleet fleet;
  fleet.audit.switches[0].port().set_mtu_bytes(1500);
  fleet.probes[0].SwallowsLargeFromAToB();

  EXPECT_THAT(FoldedOf(fleet.Report()),
              Contains("FAIL probe.large-only host1>host2 <- switch.mtu"));
}

// mlx5 maps all 64 DSCPs, so that 24 to 31 are lossless on the host; only 26 is in the switch.
TEST(HostsAndSwitches, AreComparedByTheDscpOfRoceAlone) {
  FullFleet fleet;
  fleet.audit.host(0).WithDscp({{24, 3}, {26, 3}, {48, 6}});
  EXPECT_EQ(Find(fleet.Report(), "switch.host-dscp"), nullptr);

  fleet.audit.policy.intent.clear_roce_dscp();
  fleet.audit.policy.intent.clear_cnp_dscp();
  EXPECT_THAT(Only(fleet.Report(), "switch.host-dscp").actual(),
              HasSubstr("DSCP 24 is priority 3 on the host, 0 in the switch"));
}

TEST(HostsAndSwitches, AreNotMisplacedWhereThePlanUsesAnotherName) {
  FullFleet fleet;
  fleet.audit.switches[0].Plan("host1", "NIC1");

  EXPECT_EQ(Only(fleet.Report(), "switch.host-cabling").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(HostsAndSwitches, AreNotComparedAtAPortThatThePolicyIgnores) {
  FullFleet fleet;
  fleet.audit.switches[0].port().set_mtu_bytes(1500);
  fleet.audit.policy.switches.add_ignored_ports("leaf1:Ethernet0");

  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(Find(report, "switch.host-mtu"), nullptr);
  EXPECT_EQ(report.verdict().coverage().host_ports_joined(), 1u);
}

TEST(HostsAndSwitches, SayOnceThatThePortHasNoPfc) {
  FullFleet fleet;
  fleet.audit.switches[0].WithPfc({});
  fleet.audit.host(0).net().mutable_dcb()->mutable_peer_pfc()->clear_enabled_priorities();

  EXPECT_THAT(FoldedOf(fleet.Report()),
              Contains("FAIL pfc.peer-agrees host1 <- switch.pfc-lossless"));
}

// Stock SONiC has PFC on every port; hosts of a lossy fabric have it nowhere.
TEST(HostsAndSwitches, NeedNotAgreeOnPfcInAFabricThatIsLossyOnPurpose) {
  FullFleet fleet;
  fleet.audit.host(0).WithPfc({});
  EXPECT_NE(Find(fleet.Report(), "switch.host-pfc"), nullptr);

  fleet.audit.policy.intent.clear_lossless_priorities();
  EXPECT_EQ(Find(fleet.Report(), "switch.host-pfc"), nullptr);
}

TEST(SwitchSummary, CountsPortsThatDoTheSame) {
  SwitchBuilder leaf("leaf1", 3);
  leaf.WithPfc({}, 2);
  const EffectivePolicy policy = SwitchPolicy();
  const SwitchInput input{.facts = &leaf.facts(), .age = {}, .policy = &policy};

  const v1::SwitchSummary summary = SummaryOf(SwitchView(input));

  EXPECT_EQ(summary.ports_with_qos(), 3u);
  ASSERT_EQ(summary.pfc_size(), 2);
  EXPECT_EQ(summary.pfc(0).ports(), 2u);
  ASSERT_EQ(summary.dscps_size(), 3);  // 26 as PFC is on or off, and 48
  EXPECT_EQ(summary.dscps(0).dscp(), 26u);
  EXPECT_TRUE(summary.dscps(0).lossless());
  EXPECT_TRUE(summary.dscps(0).marks_ecn());
  EXPECT_EQ(summary.dscps(0).ecn_min_bytes(), 500'000u);
  EXPECT_FALSE(summary.dscps(1).lossless());
}

// All messages below `message` that hold a reading.
void CollectAnswers(google::protobuf::Message& message,
                    std::vector<google::protobuf::Message*>& answers) {
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->message_type() == nullptr) continue;
    if (field->name() == "reading") {
      answers.push_back(&message);
    } else if (!field->is_repeated()) {
      CollectAnswers(*reflection->MutableMessage(&message, field), answers);
    } else {
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        CollectAnswers(*reflection->MutableRepeatedMessage(&message, field, i), answers);
      }
    }
  }
}

// As a source gives a row that it could not read: its key and no value.
void LoseAnswer(google::protobuf::Message& answer, v1::Outcome outcome) {
  const auto* reflection = answer.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(answer, &fields);
  for (const auto* field : fields) {
    const bool has_own_reading = field->message_type() != nullptr &&
                                 field->message_type()->FindFieldByName("reading") != nullptr;
    const bool is_row_key = !field->is_repeated() && !field->has_presence();
    if (field->name() != "reading" && !has_own_reading && !is_row_key) {
      reflection->ClearField(&answer, field);
    }
  }
  auto* reading = static_cast<v1::Reading*>(
      reflection->MutableMessage(&answer, answer.GetDescriptor()->FindFieldByName("reading")));
  reading->set_outcome(outcome);
  reading->set_detail("lost by the test");
}

// ABSENT is an answer of a whole configuration: the row is not configured.
RC_GTEST_PROP(MissingSwitchFacts, FailNothingOnASwitchThatIsRight, ()) {
  SwitchBuilder leaf("leaf1", 2);
  std::vector<google::protobuf::Message*> answers;
  CollectAnswers(leaf.facts(), answers);
  google::protobuf::Message& answer = *answers[*rc::gen::inRange<size_t>(0, answers.size())];
  LoseAnswer(answer, *rc::gen::element(v1::OUTCOME_UNSUPPORTED, v1::OUTCOME_DENIED,
                                       v1::OUTCOME_FAILED, v1::OUTCOME_NOT_COLLECTED));

  const v1::AuditReport report = JudgeAlone(leaf, SwitchPolicy());

  RC_LOG() << answer.GetDescriptor()->name() << " lost";
  for (const v1::Finding& finding : report.findings()) {
    RC_LOG() << finding.DebugString();
    RC_ASSERT(finding.status() != v1::CHECK_STATUS_FAIL);
  }
}

}  // namespace
}  // namespace roceready::checks
