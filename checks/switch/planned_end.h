// SPDX-License-Identifier: Apache-2.0
// What a switch's own configuration says is plugged into a port. Nobody has looked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roceready/v1/switch.pb.h"

namespace roceready::checks {

struct PlannedEnd {
  std::string name;
  // As that end calls it; empty where the plan does not say.
  std::string port;

  // The port is called as Linux and NIC vendors call theirs ("eth0", "ens7f0np0", "mlx5_1",
  // "NIC2"), never as a switch does ("Ethernet4", "Eth1/3", "swp1"): a host is there. False is no
  // answer.
  bool IsHost() const;
};

// From DEVICE_NEIGHBOR, else from a description such as "gpu017:ens7f0" or "gpu017 ens7f0".
std::optional<PlannedEnd> PlannedEndOf(const v1::SwitchPort& port);

std::string LowerCase(std::string_view text);

// The name up to its first dot, in lower case.
std::string ShortName(std::string_view host);

}  // namespace roceready::checks
