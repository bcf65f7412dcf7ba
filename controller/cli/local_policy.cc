// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/local_policy.h"

#include <filesystem>

#include "checks/check.h"
#include "checks/policy/policy_file.h"
#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kPolicyDirectory[] = "/etc/roceready/policies";
constexpr char kDefaultPolicy[] = "lossless-dscp";

}  // namespace

bool NamesPolicyFile(const std::string& policy) {
  return policy.find('/') != std::string::npos || policy.ends_with(".yaml");
}

absl::StatusOr<std::shared_ptr<const LoadedPolicy>> ReadLocalPolicy(
    const std::string& policy, checks::WallTime now, const std::string& job_environment) {
  const fs::path path =
      NamesPolicyFile(policy)
          ? fs::path(policy)
          : fs::path(kPolicyDirectory) /
                ((policy.empty() ? kDefaultPolicy : policy) + std::string(".yaml"));
  PolicyContext context;
  for (const checks::Check& check : checks::Catalog()) {
    context.known_check_ids.emplace_back(check.id);
  }
  context.now = now;
  const PolicyResult result = LoadPolicyFile(path, context);
  if (!result.ok()) {
    return FailedPrecondition("policy {}:\n{}", path.string(), RenderPolicyResult(result));
  }
  if (job_environment.empty()) return result.policy;
  const JobEnvironment environment = ReadJobEnvironmentFile(job_environment);
  if (!environment.ok()) {
    return FailedPrecondition("environment of the job:\n{}", yaml::Render(environment.problems));
  }
  return result.policy->WithJob(environment);
}

}  // namespace roceready::cli
