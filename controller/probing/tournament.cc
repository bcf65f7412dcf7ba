// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/tournament.h"

#include <algorithm>
#include <numeric>

namespace roceready {
namespace {

Meeting Of(std::uint32_t one, std::uint32_t other) { return std::minmax(one, other); }

// Groups of one even size: first a circle within each, then a circle of half groups, whose round 0
// (the halves of one group against each other) has been played by then.
std::vector<TournamentRound> EvenGroupsFirst(std::uint32_t groups, std::uint32_t size) {
  std::vector<TournamentRound> rounds;
  for (std::uint32_t number = 0; number < CircleRounds(size); ++number) {
    TournamentRound& round = rounds.emplace_back();
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (const auto& [a, b] : CircleRound(size, number)) {
        round.emplace_back(group * size + a, group * size + b);
      }
    }
  }
  const std::uint32_t halves = 2 * groups, half_size = size / 2;
  // In round 0 of a circle half h meets halves - 1 - h: those two make up one group.
  const auto first_of = [&](std::uint32_t half) {
    return half < groups ? half * size : (halves - 1 - half) * size + half_size;
  };
  for (std::uint32_t number = 1; number < CircleRounds(halves); ++number) {
    const TournamentRound of_halves = CircleRound(halves, number);
    for (std::uint32_t shift = 0; shift < half_size; ++shift) {
      TournamentRound& round = rounds.emplace_back();
      for (const auto& [one, other] : of_halves) {
        for (std::uint32_t i = 0; i < half_size; ++i) {
          round.push_back(Of(first_of(one) + i, first_of(other) + (i + shift) % half_size));
        }
      }
    }
  }
  return rounds;
}

}  // namespace

std::uint32_t CircleRounds(std::uint32_t players) {
  return players < 2 ? 0 : players - 1 + players % 2;
}

TournamentRound CircleRound(std::uint32_t players, std::uint32_t round) {
  TournamentRound meetings;
  // Two players meet in the round that their sum has modulo the number of rounds. One is left over:
  // it meets the last player, who is not on the circle where the number of players is even.
  const std::uint32_t on_circle = CircleRounds(players);
  for (std::uint32_t one = 0; one < on_circle; ++one) {
    const std::uint32_t other = (round + on_circle - one) % on_circle;
    if (one < other) meetings.emplace_back(one, other);
    if (one == other && players % 2 == 0) meetings.emplace_back(one, players - 1);
  }
  return meetings;
}

std::vector<TournamentRound> SpreadRounds(std::uint32_t players, std::uint32_t wanted) {
  const std::uint32_t all = CircleRounds(players);
  const std::uint32_t number = std::min(wanted, all);
  std::vector<TournamentRound> rounds;
  for (std::uint32_t i = 0; i < number; ++i) {
    const auto spread = static_cast<std::uint32_t>(std::uint64_t{i} * all / number);
    rounds.push_back(CircleRound(players, i == 1 ? 1 : spread));
  }
  return rounds;
}

std::vector<TournamentRound> GroupsFirstTournament(std::span<const std::uint32_t> group_sizes) {
  const auto groups = static_cast<std::uint32_t>(group_sizes.size());
  const bool alike =
      std::ranges::adjacent_find(group_sizes, std::not_equal_to<>()) == group_sizes.end();
  if (groups > 1 && alike && group_sizes.front() > 0 && group_sizes.front() % 2 == 0) {
    return EvenGroupsFirst(groups, group_sizes.front());
  }
  std::vector<std::uint32_t> group_of;
  for (std::uint32_t group = 0; group < groups; ++group) {
    group_of.insert(group_of.end(), group_sizes[group], group);
  }
  const auto players = static_cast<std::uint32_t>(group_of.size());
  std::vector<TournamentRound> rounds;
  rounds.reserve(CircleRounds(players));
  for (std::uint32_t number = 0; number < CircleRounds(players); ++number) {
    rounds.push_back(CircleRound(players, number));
  }
  const auto within = [&](const TournamentRound& round) {
    return std::ranges::count_if(round, [&](const Meeting& meeting) {
      return group_of[meeting.first] == group_of[meeting.second];
    });
  };
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> order;
  order.reserve(rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) order.emplace_back(-within(rounds[i]), i);
  std::ranges::sort(order);
  std::vector<TournamentRound> sorted;
  sorted.reserve(rounds.size());
  for (const auto& [minus_within, i] : order) sorted.push_back(std::move(rounds[i]));
  return sorted;
}

}  // namespace roceready
