// SPDX-License-Identifier: Apache-2.0
// A policy from this machine, for judging without a controller.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "checks/evaluate.h"
#include "checks/policy/loaded_policy.h"

namespace roceready::cli {

// A policy is a file where its name has a '/' or ends in .yaml.
bool NamesPolicyFile(const std::string& policy);

// `policy` is a file, or the name of one under /etc/roceready/policies; empty: lossless-dscp there.
// `job_environment` is a file of NAME=VALUE whose settings win over the policy's `job:`; empty:
// none.
absl::StatusOr<std::shared_ptr<const LoadedPolicy>> ReadLocalPolicy(
    const std::string& policy, checks::WallTime now, const std::string& job_environment = {});

}  // namespace roceready::cli
