// SPDX-License-Identifier: Apache-2.0
// `roceready-agent config check`.
#pragma once

#include <iosfwd>
#include <string>

namespace roceready::agent {

// Says that `run` would start with this agent.yaml: it is well-formed, its certificate holds and
// names the host. Or what is wrong, and returns the status that `run` would end with.
int CheckConfig(const std::string& config_path, std::ostream& out, std::ostream& error);

}  // namespace roceready::agent
