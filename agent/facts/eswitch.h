// SPDX-License-Identifier: Apache-2.0
// How the embedded switch of a NIC is run, by devlink.
#pragma once

#include <string>

#include "agent/facts/host_root.h"
#include "agent/netlink/devlink.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// UNSUPPORTED where the driver shows no switch.
v1::Eswitch EswitchOf(const absl::StatusOr<netlink::DevlinkEswitch>& answer);

// Asks devlink about "pci/ADDRESS"; ABSENT for a virtual function, and where `info`, the reading of
// the function's devlink info, is.
v1::Eswitch ReadEswitch(netlink::Transport& generic, const netlink::GenericFamily& family,
                        const HostRoot& root, const std::string& address, const v1::Reading& info);

}  // namespace roceready::facts
