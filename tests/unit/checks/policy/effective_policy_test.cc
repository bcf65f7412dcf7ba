// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/effective_policy.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

const HardwareIdentity kNothingRead = {};

v1::Waiver WaiverUntil(std::string id, std::string check_id, std::int64_t seconds_since_epoch) {
  v1::Waiver waiver;
  waiver.set_id(id);
  waiver.set_check_id(check_id);
  waiver.mutable_until()->set_seconds(seconds_since_epoch);
  return waiver;
}

system_clock::time_point At(int seconds_since_epoch) {
  return system_clock::time_point(seconds(seconds_since_epoch));
}

TEST(MatchRule, WantsEveryGivenConditionMet) {
  v1::HardwareRule rule;
  rule.set_driver("mlx5_core");
  rule.add_device_ids("15b3:101d");
  rule.add_device_ids("15b3:1021");
  rule.set_psid("MT_0000000359");

  EXPECT_EQ(MatchRule(rule, {"mlx5_core", "15b3:1021", "MT_0000000359"}), RuleMatch::kYes);
  EXPECT_EQ(MatchRule(rule, {"mlx5_core", "15b3:1021", "MT_0000000001"}), RuleMatch::kNo);
  EXPECT_EQ(MatchRule(rule, {"mlx5_core", "15b3:1019", "MT_0000000359"}), RuleMatch::kNo);
  EXPECT_EQ(MatchRule(rule, {"ice", "15b3:1021", "MT_0000000359"}), RuleMatch::kNo);
}

TEST(MatchRule, IsUndecidedWhereAConditionWasNotRead) {
  v1::HardwareRule rule;
  rule.set_driver("mlx5_core");
  rule.set_psid("MT_0000000359");

  EXPECT_EQ(MatchRule(rule, {"mlx5_core", "", ""}), RuleMatch::kUndecided);
  EXPECT_EQ(MatchRule(rule, kNothingRead), RuleMatch::kUndecided);
  EXPECT_EQ(MatchRule(rule, {"ice", "", ""}), RuleMatch::kNo) << "one miss decides it";
}

TEST(MatchRule, HoldsForEveryDeviceWithoutConditions) {
  EXPECT_EQ(MatchRule({}, kNothingRead), RuleMatch::kYes);
}

TEST(EffectivePolicy, HasNoRuleAndNoSourceForWhatThePolicyDoesNotSay) {
  const EffectivePolicy policy;

  EXPECT_EQ(policy.SourceOf("intent.roce_dscp"), "");
  EXPECT_TRUE(policy.RuleOf("mtu.netdev").enabled);
  EXPECT_EQ(policy.RuleOf("mtu.netdev").severity, std::nullopt);
}

TEST(EffectivePolicy, WaivesUntilTheEndDateAndNotAtIt) {
  EffectivePolicy policy;
  policy.waivers.push_back(WaiverUntil("OPS-1", "mtu.netdev", 1000));

  ASSERT_NE(policy.WaiverFor("mtu.netdev", At(999)), nullptr);
  EXPECT_EQ(policy.WaiverFor("mtu.netdev", At(999))->id(), "OPS-1");
  EXPECT_EQ(policy.WaiverFor("mtu.netdev", At(1000)), nullptr);
  EXPECT_EQ(policy.WaiverFor("mtu.rdma-active", At(999)), nullptr);
}

TEST(EffectivePolicy, WaivesUntilADateThatANanosecondClockCannotHold) {
  constexpr std::int64_t kEndOfYear9999 = 253'402'300'799;
  constexpr std::int64_t kYear1 = -62'135'596'800;
  EffectivePolicy policy;
  policy.waivers.push_back(WaiverUntil("past", "mtu.netdev", kYear1));
  policy.waivers.push_back(WaiverUntil("future", "mtu.netdev", kEndOfYear9999));

  ASSERT_NE(policy.WaiverFor("mtu.netdev", At(1000)), nullptr);
  EXPECT_EQ(policy.WaiverFor("mtu.netdev", At(1000))->id(), "future");
}

TEST(EffectivePolicy, NamesTheWaiverThatEndsLast) {
  EffectivePolicy policy;
  policy.waivers.push_back(WaiverUntil("short", "mtu.netdev", 1000));
  policy.waivers.push_back(WaiverUntil("long", "mtu.netdev", 3000));
  policy.waivers.push_back(WaiverUntil("middle", "mtu.netdev", 2000));

  EXPECT_EQ(policy.WaiverFor("mtu.netdev", At(500))->id(), "long");
}

}  // namespace
}  // namespace roceready
