// SPDX-License-Identifier: Apache-2.0
// LLDP of a recorded host (recorded.h): the file lldp.txt, one line for each thing heard,
//
//   heard NETDEV HEX      a frame from its Ethernet header on
//   silent NETDEV         listened to for long enough, nobody spoke
//   closed NETDEV ERRNO   the socket could not be opened
//
// Ports without a line are ABSENT, "not recorded". Lines that begin with '#' are comments.
#pragma once

#include <memory>
#include <string_view>

#include "agent/facts/host_root.h"
#include "agent/lldp/ears.h"

namespace roceready::facts {

// What is heard of each device of `root` by these lines. kInvalidArgument with the line's number
// when malformed. A frame that is no LLDP is heard as such, as on a live host.
absl::StatusOr<std::map<uint32_t, lldp::Hearing>> ParseRecordedLldp(const HostRoot& root,
                                                                    std::string_view text);

// The ears of a recorded host; never null.
std::shared_ptr<lldp::Ears> RecordedEars(const HostRoot& root);

}  // namespace roceready::facts
