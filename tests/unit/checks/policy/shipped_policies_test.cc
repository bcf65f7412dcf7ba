// SPDX-License-Identifier: Apache-2.0
// The profiles in checks/policy/policies load without a note, and say what their names promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "checks/policy/policy_file.h"
#include "checks/policy/version_compare.h"
#include "tests/support/source_path.h"

namespace roceready {
namespace {

using ::testing::ElementsAre;

class ShippedPolicies : public ::testing::Test {
 protected:
  ShippedPolicies() {
    const auto texts = ReadPolicyDirectory(SourcePath("checks/policy/policies"));
    EXPECT_TRUE(texts.ok()) << texts.status();
    const auto outcome = policies_.Replace(*texts, {});
    EXPECT_EQ(yaml::Render(outcome.problems), "");
    EXPECT_EQ(yaml::Render(outcome.notes), "");
  }

  EffectivePolicy Of(std::string_view name) const {
    const auto policy = policies_.Find(name);
    return policy == nullptr ? EffectivePolicy{} : policy->ForAllHosts();
  }

  PolicySet policies_;
};

TEST_F(ShippedPolicies, AreTheDefaultTheLabAndTheUsualFabrics) {
  EXPECT_THAT(policies_.Names(), ElementsAre("lab", "lossless-dscp", "lossy", "nvmeof", "pcp-vlan",
                                             "pfc-only", "sonic-default"));
}

TEST_F(ShippedPolicies, SayWhatTheirNamesPromise) {
  EXPECT_THAT(Of("sonic-default").intent.lossless_priorities(), ElementsAre(3, 4));
  EXPECT_EQ(Of("sonic-default").intent.roce_dscp(), 3u);
  EXPECT_EQ(Of("pcp-vlan").intent.trust(), "pcp");
  EXPECT_EQ(Of("pcp-vlan").intent.roce_pcp(), Of("pcp-vlan").intent.service_level());
  EXPECT_FALSE(Of("pcp-vlan").intent.has_roce_dscp());
  EXPECT_EQ(Of("pfc-only").intent.congestion_control(), "none");
  EXPECT_EQ(Of("lossy").intent.lossless_priorities_size(), 0);
  EXPECT_EQ(Of("lossy").intent.congestion_control(), "nic");
  EXPECT_TRUE(Of("nvmeof").background.kernel());
}

TEST_F(ShippedPolicies, BoundEcnForEverySpeed) {
  for (const char* name : {"lossless-dscp", "sonic-default"}) {
    const v1::SwitchIntent switches = Of(name).switches;
    const auto& bands = switches.ecn_bands();
    ASSERT_FALSE(bands.empty()) << name;
    EXPECT_EQ(bands[bands.size() - 1].up_to_mbps(), 800'000u) << name;
    for (const v1::EcnBand& band : bands) {
      EXPECT_LT(band.min_threshold_from_bytes(), band.max_threshold_to_bytes()) << name;
    }
  }
}

TEST_F(ShippedPolicies, WantTheSameFabric) {
  for (const char* name : {"lossless-dscp", "lab"}) {
    const v1::FabricIntent intent = Of(name).intent;
    EXPECT_THAT(intent.lossless_priorities(), ElementsAre(3)) << name;
    EXPECT_EQ(intent.roce_priority(), 3u) << name;
    EXPECT_EQ(intent.roce_dscp(), 26u) << name;
    EXPECT_EQ(intent.cnp_dscp(), 48u) << name;
    EXPECT_EQ(intent.cnp_priority(), 6u) << name;
    EXPECT_EQ(intent.mtu_bytes(), 9000u) << name;
    EXPECT_EQ(intent.rdma_mtu_bytes(), 4096u) << name;
    EXPECT_EQ(intent.trust(), "dscp") << name;
    EXPECT_EQ(intent.congestion_control(), "dcqcn") << name;
    EXPECT_EQ(intent.congestion_parameters_size(), 0) << name;
    EXPECT_EQ(intent.roce_version(), "v2") << name;
    EXPECT_EQ(intent.ip_family(), "ipv4") << name;
  }
}

TEST_F(ShippedPolicies, AskForNoFirmwareOfHardwareTheyDoNotKnow) {
  EXPECT_TRUE(Of("lossless-dscp").hardware.empty());
}

TEST_F(ShippedPolicies, LabTellsTheFirmwareOfItsScenarioFromAGoodOne) {
  const EffectivePolicy policy = Of("lab");
  ASSERT_EQ(policy.hardware.size(), 1u);
  const v1::HardwareRule& rule = policy.hardware[0].rule;

  EXPECT_EQ(MatchRule(rule, {"testnic", "", "LAB0000000001"}), RuleMatch::kYes);
  EXPECT_EQ(CompareVersions("28.39.1002 (LAB0000000001)", rule.min_firmware()),
            std::strong_ordering::equal);
  EXPECT_EQ(CompareVersions("22.31.1014", rule.min_firmware()), std::strong_ordering::less);
}

TEST_F(ShippedPolicies, LabWaitsLongEnoughForEmulatedGuests) {
  const v1::ProbeSettings probes = Of("lab").probes;

  EXPECT_GE(probes.ack_timeout_exponent(), 17u);
  EXPECT_LE(probes.iterations(), 100u);
}

TEST_F(ShippedPolicies, GiveUpADeadPathBeforeThePhaseEnds) {
  for (const std::string& name : policies_.Names()) {
    const v1::ProbeSettings probes = Of(name).probes;
    const double gives_up =
        4.096e-6 * std::exp2(probes.ack_timeout_exponent()) * (probes.retry_count() + 1);
    EXPECT_LT(gives_up, static_cast<double>(probes.phase_deadline().seconds())) << name;
    EXPECT_LE(probes.retry_count(), 6u) << name;
  }
}

TEST_F(ShippedPolicies, NameTheLineOfEachValue) {
  const EffectivePolicy policy = Of("lossless-dscp");

  EXPECT_THAT(policy.SourceOf("intent.rdma_mtu_bytes"),
              ::testing::StartsWith("lossless-dscp.yaml:"));
}

}  // namespace
}  // namespace roceready
