// SPDX-License-Identifier: Apache-2.0
// Round-robin tournaments: who meets whom in which round, nobody twice in one. Pure arithmetic over
// players 0, 1, 2 ...
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace roceready {

using Meeting = std::pair<std::uint32_t, std::uint32_t>;  // the smaller player first
using TournamentRound = std::vector<Meeting>;

// By the circle method: `players` - 1 rounds, or as many as players where those are odd. Any two
// rounds next to each other join all players in one path.
std::uint32_t CircleRounds(std::uint32_t players);
TournamentRound CircleRound(std::uint32_t players, std::uint32_t round);

// `wanted` of a circle's rounds, at most all: the first two and others spread evenly, so that each
// player's opponents are spread over all of them.
std::vector<TournamentRound> SpreadRounds(std::uint32_t players, std::uint32_t wanted);

// Everybody against everybody, in as many rounds as CircleRounds(). Groups are of neighbouring
// players, given by their sizes. Where all are of one even size, meetings within a group come in
// the first rounds and none later. Else the rounds with most of them come first: to have all of
// them first would take more rounds.
std::vector<TournamentRound> GroupsFirstTournament(std::span<const std::uint32_t> group_sizes);

}  // namespace roceready
