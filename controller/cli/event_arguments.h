// SPDX-License-Identifier: Apache-2.0
// The options of `events` and `diff`.
#pragma once

#include "controller/cli/event_command.h"

namespace CLI {
class App;
}

namespace roceready::cli {

void AddEvents(CLI::App& app, EventsOptions& options);
void AddDiff(CLI::App& app, DiffOptions& options);

}  // namespace roceready::cli
