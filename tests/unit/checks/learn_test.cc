// SPDX-License-Identifier: Apache-2.0
#include "checks/learn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/check.h"
#include "checks/policy/loaded_policy.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::HasSubstr, ::testing::Not;

class Learning : public ::testing::Test {
 protected:
  std::string Learn() {
    std::vector<const v1::HostFacts*> facts;
    for (HostBuilder& host : hosts) facts.push_back(&host.facts());
    return LearnPolicy("learned", facts);
  }
  // The text, taken by the strict reader.
  EffectivePolicy Effective() {
    PolicyContext context;
    for (const Check& check : Catalog()) context.known_check_ids.emplace_back(check.id);
    const PolicyResult result = LoadPolicy(Learn(), "learned.yaml", context);
    EXPECT_TRUE(result.policy != nullptr) << Learn();
    return result.policy->ForAllHosts();
  }

  std::vector<HostBuilder> hosts = {HostBuilder("gpu1", 1, Nic::kMlx5, 2),
                                    HostBuilder("gpu2", 2, Nic::kMlx5, 2)};
};

TEST_F(Learning, WritesWhatAllHaveInCommon) {
  for (HostBuilder& host : hosts) {
    for (int rail : {0, 1}) host.WithDscp({{26, 3}, {48, 6}}, rail);
  }
  const std::string text = Learn();
  EXPECT_THAT(text, HasSubstr("lossless_priorities: [3]  # 4 ports\n"));
  EXPECT_THAT(text, HasSubstr("roce_dscp: 26  # 4 ports\n"));
  EXPECT_THAT(text, HasSubstr("min_firmware: \"28.39.1002\"  # 4 NICs\n"));
  const EffectivePolicy policy = Effective();
  EXPECT_EQ(policy.intent.roce_priority(), 3u);
  EXPECT_EQ(policy.intent.mtu_bytes(), 9000u);
  EXPECT_EQ(policy.intent.ip_family(), "ipv4");
}

// As mlx5 comes: eight DSCPs to a priority.
TEST_F(Learning, DoesNotChooseOneOfSeveralDscps) {
  EXPECT_THAT(Learn(), HasSubstr("DSCP 24, 25, 26, 27, 28, 29, 30 and 31 lead to the lossless"));
}

TEST_F(Learning, TheHostsItLearnedFromAreReadyUnderIt) {
  AuditOf audit(hosts);
  audit.policy = Effective();
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY);
}

TEST_F(Learning, ChoosesNothingWhereTheyDiffer) {
  hosts[1].WithMtu(1500, 1024, 1);
  const std::string text = Learn();
  EXPECT_THAT(text, HasSubstr("# mtu_bytes: 1500  # 1 RDMA port of gpu2\n"));
  EXPECT_THAT(text, HasSubstr("# mtu_bytes: 9000  # 3 RDMA ports of gpu[1-2]\n"));
  EXPECT_FALSE(Effective().intent.has_mtu_bytes());
}

TEST_F(Learning, TakesNothingUnreadForAgreement) {
  v1::Pfc& pfc = *hosts[0].net().mutable_dcb()->mutable_pfc();
  pfc.Clear();
  *pfc.mutable_reading() = builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_DCBNL);
  EXPECT_THAT(Learn(), HasSubstr("lossless_priorities is not known of 1 port of gpu1: TIMED_OUT"));
}

TEST_F(Learning, OfNothingIsAPolicyThatWantsNothing) {
  hosts = {HostBuilder("gpu1", 1, Nic::kMlx5, 0)};
  EXPECT_THAT(Learn(), HasSubstr("intent: {}\n"));
  Effective();
}

// What a device says of itself may hold anything.
TEST_F(Learning, KeepsForeignTextInItsPlace) {
  for (HostBuilder& host : hosts) {
    for (int rail : {0, 1}) host.WithFirmware("1\"\nname: other\n#", rail);
  }
  EXPECT_EQ(Effective().name, "learned");
  hosts[0].net().mutable_dcb()->mutable_pfc()->mutable_reading()->set_outcome(v1::OUTCOME_FAILED);
  hosts[0].net().mutable_dcb()->mutable_pfc()->mutable_reading()->set_detail("x\nname: other");
  EXPECT_THAT(Learn(), Not(HasSubstr("\nname: other")));
  EXPECT_EQ(Effective().name, "learned");
}

}  // namespace
}  // namespace roceready::checks
