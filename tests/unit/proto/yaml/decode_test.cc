// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <roceready/v1/policy.pb.h>

#include <fstream>
#include <sstream>

#include "tests/support/source_path.h"

namespace roceready::yaml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  v1::Policy policy;
  return Render(Decode(text, "p.yaml", policy).problems);
}

TEST(Decode, FillsAPolicyWithEveryKindOfValue) {
  v1::Policy policy;
  const Decoded decoded = Decode(R"(
name: site
intent:
  lossless_priorities: [3, 4]
  roce_dscp: 0x1a
  trust: dscp
checks:
  - check_id: mtu.netdev
    severity: degrades
    on_unknown: block
    enabled: false
waivers:
  - {id: OPS-1, check_id: mtu.netdev, hosts: "gpu[1-2]", reason: r, until: 1970-01-02}
probes:
  session_deadline: 90s
  rate_limit_bps: 1000000000000
inventory:
  - hosts: gpu1
    labels: {rack: r1, "row": b}
job:
  gid_type: roce-v2
  gid_family: v6_link_local
hardware:
  - min_firmware: 28.10
)",
                                 "p.yaml", policy);

  ASSERT_EQ(Render(decoded.problems), "");
  EXPECT_EQ(policy.name(), "site");
  EXPECT_THAT(policy.intent().lossless_priorities(), ElementsAre(3, 4));
  EXPECT_EQ(policy.intent().roce_dscp(), 26u);
  EXPECT_FALSE(policy.intent().has_mtu_bytes());
  EXPECT_EQ(policy.checks(0).severity(), v1::SEVERITY_DEGRADES);
  EXPECT_EQ(policy.checks(0).on_unknown(), v1::ON_UNKNOWN_BLOCK);
  EXPECT_TRUE(policy.checks(0).has_enabled());
  EXPECT_FALSE(policy.checks(0).enabled());
  EXPECT_EQ(policy.waivers(0).until().seconds(), 86400);
  EXPECT_EQ(policy.probes().session_deadline().seconds(), 90);
  EXPECT_EQ(policy.probes().rate_limit_bps(), 1'000'000'000'000u);
  EXPECT_EQ(policy.inventory(0).labels().at("rack"), "r1");
  EXPECT_EQ(policy.inventory(0).labels().at("row"), "b");
  EXPECT_EQ(policy.job().gid_type(), v1::GID_TYPE_ROCE_V2);
  EXPECT_EQ(policy.job().gid_family(), v1::IP_FAMILY_V6_LINK_LOCAL);
  EXPECT_EQ(policy.hardware(0).min_firmware(), "28.10") << "no number: the last zero counts";
}

TEST(Decode, SaysWhereEachValueStands) {
  v1::Policy policy;
  const Decoded decoded = Decode(
      "name: x\nintent:\n  roce_dscp: 26\n  lossless_priorities:\n    - 3\n", "p.yaml", policy);

  EXPECT_EQ(decoded.sources.Line("intent.roce_dscp"), "p.yaml:3");
  EXPECT_EQ(decoded.sources.At("intent.roce_dscp"), (Position{3, 14}));
  EXPECT_EQ(decoded.sources.Line("intent.lossless_priorities[0]"), "p.yaml:5");
  EXPECT_EQ(decoded.sources.Line("intent.mtu_bytes"), "");
  EXPECT_FALSE(decoded.sources.Has("intent.mtu_bytes"));
  EXPECT_EQ(decoded.sources.At("intent.mtu_bytes"), (Position{3, 3})) << "the intent's first line";
  EXPECT_EQ(decoded.sources.At("job.queue_pairs"), (Position{}));
}

struct Mistake {
  std::string text;
  std::string error;

  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.text; }
};

class DecodeMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(DecodeMistake, IsFoundAtItsLineAndColumn) {
  EXPECT_EQ(ErrorOf(GetParam().text), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Every, DecodeMistake,
    ::testing::Values(
        Mistake{
            "name: x\nintent:\n  roce_dscpp: 26\n",
            "p.yaml:3:3: intent: found the unknown key \"roce_dscpp\" (did you mean roce_dscp?)"},
        Mistake{
            "name: x\nwaivers:\n  - {id: a, check_id: b, hosts: c, reason: d, until: 2030-01-01, "
            "zz: 1}\n",
            "p.yaml:3:66: waivers[0]: found the unknown key \"zz\", expected id, check_id, hosts, "
            "reason or until"},
        Mistake{"name: x\nname: y\n",
                "p.yaml:2:1: found the key \"name\" again, expected it once (first on line 1)"},
        Mistake{"name: x\nintent:\n  roce_dscp: 64\n",
                "p.yaml:3:14: intent.roce_dscp: found 64, expected a number from 0 to 63"},
        Mistake{"name: x\nintent:\n  roce_dscp: -1\n",
                "p.yaml:3:14: intent.roce_dscp: found -1, expected a number from 0 to 63"},
        Mistake{"name: x\nintent:\n  roce_dscp: 2.5\n",
                "p.yaml:3:14: intent.roce_dscp: found 2.5, expected a number from 0 to 63"},
        Mistake{"name: x\nintent:\n  roce_dscp: AF31\n",
                "p.yaml:3:14: intent.roce_dscp: found \"AF31\", expected a number from 0 to 63"},
        Mistake{
            "name: x\nintent:\n  roce_dscp: \"26\"\n",
            "p.yaml:3:14: intent.roce_dscp: found the text \"26\", expected a number from 0 to 63 "
            "(without quotes)"},
        Mistake{"name: x\nintent:\n  roce_dscp:\n",
                "p.yaml:3:3: intent.roce_dscp: found nothing, expected a number from 0 to 63"},
        Mistake{"name: x\nintent:\n  roce_dscp: [26]\n",
                "p.yaml:3:14: intent.roce_dscp: found a list, expected a number from 0 to 63"},
        Mistake{"name: x\nintent:\n  roce_dscp: {a: 1}\n",
                "p.yaml:3:14: intent.roce_dscp: found a map, expected a number from 0 to 63"},
        Mistake{"name: x\njob:\n  gid_index: 4294967296\n",
                "p.yaml:3:14: job.gid_index: found 4294967296, expected a number from 0 to "
                "4294967295"},
        Mistake{"name: x\nintent:\n  lossless_priorities: 3\n",
                "p.yaml:3:24: intent.lossless_priorities: found 3, expected a list, each a number "
                "from 0 to 7"},
        Mistake{
            "name: x\nintent:\n  lossless_priorities: [3, 8]\n",
            "p.yaml:3:28: intent.lossless_priorities[1]: found 8, expected a number from 0 to 7"},
        Mistake{
            "name: x\nintent:\n  trust: dcsp\n",
            "p.yaml:3:10: intent.trust: found \"dcsp\", expected dscp or pcp (did you mean dscp?)"},
        Mistake{"name: x\nintent: 5\n", "p.yaml:2:9: intent: found 5, expected a map"},
        Mistake{"name: x\nintent:\n", "p.yaml:2:1: intent: found nothing, expected a map"},
        Mistake{"name: x\nchecks: {a: 1}\n",
                "p.yaml:2:9: checks: found a map, expected a list, each a map"},
        Mistake{"name: x\nchecks:\n  - check_id: a\n    severity: block\n",
                "p.yaml:4:15: checks[0].severity: found \"block\", expected blocks, degrades or "
                "advice (did you mean blocks?)"},
        Mistake{"name: x\nchecks:\n  - check_id: a\n    severity: SEVERITY_BLOCKS\n",
                "p.yaml:4:15: checks[0].severity: found \"SEVERITY_BLOCKS\", expected blocks, "
                "degrades or advice"},
        Mistake{"name: x\nchecks:\n  - check_id: a\n    severity: 1\n",
                "p.yaml:4:15: checks[0].severity: found 1, expected blocks, degrades or advice"},
        Mistake{"name: x\nchecks:\n  - check_id: a\n    enabled: yes\n",
                "p.yaml:4:14: checks[0].enabled: found \"yes\", expected true or false"},
        Mistake{
            "name: x\nchecks:\n  - severity: blocks\n",
            "p.yaml:3:5: checks[0].check_id: found nothing, expected text: this key is required"},
        Mistake{"name: \"\"\n", "p.yaml:1:7: name: found the text \"\", expected text"},
        Mistake{
            "name: x\nprobes:\n  session_deadline: 90\n",
            "p.yaml:3:21: probes.session_deadline: found 90, expected a duration from 1s to 600s "
            "(the unit is missing)"},
        Mistake{"name: x\ninventory:\n  - {hosts: a, labels: [1]}\n",
                "p.yaml:3:24: inventory[0].labels: found a list, expected a map"},
        Mistake{"name: x\ninventory:\n  - {hosts: a, labels: {r: 1, r: 2}}\n",
                "p.yaml:3:31: inventory[0].labels: found the key \"r\" again, expected it once "
                "(first on line 3)"},
        Mistake{"name: x\ninventory:\n  - {hosts: a, labels: {r: [1]}}\n",
                "p.yaml:3:28: inventory[0].labels.r: found a list, expected text"},
        Mistake{"name: x\n? [a]\n: b\n", "p.yaml:2:3: found a list, expected a key"},
        Mistake{"", "p.yaml:1:1: found nothing, expected a map of keys and values"},
        Mistake{"- a\n", "p.yaml:1:1: found a list, expected a map of keys and values"},
        Mistake{"name:x\n",
                "p.yaml:1:1: found \"name:x\", expected a map of keys and values (a space belongs "
                "after ':')"}));

TEST(Decode, WantsATimeWithItsZone) {
  EXPECT_THAT(ErrorOf("name: x\nwaivers:\n- {id: a, check_id: b, hosts: c, reason: d, until: "
                      "2026-12-15T10:00:00}\n"),
              HasSubstr("expected a date such as 2026-12-15, or a time in RFC 3339 with its zone"));
}

TEST(Decode, RefusesAMergeKeyLikeAnyUnknownKey) {
  EXPECT_THAT(ErrorOf("name: x\nintent:\n  <<: {roce_dscp: 1}\n"),
              HasSubstr("p.yaml:3:3: intent: found the unknown key \"<<\""));
}

TEST(Decode, CutsTheListWhereTheFileIsNoPolicyAtAll) {
  std::string text = "name: x\n";
  for (int i = 0; i < 150; ++i) text += "k" + std::to_string(i) + ": 1\n";
  v1::Policy policy;

  const Decoded decoded = Decode(text, "p.yaml", policy);

  ASSERT_EQ(decoded.problems.size(), 101u);
  EXPECT_EQ(decoded.problems.back().Render(), "p.yaml: and 50 more problems");
}

std::string ReadFile(const std::string& name) {
  std::ifstream file(SourcePath("tests/unit/proto/yaml/testdata/") + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Decode, FindsEveryMistakeOfOneFileInOnePass) {
  EXPECT_EQ(ErrorOf(ReadFile("every_mistake.yaml")) + "\n", ReadFile("every_mistake.expected"));
}

}  // namespace
}  // namespace roceready::yaml
