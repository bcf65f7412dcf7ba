// SPDX-License-Identifier: Apache-2.0
#include <absl/synchronization/mutex.h>
#include <fmt/core.h>

#include <cstdio>
#include <iostream>

#include "controller/command_line.h"
#include "controller/config_command.h"
#include "controller/openapi_command.h"
#include "controller/pki_command.h"
#include "controller/run_command.h"
#include "proto/contract/errors.h"
#include "proto/process/clock.h"
#include "proto/process/exit_status.h"
#include "proto/process/refusals.h"

namespace {

using namespace roceready::controller;

struct Execute {
  int operator()(const RunArguments& run) const { return Run(run.config_path); }
  int operator()(const ConfigCheckArguments& check) const {
    return CheckConfig(check.config_path, std::cout, std::cerr);
  }
  int operator()(const OpenApiArguments&) const { return PrintOpenApi(std::cout, std::cerr); }
  int operator()(const PkiOptions& pki) const {
    const absl::Status status = PkiCommand(pki, roceready::SystemClock().Wall());
    if (!status.ok()) {
      fmt::print(stderr, "roceready-controller: {}\n", roceready::Message(status));
    }
    return roceready::ExitStatusOfStart(status);
  }
  int operator()(const Finished& finished) const { return finished.exit_status; }
};

}  // namespace

int main(int argc, char** argv) {
  // Debian's abseil has lock-order checking on; gRPC pays a fifth of its processor time for it.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  roceready::RouteGrpcLog();
  return std::visit(Execute{}, ParseCommandLine(argc, argv));
}
