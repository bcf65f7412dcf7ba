// SPDX-License-Identifier: Apache-2.0
// A policy as people read it: what holds for one host and from which line, and how two differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks/policy/effective_policy.h"

namespace roceready {

struct PolicyLine {
  // "intent.roce_dscp", "checks.mtu.netdev", "waivers.OPS-211".
  std::string path;
  // "26", "[3, 4]", "severity advice, on_unknown note".
  std::string value;
  // "lossless-dscp.yaml:14"; empty where the policy keeps none.
  std::string source;
};

// Everything that the policy says, in a fixed order; what it does not say is not in it.
std::vector<PolicyLine> LinesOf(const EffectivePolicy& policy);

// A line each, sources at the end.
std::string RenderPolicy(const EffectivePolicy& policy, std::string_view host);

// "- PATH VALUE" of the first and "+ PATH VALUE" of the second, of lines that differ; empty where
// nothing does. Names and sources are no difference.
std::string RenderPolicyDiff(const EffectivePolicy& first, const EffectivePolicy& second);

}  // namespace roceready
