// SPDX-License-Identifier: Apache-2.0
// The arguments of roceready-agent: which command, with which options.
#pragma once

#include <string>
#include <variant>

#include "agent/check_command.h"
#include "agent/facts_command.h"

namespace roceready::agent {

struct RunArguments {
  std::string config_path;
  // A recorded host that the agent plays (agent/facts/recorded.h); "/": the live one.
  std::string root = "/";
};
struct StatusArguments {
  std::string config_path;
};
struct ConfigCheckArguments {
  std::string config_path;
};
// Nothing to run: help, version or a mistake was printed.
struct Finished {
  int exit_status = 0;
};
using Arguments = std::variant<RunArguments, FactsOptions, CheckOptions, StatusArguments,
                               ConfigCheckArguments, Finished>;

Arguments ParseCommandLine(int argc, char** argv);

}  // namespace roceready::agent
