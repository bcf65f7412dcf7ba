// SPDX-License-Identifier: Apache-2.0
// `roceready whois`: from an address, a GID or a MAC in an error message to the host and port.
#pragma once

#include <string>

#include "controller/cli/output.h"
#include "roceready/v1/config.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

struct WhoIsOptions {
  std::string what;
};

std::string RenderPlaces(const v1::WhoIsResponse& response);

// The status is 1 where nobody has it.
int WhoIsCommand(const v1::ClientConfig& config, const WhoIsOptions& options,
                 const OutputOptions& output);

}  // namespace roceready::cli
