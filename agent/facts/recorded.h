// SPDX-License-Identifier: Apache-2.0
// A host read from a recording, and the recording of a host (`facts --root DIR`, `facts --record
// DIR`). A recording is a folder that holds
//
//   sys/ proc/ etc/ ...              the files that were read, with the links on their paths
//   route.txt generic.txt rdma.txt netfilter.txt
//                                    netlink (agent/netlink/recorded_transport.h); `closed ERRNO`
//                                    where the socket could not be opened
//   errors.txt                       `ERRNO PATH` of files that were there and could not be read
//   ethtool.txt                      ethtool ioctls: `ask NETDEV HEX`, then `answer HEX` or
//                                    `error N`
//   verbs.txt                        one line a device, port and GID (verbs_text.h)
//   lldp.txt                         frames heard (recorded_lldp.h), written by hand
//
// What was not recorded is ABSENT, "not recorded".
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/facts/sources.h"

namespace roceready::facts {

// The bytes of an ethtool command as recordings write them.
std::vector<uint8_t> WithoutTrailingZeros(std::span<const uint8_t> bytes);

// The file that holds this protocol's exchanges: "/route.txt".
std::string_view RecordingFileOf(netlink::Protocol protocol);

std::shared_ptr<const Sources> RecordedSources(const std::string& folder);

// Reads like `inner` and writes what was read to `folder`, which must be empty or new.
// kFailedPrecondition otherwise.
absl::StatusOr<std::shared_ptr<const Sources>> RecordingSources(
    std::shared_ptr<const Sources> inner, const std::string& folder);

}  // namespace roceready::facts
