// SPDX-License-Identifier: Apache-2.0
// The policy folder: read at the start and again on SIGHUP, whole or not at all.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>

#include "checks/policy/policy_set.h"
#include "proto/process/clock.h"

namespace roceready::controller {

// How it has gone since the start, for who watches. Belongs to the event loop.
struct PolicyLoads {
  std::uint64_t failures = 0;
  // When the policies that are in force were read.
  WallTime last_success{};
  // The last time failed, and so has every time since.
  struct Failure {
    WallTime since{};
    std::string why;
  };
  std::optional<Failure> failing;

  void Note(const absl::Status& loaded, WallTime now);
};

// Puts the folder's policies in force, or changes nothing and says everything that is wrong, one
// problem a line. Also wrong: a folder without `default_policy`.
absl::Status LoadPolicies(const std::string& directory, const std::string& default_policy,
                          WallTime now, PolicySet* policies);

}  // namespace roceready::controller
