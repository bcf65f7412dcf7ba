// SPDX-License-Identifier: Apache-2.0
// `roceready-agent status`: is the agent of this host connected, since when, and if not, why.
#pragma once

#include <iosfwd>
#include <string>

namespace roceready::agent {

// 0 connected, 1 not connected; else a sysexits number, with the reason on `error`.
int PrintStatus(const std::string& config_path, std::ostream& out, std::ostream& error);

}  // namespace roceready::agent
