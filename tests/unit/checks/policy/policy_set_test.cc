// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/policy_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

using ::testing::ElementsAre;

TEST(PolicySet, FindsPoliciesByName) {
  PolicySet policies;

  ASSERT_TRUE(
      policies.Replace({{"dir/a.yaml", "name: a\n"}, {"dir/b.yaml", "name: b\n"}}, {}).ok());

  EXPECT_THAT(policies.Names(), ElementsAre("a", "b"));
  EXPECT_EQ(policies.Find("b")->name(), "b");
  EXPECT_EQ(policies.Find("c"), nullptr);
}

TEST(PolicySet, KeepsTheOldPoliciesWhereOneOfTheNewIsWrong) {
  PolicySet policies;
  ASSERT_TRUE(policies.Replace({{"a.yaml", "name: a\nintent: {mtu_bytes: 9000}\n"}}, {}).ok());

  const auto outcome = policies.Replace({{"a.yaml", "name: a\nintent: {mtu_bytes: 1500}\n"},
                                         {"b.yaml", "name: b\nintent: {mtu_bytes: x, foo: 1}\n"}},
                                        {});

  EXPECT_EQ(yaml::Render(outcome.problems),
            "b.yaml:2:21: intent.mtu_bytes: found \"x\", expected a number from 1280 to 16384\n"
            "b.yaml:2:24: intent: found the unknown key \"foo\", expected lossless_priorities, "
            "roce_priority, roce_dscp, cnp_priority, cnp_dscp, mtu_bytes, rdma_mtu_bytes, trust, "
            "congestion_control, min_speed_mbps, service_level, vlan_ids, roce_pcp, "
            "congestion_parameters, roce_version or ip_family");
  EXPECT_THAT(policies.Names(), ElementsAre("a"));
  EXPECT_EQ(policies.Find("a")->ForAllHosts().intent.mtu_bytes(), 9000u);
}

TEST(PolicySet, DropsPoliciesThatAreGone) {
  PolicySet policies;
  ASSERT_TRUE(policies.Replace({{"a.yaml", "name: a\n"}}, {}).ok());
  const auto kept = policies.Find("a");

  ASSERT_TRUE(policies.Replace({{"b.yaml", "name: b\n"}}, {}).ok());

  EXPECT_THAT(policies.Names(), ElementsAre("b"));
  EXPECT_EQ(kept->name(), "a") << "an audit that began with it can end with it";
}

TEST(PolicySet, WantsThePolicyNamedAsItsFile) {
  PolicySet policies;

  const auto outcome = policies.Replace({{"dir/a.yaml", "name: b\n"}}, {});

  EXPECT_EQ(
      yaml::Render(outcome.problems),
      "dir/a.yaml: name: found \"b\", expected the file's name, \"a\": policies are asked for "
      "by it");
}

TEST(PolicySet, HandsNotesOn) {
  PolicySet policies;

  const auto outcome = policies.Replace({{"a.yaml", "name: a\ninventory: [{hosts: h}]\n"}}, {});

  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.notes.size(), 1u);
}

}  // namespace
}  // namespace roceready
