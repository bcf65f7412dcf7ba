// SPDX-License-Identifier: Apache-2.0
// Policies from files: the only part of this folder that reads any.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checks/policy/loaded_policy.h"
#include "checks/policy/policy_set.h"

namespace roceready {

// A file that cannot be read is a problem of the result like any other.
PolicyResult LoadPolicyFile(const std::filesystem::path& path, const PolicyContext& context);

// The texts of all *.yaml in a folder, by file name. Hidden files are passed over. InvalidArgument
// where there is none, or more than 1,000.
absl::StatusOr<std::vector<PolicyText>> ReadPolicyDirectory(const std::filesystem::path& directory);

// The environment of a job from a file of NAME=VALUE. A file that cannot be read is a problem like
// any other.
JobEnvironment ReadJobEnvironmentFile(const std::filesystem::path& path);

// What `roceready policy validate FILE` prints: every problem on a line of its own, or the policy's
// name and digest; then the notes, each with "note: " before its text. Ends with a line feed.
std::string RenderPolicyResult(const PolicyResult& result);

}  // namespace roceready
