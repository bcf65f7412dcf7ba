// SPDX-License-Identifier: Apache-2.0
// IPv4 and IPv6 neighbours: whether the addresses that RoCE connections go to can be reached on the
// wire. RTNL-bound.
#pragma once

#include <string>
#include <vector>

#include "agent/facts/inventory.h"
#include "agent/netlink/rtnl.h"

namespace roceready::facts {

inline constexpr size_t kMostNeighbours = 512;

// "resolved", "permanent", "failed", "incomplete"; empty for entries that need no resolution
// (multicast, point-to-point). The kernel moves a resolved entry between four states by the clock;
// told apart, they would make equal facts differ.
std::string NeighbourCondition(uint16_t state);

// On devices of the inventory, sorted, at most kMostNeighbours; the reading says how many were left
// out.
v1::NeighbourTable NeighboursOf(const std::vector<netlink::Neighbour>& neighbours,
                                const Inventory& inventory);

v1::NeighbourTable ReadNeighbours(netlink::Transport& route, const Inventory& inventory);

}  // namespace roceready::facts
