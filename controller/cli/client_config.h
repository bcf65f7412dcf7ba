// SPDX-License-Identifier: Apache-2.0
// Where the controller is and who we are: flags, then the user's file, then the machine's.
#pragma once

#include <absl/status/statusor.h>

#include "controller/cli/arguments.h"
#include "roceready/v1/config.pb.h"

namespace roceready::cli {

// A file named by --config must exist; the two usual ones may be missing.
absl::StatusOr<v1::ClientConfig> LoadClientConfig(const Arguments& arguments);

}  // namespace roceready::cli
