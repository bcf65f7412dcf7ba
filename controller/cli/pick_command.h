// SPDX-License-Identifier: Apache-2.0
// `roceready pick`: hosts of a set that are ready together, as a host list for a scheduler.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controller/cli/verdict_command.h"

namespace roceready::cli {

struct PickOptions {
  VerdictQuestion from;
  // Nothing: as many as are ready.
  std::optional<size_t> count;
};

struct Picked {
  // All that are ready together, in the order of their names.
  std::vector<std::string> ready;
  std::vector<std::string> left_out;
  // What is said of the ready ones.
  v1::GetVerdictResponse verdict;
};

// Leaves out the hosts that keep the rest from being ready, until the rest is. `judge` answers for
// hosts; its errors are passed on. kFailedPrecondition: no host is left, or what is wrong is of no
// host.
using JudgeSet =
    std::function<absl::StatusOr<v1::GetVerdictResponse>(const std::vector<std::string>&)>;
absl::StatusOr<Picked> PickReady(std::vector<std::string> hosts, const JudgeSet& judge);

// Fewer than asked for are ready: nothing is printed but the error, and the status is 2.
int PickCommand(const v1::ClientConfig& config, const PickOptions& options,
                const OutputOptions& output);

}  // namespace roceready::cli
