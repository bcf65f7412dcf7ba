// SPDX-License-Identifier: Apache-2.0
// What a policy can get wrong beyond the form of its values: names that nothing answers to, and
// wishes that contradict each other.
#pragma once

#include <roceready/v1/policy.pb.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checks/policy/loaded_policy.h"
#include "proto/yaml/decode.h"

namespace roceready {

// Adds to `problems` (those of decoding are in it already; what they are about is not told twice)
// and to `notes`; both are sorted by position afterwards.
void ValidatePolicy(const v1::Policy& policy, const yaml::SourceMap& sources,
                    const PolicyContext& context, std::vector<yaml::Problem>& problems,
                    std::vector<yaml::Problem>& notes);

// Collects what is said about the values of one policy.
class PolicyReview {
 public:
  PolicyReview(const yaml::SourceMap& sources, std::vector<yaml::Problem>& problems,
               std::vector<yaml::Problem>& notes);

  void Problem(const std::string& path, std::string text);
  void Note(const std::string& path, std::string text);
  const yaml::SourceMap& sources() const { return sources_; }

 private:
  const yaml::SourceMap& sources_;
  std::vector<yaml::Problem>& problems_;
  std::vector<yaml::Problem>& notes_;
  std::set<std::string> decoding_failed_;
};

// validate_intent.cc: one intent. `intent` is what holds together (an override merged into the
// rest), `given` the part of it that stands at `path`.
void ReviewIntent(const v1::FabricIntent& intent, const v1::FabricIntent& given,
                  const std::string& path, PolicyReview& review);
void ReviewJob(const v1::JobSettings& job, const v1::FabricIntent& intent, PolicyReview& review);
void ReviewProbes(const v1::ProbeSettings& probes, PolicyReview& review);
// validate_switches.cc
void ReviewSwitches(const v1::SwitchIntent& switches, const v1::FabricIntent& intent,
                    PolicyReview& review);
// validate_site.cc
void ReviewSiteChecks(const v1::Policy& policy, PolicyReview& review);

}  // namespace roceready
