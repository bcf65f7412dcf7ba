// SPDX-License-Identifier: Apache-2.0
// `roceready-agent run`: the service.
#pragma once

#include <string>

namespace roceready::agent {

// Returns the exit status once SIGTERM or SIGINT has ended it.
int Run(const std::string& config_path);

}  // namespace roceready::agent
