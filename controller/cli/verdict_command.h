// SPDX-License-Identifier: Apache-2.0
// `roceready verdict`: what can be said of a set of hosts at once. `roceready gate`: the same as a
// yes or no, for the prolog of a scheduler: a controller that is away must not drain a cluster.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <optional>
#include <string>

#include "controller/cli/output.h"
#include "proto/process/exit_status.h"
#include "roceready/v1/config.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

class FleetClient;

struct VerdictQuestion {
  std::string hosts;   // host list expression
  std::string policy;  // name; empty: the controller's default
  // Nothing: the controller's default.
  std::optional<std::chrono::milliseconds> max_age, max_probe_age;
  std::optional<std::chrono::milliseconds> wait;
};

// Waits for the answer a while longer than the controller may.
absl::StatusOr<v1::GetVerdictResponse> AskVerdict(FleetClient& client,
                                                  const VerdictQuestion& question);

struct VerdictOptions {
  VerdictQuestion question;
  FailOn fail_on = FailOn::kBlocks;
};

struct GateOptions {
  VerdictQuestion question;
  std::chrono::milliseconds timeout{2000};
  bool allow_unavailable = true;
  bool allow_undetermined = false;
};

struct GateDecision {
  bool allowed = false;
  // Whether it should be seen by somebody later: everything but a set that is ready.
  bool worth_logging = false;
  std::string reason;  // one line
};
// `answer` is the controller's, or why there is none.
GateDecision DecideGate(const absl::StatusOr<v1::GetVerdictResponse>& answer,
                        const GateOptions& options);

std::string RenderVerdict(const v1::GetVerdictResponse& response, const OutputOptions& output);

int VerdictCommand(const v1::ClientConfig& config, const VerdictOptions& options,
                   const OutputOptions& output);

// `config` that cannot be read is no answer either. The status is 0 or 1.
int GateCommand(const absl::StatusOr<v1::ClientConfig>& config, const GateOptions& options,
                const OutputOptions& output);

}  // namespace roceready::cli
