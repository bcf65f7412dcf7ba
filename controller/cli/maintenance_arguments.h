// SPDX-License-Identifier: Apache-2.0
// The options of `maintenance`.
#pragma once

#include "controller/cli/maintenance_command.h"

namespace CLI {
class App;
}

namespace roceready::cli {

void AddMaintenance(CLI::App& app, MaintenanceOptions& options);

}  // namespace roceready::cli
