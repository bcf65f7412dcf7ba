// SPDX-License-Identifier: Apache-2.0
// Any text is either a switch that can be judged, or a list of problems.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "checks/policy/loaded_policy.h"
#include "checks/switch/policed_switches.h"
#include "checks/switch_import/sonic.h"

namespace {

const roceready::LoadedPolicy& Policy() {
  static const auto* policy = new roceready::PolicyResult(roceready::LoadPolicy(
      "name: fuzz\n"
      "intent: {lossless_priorities: [3], roce_priority: 3, roce_dscp: 26, cnp_dscp: 48,\n"
      "         mtu_bytes: 9000, congestion_control: dcqcn}\n"
      "switches: {pfc_watchdog: true, ecn_bands: [{up_to_mbps: 100000, min_threshold_from_bytes: "
      "1}]}\n",
      "fuzz.yaml", {}));
  if (!policy->ok()) std::abort();
  return *policy->policy;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto result = roceready::switches::ImportSonic(text, "fuzz.json");
  for (const auto& problem : result.problems) {
    if (problem.text.empty()) std::abort();
  }
  if (!result.ok()) return 0;
  if (result.facts.ports().empty() || result.facts.name().empty()) std::abort();
  const roceready::checks::PolicedSwitches switches(
      Policy(),
      {{std::make_shared<const roceready::v1::SwitchFacts>(std::move(result.facts)), {}}});
  if (switches.JudgeAlone({}).summaries_size() != 1) std::abort();
  return 0;
}
