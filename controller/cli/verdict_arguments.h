// SPDX-License-Identifier: Apache-2.0
// The options of `verdict`, `gate` and `pick`.
#pragma once

#include "controller/cli/pick_command.h"
#include "controller/cli/verdict_command.h"

namespace CLI {
class App;
}

namespace roceready::cli {

void AddVerdict(CLI::App& app, VerdictOptions& options);
void AddGate(CLI::App& app, GateOptions& options);
void AddPick(CLI::App& app, PickOptions& options);

}  // namespace roceready::cli
