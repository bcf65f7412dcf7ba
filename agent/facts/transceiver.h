// SPDX-License-Identifier: Apache-2.0
// What a plugged module says of itself in the first 256 bytes of its memory: SFP (SFF-8472), QSFP
// (SFF-8636), and the modules of CMIS. RTNL-bound and slow (a two-wire bus).
#pragma once

#include <span>
#include <string>

#include "agent/netlink/ethtool_nl.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// `memory` is the lower half and page 0 of the upper half; kDataLoss for another size. A module of
// an unknown kind gives its type as a number and nothing else. The reading is the caller's.
absl::StatusOr<v1::Transceiver> DecodeTransceiver(std::span<const uint8_t> memory);

v1::Transceiver ReadTransceiver(netlink::Transport& generic, const netlink::GenericFamily& family,
                                const std::string& name);

}  // namespace roceready::facts
