// SPDX-License-Identifier: Apache-2.0
// Any text is either a policy that every host can be judged by, or a list of problems.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checks/policy/policy_file.h"
#include "checks/policy/site_rule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = roceready::LoadPolicy(text, "fuzz.yaml", {.known_check_ids = {"mtu.netdev"}});
  if (result.ok() != (result.policy != nullptr)) std::abort();
  if (roceready::RenderPolicyResult(result).empty()) std::abort();
  if (!result.ok()) return 0;
  for (const char* host : {"gpu1", "gpu017.example.org"}) {
    const auto policy = result.policy->ForHost(host);
    // A value that is judged has its line.
    if (policy.intent.has_mtu_bytes() && policy.SourceOf("intent.mtu_bytes").empty()) std::abort();
    // A check of the site that was accepted can be judged.
    for (const auto& rule : policy.site_checks) {
      if (rule == nullptr || rule->path.empty()) std::abort();
      if (policy.SourceOf("site_checks." + rule->check.id()).empty()) std::abort();
    }
  }
  return 0;
}
