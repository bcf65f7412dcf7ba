// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/loaded_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kPolicy[] = R"(name: site
intent:
  lossless_priorities: [3]
  roce_priority: 3
  roce_dscp: 26
  mtu_bytes: 9000
checks:
  - check_id: mtu.netdev
    severity: degrades
    on_unknown: block
overrides:
  - hosts: gpu[1-9]
    intent:
      mtu_bytes: 4200
      lossless_priorities: [3, 4]
    checks:
      - check_id: mtu.netdev
        severity: advice
  - hosts: gpu[5-9]
    intent:
      mtu_bytes: 1500
    checks:
      - {check_id: pfc.lossless-priority, enabled: false}
waivers:
  - {id: OPS-1, check_id: mtu.netdev, hosts: gpu5, reason: known, until: 2030-01-01}
  - {id: OPS-2, check_id: mtu.netdev, hosts: "*", reason: known, until: 2030-01-01}
hardware:
  - driver: mlx5_core
    min_firmware: 28.39.1002
job:
  queue_pairs: 4
probes:
  retry_count: 5
)";

std::shared_ptr<const LoadedPolicy> Load(std::string_view text,
                                         std::string_view file = "/etc/policies/site.yaml") {
  const PolicyResult result = LoadPolicy(text, file, {});
  EXPECT_EQ(yaml::Render(result.problems), "");
  return result.policy;
}

TEST(LoadedPolicy, GivesEveryHostTheIntentWithItsLines) {
  const EffectivePolicy policy = Load(kPolicy)->ForHost("login1");

  EXPECT_EQ(policy.name, "site");
  EXPECT_EQ(policy.intent.mtu_bytes(), 9000u);
  EXPECT_THAT(policy.intent.lossless_priorities(), ElementsAre(3));
  EXPECT_EQ(policy.SourceOf("intent.mtu_bytes"), "site.yaml:6");
  EXPECT_EQ(policy.SourceOf("intent.lossless_priorities"), "site.yaml:3");
  EXPECT_EQ(policy.SourceOf("intent.cnp_dscp"), "");
  EXPECT_EQ(policy.SourceOf("job.queue_pairs"), "site.yaml:31");
  EXPECT_EQ(policy.SourceOf("probes.retry_count"), "site.yaml:33");
  EXPECT_EQ(policy.job.queue_pairs(), 4u);
  EXPECT_EQ(policy.probes.retry_count(), 5u);
  ASSERT_EQ(policy.hardware.size(), 1u);
  EXPECT_EQ(policy.hardware[0].source, "site.yaml:28");
}

TEST(LoadedPolicy, PutsAnOverrideInPlaceOfTheIntentWithItsOwnLine) {
  const EffectivePolicy policy = Load(kPolicy)->ForHost("gpu1");

  EXPECT_EQ(policy.intent.mtu_bytes(), 4200u);
  EXPECT_EQ(policy.SourceOf("intent.mtu_bytes"), "site.yaml:14");
  EXPECT_EQ(policy.intent.roce_dscp(), 26u) << "what the override leaves out stays";
  EXPECT_EQ(policy.SourceOf("intent.roce_dscp"), "site.yaml:5");
}

TEST(LoadedPolicy, ReplacesAListAsAWhole) {
  EXPECT_THAT(Load(kPolicy)->ForHost("gpu1").intent.lossless_priorities(), ElementsAre(3, 4));
}

TEST(LoadedPolicy, LetsTheLaterOverrideWin) {
  const EffectivePolicy policy = Load(kPolicy)->ForHost("gpu5");

  EXPECT_EQ(policy.intent.mtu_bytes(), 1500u);
  EXPECT_EQ(policy.SourceOf("intent.mtu_bytes"), "site.yaml:21");
  EXPECT_THAT(policy.intent.lossless_priorities(), ElementsAre(3, 4)) << "from the earlier one";
}

TEST(LoadedPolicy, MergesCheckSettingsValueByValue) {
  const EffectivePolicy base = Load(kPolicy)->ForHost("login1");
  const EffectivePolicy overridden = Load(kPolicy)->ForHost("gpu5");

  EXPECT_EQ(base.RuleOf("mtu.netdev").severity, v1::SEVERITY_DEGRADES);
  EXPECT_EQ(base.RuleOf("mtu.netdev").source, "site.yaml:8");
  EXPECT_TRUE(base.RuleOf("pfc.lossless-priority").enabled);
  EXPECT_EQ(overridden.RuleOf("mtu.netdev").severity, v1::SEVERITY_ADVICE);
  EXPECT_EQ(overridden.RuleOf("mtu.netdev").on_unknown, v1::ON_UNKNOWN_BLOCK);
  EXPECT_EQ(overridden.RuleOf("mtu.netdev").source, "site.yaml:17");
  EXPECT_FALSE(overridden.RuleOf("pfc.lossless-priority").enabled);
}

std::vector<std::string> WaiverIds(const EffectivePolicy& policy) {
  std::vector<std::string> ids;
  for (const v1::Waiver& waiver : policy.waivers) ids.push_back(waiver.id());
  return ids;
}

TEST(LoadedPolicy, GivesAHostTheWaiversThatNameIt) {
  const auto policy = Load(kPolicy);

  EXPECT_THAT(WaiverIds(policy->ForHost("gpu5")), ElementsAre("OPS-1", "OPS-2"));
  EXPECT_THAT(WaiverIds(policy->ForHost("gpu6")), ElementsAre("OPS-2"));
}

TEST(LoadedPolicy, KeepsOverridesAndTheirWaiversOutOfWhatHoldsForAll) {
  const EffectivePolicy policy = Load(kPolicy)->ForAllHosts();

  EXPECT_EQ(policy.intent.mtu_bytes(), 9000u);
  EXPECT_THAT(WaiverIds(policy), ElementsAre("OPS-2"));
}

TEST(LoadedPolicy, DigestsTheContentNotTheText) {
  const std::string digest = Load("name: a\nintent: {roce_dscp: 26, mtu_bytes: 9000}\n")->digest();

  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(
      Load("# other layout\nintent:\n  mtu_bytes: 9000\n  roce_dscp: 0x1a\nname: a\n")->digest(),
      digest);
  EXPECT_NE(Load("name: a\nintent: {roce_dscp: 27, mtu_bytes: 9000}\n")->digest(), digest);
}

TEST(LoadedPolicy, DigestsMapsInAnyOrderAlike) {
  EXPECT_EQ(Load("name: a\ninventory: [{hosts: h, labels: {a: 1, b: 2, c: 3}}]\n")->digest(),
            Load("name: a\ninventory: [{hosts: h, labels: {c: 3, b: 2, a: 1}}]\n")->digest());
}

TEST(LoadPolicy, GivesNoPolicyWhereThereIsAProblem) {
  const PolicyResult result = LoadPolicy("name: a\nintent: {roce_dscp: 64}\n", "dir/a.yaml", {});

  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.policy, nullptr);
  EXPECT_EQ(yaml::Render(result.problems),
            "dir/a.yaml:2:21: intent.roce_dscp: found 64, expected a number from 0 to 63");
}

TEST(LoadPolicy, JudgesNothingThatAPolicyDoesNotSay) {
  const EffectivePolicy policy = Load("name: empty\n", "empty.yaml")->ForHost("any");

  EXPECT_EQ(policy.intent.ByteSizeLong(), 0u);
  EXPECT_THAT(policy.sources, IsEmpty());
  EXPECT_THAT(policy.checks, IsEmpty());
}

}  // namespace
}  // namespace roceready
