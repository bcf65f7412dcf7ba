// SPDX-License-Identifier: Apache-2.0
// `roceready-agent run`: the service.
#pragma once

#include <string>

namespace roceready::agent {

// Returns the exit status once SIGTERM or SIGINT has ended it. With a `root` other than "/" the
// agent plays the recorded host of that folder and takes no probe orders.
int Run(const std::string& config_path, const std::string& root);

}  // namespace roceready::agent
