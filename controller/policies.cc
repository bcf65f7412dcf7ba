// SPDX-License-Identifier: Apache-2.0
#include "controller/policies.h"

#include <algorithm>

#include "checks/check.h"
#include "checks/policy/policy_file.h"
#include "proto/contract/errors.h"
#include "proto/process/logging.h"

namespace roceready::controller {

absl::Status LoadPolicies(const std::string& directory, const std::string& default_policy,
                          WallTime now, PolicySet* policies) {
  ASSIGN_OR_RETURN(const std::vector<PolicyText> texts, ReadPolicyDirectory(directory));
  PolicyContext context;
  for (const checks::Check& check : checks::Catalog()) {
    context.known_check_ids.emplace_back(check.id);
  }
  context.now = std::chrono::time_point_cast<std::chrono::system_clock::duration>(now);
  PolicySet candidate;
  const PolicySet::Outcome outcome = candidate.Replace(texts, context);
  if (!outcome.ok()) return yaml::ToStatus(outcome.problems);
  for (const yaml::Problem& note : outcome.notes) LogWarn(note.Render());
  if (candidate.Find(default_policy) == nullptr) {
    return InvalidArgument("default_policy: there is no policy \"{}\" in {}", default_policy,
                           directory);
  }
  *policies = std::move(candidate);
  return absl::OkStatus();
}

void PolicyLoads::Note(const absl::Status& loaded, WallTime now) {
  if (loaded.ok()) {
    last_success = now;
    failing.reset();
    return;
  }
  ++failures;
  failing = Failure{.since = failing ? failing->since : now, .why = std::string(Message(loaded))};
}

}  // namespace roceready::controller
