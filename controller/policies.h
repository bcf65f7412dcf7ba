// SPDX-License-Identifier: Apache-2.0
// The policy folder: read at the start and again on SIGHUP, whole or not at all.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "checks/policy/policy_set.h"
#include "proto/process/clock.h"

namespace roceready::controller {

// Puts the folder's policies in force, or changes nothing and says everything that is wrong, one
// problem a line. Also wrong: a folder without `default_policy`.
absl::Status LoadPolicies(const std::string& directory, const std::string& default_policy,
                          WallTime now, PolicySet* policies);

}  // namespace roceready::controller
