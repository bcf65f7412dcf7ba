// SPDX-License-Identifier: Apache-2.0
// The options of `verdict` and `gate`.
#pragma once

#include "controller/cli/verdict_command.h"

namespace CLI {
class App;
}

namespace roceready::cli {

void AddVerdict(CLI::App& app, VerdictOptions& options);
void AddGate(CLI::App& app, GateOptions& options);

}  // namespace roceready::cli
