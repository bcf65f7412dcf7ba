// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/explain.h"

#include <gtest/gtest.h>

#include "checks/policy/loaded_policy.h"

namespace roceready {
namespace {

EffectivePolicy Of(std::string_view text, std::string_view host = "gpu1") {
  const PolicyResult result = LoadPolicy(text, "p.yaml", {});
  EXPECT_TRUE(result.ok()) << yaml::Render(result.problems);
  return result.policy->ForHost(host);
}

constexpr char kPolicy[] = R"(name: p
intent:
  lossless_priorities: [3, 4]
  trust: dscp
  mtu_bytes: 9000
probes:
  phase_deadline: 1500ms
checks:
  - {check_id: mtu.netdev, severity: advice}
  - {check_id: port.active, enabled: false}
waivers:
  - {id: OPS-1, check_id: mtu.netdev, hosts: gpu1, reason: old NIC, until: 2027-01-01}
overrides:
  - hosts: gpu1
    intent: {mtu_bytes: 4200}
)";

TEST(ExplainPolicy, SaysWhatHoldsForAHostAndFromWhichLine) {
  EXPECT_EQ(RenderPolicy(Of(kPolicy), "gpu1"), R"(gpu1 under policy p
  intent.lossless_priorities     [3, 4]   (p.yaml:3)
  intent.mtu_bytes               4200   (p.yaml:15)
  intent.trust                   "dscp"   (p.yaml:4)
  probes.phase_deadline          1.500s   (p.yaml:7)
  checks.mtu.netdev              severity advice   (p.yaml:9)
  checks.port.active             disabled   (p.yaml:10)
  waivers.OPS-1                  mtu.netdev on gpu1 until 2027-01-01: old NIC
)");
}

TEST(ExplainPolicy, SaysOnWhichRailsTheInventoryWantsTheHost) {
  EXPECT_EQ(RenderPolicy(Of("name: p\ninventory:\n"
                            "  - {hosts: \"gpu[1-4]\", rails: [10.1.0.0/24, 10.1.1.0/24]}\n"
                            "  - {hosts: gpu1, rails: [10.1.0.0/24, \"fd00:77::/64\"]}\n"
                            "  - {hosts: store1, rails: [10.5.0.0/22]}\n"),
                         "gpu1"),
            R"(gpu1 under policy p
  inventory.rails[0]             10.1.0.0/24   (p.yaml:3)
  inventory.rails[1]             10.1.1.0/24   (p.yaml:3)
  inventory.rails[2]             fd00:77::/64   (p.yaml:4)
)");
}

TEST(ExplainPolicy, TellsWhereTwoDiffer) {
  const EffectivePolicy before = Of("name: a\nintent: {roce_dscp: 26, mtu_bytes: 9000}\n");
  const EffectivePolicy after =
      Of("name: b\n\nintent: {roce_dscp: 3, mtu_bytes: 9000, trust: dscp}\n");

  EXPECT_EQ(RenderPolicyDiff(before, after), R"(- intent.roce_dscp               26   (p.yaml:2)
+ intent.roce_dscp               3   (p.yaml:3)
+ intent.trust                   "dscp"   (p.yaml:3)
)");
  EXPECT_EQ(RenderPolicyDiff(before, before), "");
}

}  // namespace
}  // namespace roceready
