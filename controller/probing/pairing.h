// SPDX-License-Identifier: Apache-2.0
// Who is paired with whom, and in which round: a plan without hosts' states, policies and orders.
// Pure; the same ports give the same pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checks/rails.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

// Two ports of different hosts on one rail, as places in the list of ports.
struct PortPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  // From 0. No physical adapter is in two pairs of a round.
  std::uint32_t round = 0;
  // From 1: pairs of one incast, in a row, with the same `b`. They count as one pair of the round
  // that uses all of their adapters. 0: none.
  std::uint32_t incast = 0;

  bool operator==(const PortPair&) const = default;
};

struct Pairing {
  // By round.
  std::vector<PortPair> pairs;
  std::uint32_t rounds = 0;
};

// `ports`: sorted by rail, then as checks::GroupByRail() does. The kinds, on each rail:
//   RING        each port with the next one
//   SPARSE      each port with `degree` others at least, as far as there are so many: half of them
//               on its own leaf where LLDP tells leaves, the others spread over all, and every port
//               can be reached from every other
//   PAIR, RAIL, FULL   every two ports of different hosts
//   INCAST      to each port from `degree` others, or as many as there are, two at least
// Pairs on one leaf come before pairs across, as far as that costs no round.
Pairing PairPorts(v1::PlanKind kind, std::uint32_t degree, std::span<const checks::RailPort> ports);

// How many pairs that is, told without making them; of SPARSE about so many.
std::uint64_t CountPairs(v1::PlanKind kind, std::uint32_t degree,
                         std::span<const checks::RailPort> ports);

}  // namespace roceready
