// SPDX-License-Identifier: Apache-2.0
// `roceready-controller config check`.
#pragma once

#include <iosfwd>
#include <string>

namespace roceready::controller {

// Says that `run` would start with this controller.yaml: it is well-formed, its certificate holds,
// its policies are valid. Or what is wrong, and returns the status that `run` would end with.
int CheckConfig(const std::string& config_path, std::ostream& out, std::ostream& error);

}  // namespace roceready::controller
