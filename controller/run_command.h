// SPDX-License-Identifier: Apache-2.0
// `roceready-controller run`: the service.
#pragma once

#include <string>

namespace roceready::controller {

// Until SIGTERM or SIGINT. Returns the exit status.
int Run(const std::string& config_path);

}  // namespace roceready::controller
