// SPDX-License-Identifier: Apache-2.0
#include <absl/synchronization/mutex.h>

#include <iostream>

#include "agent/check_command.h"
#include "agent/command_line.h"
#include "agent/config_command.h"
#include "agent/facts_command.h"
#include "agent/run_command.h"
#include "agent/status_command.h"
#include "proto/process/refusals.h"

namespace {

using namespace roceready::agent;

struct Execute {
  int operator()(const RunArguments& run) const { return Run(run.config_path, run.root); }
  int operator()(const FactsOptions& facts) const {
    return PrintFacts(facts, std::cout, std::cerr);
  }
  int operator()(const CheckOptions& check) const { return CheckHost(check, std::cout, std::cerr); }
  int operator()(const StatusArguments& status) const {
    return PrintStatus(status.config_path, std::cout, std::cerr);
  }
  int operator()(const ConfigCheckArguments& check) const {
    return CheckConfig(check.config_path, std::cout, std::cerr);
  }
  int operator()(const Finished& finished) const { return finished.exit_status; }
};

}  // namespace

int main(int argc, char** argv) {
  // Debian's abseil has lock-order checking on; gRPC pays a fifth of its processor time for it.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  roceready::SilenceGrpcLog();
  return std::visit(Execute{}, ParseCommandLine(argc, argv));
}
