// SPDX-License-Identifier: Apache-2.0
// A graph in which each player has at least so many opponents, well spread, and which holds
// together. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller/probing/tournament.h"

namespace roceready {

struct SparsePlayers {
  // Groups of neighbouring players (those on one leaf), by their sizes.
  std::vector<std::uint32_t> group_sizes;
  // The team of each player (its host): players of one team never meet.
  std::vector<std::uint32_t> team_of;
};

// Each two players at most once. First the meetings within groups, about half of `degree` for each
// player; then rounds over all players; then what is missing to `degree` and to one graph that
// holds together, as far as teams allow.
std::vector<Meeting> SparseGraph(const SparsePlayers& players, std::uint32_t degree);

}  // namespace roceready
