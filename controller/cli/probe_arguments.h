// SPDX-License-Identifier: Apache-2.0
// The options of `probe`, `probe show` and `probe stop`.
#pragma once

#include <variant>

#include "controller/cli/probe_command.h"

namespace CLI {
class App;
}

namespace roceready::cli {

// Where the options go, and once they are parsed those of the command that was given.
struct ProbeCommandLine {
  ProbeOptions probe;
  ProbeShowOptions show;
  ProbeStopOptions stop;
  std::variant<ProbeOptions, ProbeShowOptions, ProbeStopOptions> command;
};

void AddProbe(CLI::App& app, ProbeCommandLine& line);

}  // namespace roceready::cli
