// SPDX-License-Identifier: Apache-2.0
// The switches of tests/switches give exactly the answers that stand in its README.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "checks/policy/loaded_policy.h"
#include "checks/switch/policed_switches.h"
#include "checks/switch_import/sonic.h"
#include "tests/support/source_path.h"

namespace roceready::switches {
namespace {

using ::testing::ElementsAre;

v1::SwitchFacts Import(const std::string& name) {
  const std::string path = SourcePath("tests/switches/sonic/") + name;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  ImportResult result = ImportSonic(text.str(), path);
  EXPECT_EQ(yaml::Render(result.problems), "");
  return std::move(result.facts);
}

v1::ImportSwitchesResponse Judge(const v1::SwitchFacts& facts, std::string_view policy_text) {
  const PolicyResult policy = LoadPolicy(policy_text, "test.yaml", {});
  EXPECT_TRUE(policy.ok()) << yaml::Render(policy.problems);
  return checks::PolicedSwitches(*policy.policy,
                                 {{std::make_shared<const v1::SwitchFacts>(facts), {}}})
      .JudgeAlone({});
}

// What the README's table says of a file.
struct Expected {
  const char* file;
  const char* name;
  uint32_t ports;
  uint32_t ports_in_service;
  uint32_t ports_with_qos;
};

class Samples : public ::testing::TestWithParam<Expected> {};

v1::SwitchDscpAnswer AnswerFor(const v1::SwitchSummary& summary, uint32_t dscp) {
  v1::SwitchDscpAnswer answer;
  for (const v1::SwitchDscpAnswer& one : summary.dscps()) {
    if (one.dscp() != dscp) continue;
    EXPECT_EQ(answer.ports(), 0u) << "ports differ in DSCP " << dscp;
    answer = one;
  }
  return answer;
}

TEST_P(Samples, SayWhereTheirDscpsLead) {
  const Expected& expected = GetParam();
  const v1::SwitchFacts facts = Import(expected.file);

  const v1::SwitchSummary summary =
      Judge(facts, "name: test\nintent: {roce_dscp: 26, cnp_dscp: 48}\n").summaries(0);

  EXPECT_EQ(summary.name(), expected.name);
  EXPECT_EQ(summary.ports(), expected.ports);
  EXPECT_EQ(summary.ports_in_service(), expected.ports_in_service);
  EXPECT_EQ(summary.ports_with_qos(), expected.ports_with_qos);
  ASSERT_EQ(summary.pfc_size(), 1);
  EXPECT_THAT(summary.pfc(0).priorities(), ElementsAre(3, 4));
  EXPECT_EQ(summary.pfc(0).ports(), expected.ports_with_qos);

  const v1::SwitchDscpAnswer three = AnswerFor(summary, 3);
  EXPECT_EQ(three.ports(), expected.ports_with_qos);
  EXPECT_EQ(three.traffic_class(), 3u);
  EXPECT_EQ(three.queue(), 3u);
  EXPECT_EQ(three.priority_group(), 3u);
  EXPECT_TRUE(three.lossless());
  EXPECT_TRUE(three.marks_ecn());
  EXPECT_EQ(three.ecn_min_bytes(), 1'048'576u);
  EXPECT_EQ(three.ecn_max_bytes(), 2'097'152u);
  EXPECT_EQ(three.ecn_max_percent(), 5u);

  const v1::SwitchDscpAnswer four = AnswerFor(summary, 4);
  EXPECT_EQ(four.traffic_class(), 4u);
  EXPECT_TRUE(four.lossless());

  const v1::SwitchDscpAnswer stock = AnswerFor(summary, 26);
  EXPECT_EQ(stock.ports(), expected.ports_with_qos);
  EXPECT_EQ(stock.traffic_class(), 1u);
  EXPECT_TRUE(stock.has_lossless());
  EXPECT_FALSE(stock.lossless());
  EXPECT_TRUE(stock.has_marks_ecn());
  EXPECT_FALSE(stock.marks_ecn());

  EXPECT_EQ(AnswerFor(summary, 48).traffic_class(), 6u);
  // No other DSCP is lossless.
  EXPECT_EQ(summary.dscps_size(), 4);
  for (const v1::SwitchPort& port : facts.ports()) {
    EXPECT_EQ(port.has_mtu_bytes() ? port.mtu_bytes() : 9100u, 9100u) << port.name();
  }
}

TEST_P(Samples, BlockHostsThatMark26AndNotThoseThatMark3) {
  constexpr char kMarks26[] =
      "name: test\nintent: {lossless_priorities: [3], roce_priority: 3, roce_dscp: 26}\n";
  constexpr char kMarks3[] =
      "name: test\nintent: {lossless_priorities: [3], roce_priority: 3, roce_dscp: 3}\n";
  v1::SwitchFacts facts = Import(GetParam().file);
  // Of the line card only the ports with QoS rows.
  for (v1::SwitchPort& port : *facts.mutable_ports()) {
    if (port.qos().reading().outcome() != v1::OUTCOME_OK) port.set_admin_up(false);
  }

  EXPECT_EQ(Judge(facts, kMarks26).report().verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_EQ(Judge(facts, kMarks3).report().verdict().readiness(), v1::READINESS_READY);
}

INSTANTIATE_TEST_SUITE_P(
    Sonic, Samples,
    ::testing::Values(Expected{"tor-40g.json", "str-s6000-acs-14", 32, 28, 28},
                      Expected{"leaf-100g-old-references.json", "sonic", 66, 66, 66},
                      Expected{"leaf-100g-new-references.json", "sonic", 66, 66, 66},
                      Expected{"linecard-40g-old-references.json", "linecard1.asic0", 32, 5, 3}));

TEST(Samples, OfOldAndNewReferencesAreTheSame) {
  v1::SwitchFacts old_one = Import("leaf-100g-old-references.json");
  v1::SwitchFacts new_one = Import("leaf-100g-new-references.json");
  const auto judge = [](const v1::SwitchFacts& facts) {
    auto judged = Judge(facts,
                        "name: test\nintent: {lossless_priorities: [3], roce_priority: 3, "
                        "roce_dscp: 26, cnp_dscp: 48, mtu_bytes: 9216, congestion_control: dcqcn}\n"
                        "switches: {pfc_watchdog: true}\n");
    for (v1::Finding& finding : *judged.mutable_report()->mutable_findings()) {
      // Only the place in the file differs.
      for (v1::Evidence& evidence : *finding.mutable_evidence()) evidence.clear_reading();
    }
    return judged.SerializeAsString();
  };

  EXPECT_EQ(judge(old_one), judge(new_one));
}

TEST(Samples, HaveAllThatAPortIsToldAboutItself) {
  const v1::SwitchFacts facts = Import("tor-40g.json");
  const v1::SwitchPort& port = facts.ports(1);

  EXPECT_EQ(facts.identity().mac(), "f4:8e:38:16:bc:8d");
  EXPECT_EQ(facts.identity().hardware(), "Force10-S6000");
  EXPECT_EQ(facts.identity().role(), "ToRRouter");
  EXPECT_TRUE(facts.complete());
  EXPECT_EQ(port.name(), "Ethernet4");
  EXPECT_EQ(port.alias(), "fortyGigE0/4");
  EXPECT_EQ(port.speed_mbps(), 40'000u);
  EXPECT_TRUE(port.admin_up());
  EXPECT_THAT(port.vendor_defaults(), ElementsAre("role"));
  EXPECT_EQ(port.planned_neighbour().name(), "Servers0");
  EXPECT_EQ(port.planned_neighbour().port(), "eth0");
  EXPECT_EQ(port.pfc_watchdog().action(), "drop");
  EXPECT_EQ(port.pfc_watchdog().detection_ms(), 200u);
  EXPECT_EQ(port.pfc_watchdog().restoration_ms(), 200u);
  EXPECT_EQ(port.vlans(0).vlan_id(), 1000u);
  EXPECT_FALSE(port.vlans(0).tagged());
  EXPECT_EQ(port.cable_length().metres(), 5u);
  // Its first port is left out of service by SONiC's default.
  EXPECT_FALSE(facts.ports(0).admin_up());
  EXPECT_THAT(facts.ports(0).vendor_defaults(), ElementsAre("admin_up", "role"));
  EXPECT_EQ(facts.ports(0).qos().reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(Samples, SayWhereInTheFileEachRowStands) {
  const v1::SwitchFacts facts = Import("leaf-100g-new-references.json");
  const v1::SwitchPort& port = facts.ports(0);
  EXPECT_EQ(port.qos().pfc().reading().locator(),
            "leaf-100g-new-references.json:1670:27 PORT_QOS_MAP|Ethernet0|pfc_enable");
}

}  // namespace
}  // namespace roceready::switches
