// SPDX-License-Identifier: Apache-2.0
// Configurations of switches from files.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "checks/switch/policed_switches.h"

namespace roceready::cli {

// SONiC's config_db.json, one switch each. All that is wrong with any of them is in the error, a
// line each; two of one name are an error.
absl::StatusOr<std::vector<checks::KnownSwitch>> ReadSwitchFiles(
    const std::vector<std::string>& paths);

}  // namespace roceready::cli
