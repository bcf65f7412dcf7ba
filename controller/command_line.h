// SPDX-License-Identifier: Apache-2.0
// The arguments of roceready-controller: which command, with which options.
#pragma once

#include <string>
#include <variant>

#include "controller/pki_command.h"

namespace roceready::controller {

struct RunArguments {
  std::string config_path;
};
struct ConfigCheckArguments {
  std::string config_path;
};
struct OpenApiArguments {};
// Nothing to run: help, version or a mistake was printed.
struct Finished {
  int exit_status = 0;
};
using Arguments =
    std::variant<RunArguments, ConfigCheckArguments, OpenApiArguments, PkiOptions, Finished>;

Arguments ParseCommandLine(int argc, char** argv);

}  // namespace roceready::controller
