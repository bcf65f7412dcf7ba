// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/tournament.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

namespace roceready {
namespace {

using testing::ElementsAre;

std::vector<TournamentRound> Circle(std::uint32_t players) {
  std::vector<TournamentRound> rounds;
  for (std::uint32_t i = 0; i < CircleRounds(players); ++i) {
    rounds.push_back(CircleRound(players, i));
  }
  return rounds;
}

// What is wrong with them as a tournament of all against all; empty: nothing.
std::string Mistake(const std::vector<TournamentRound>& rounds, std::uint32_t players) {
  std::set<Meeting> met;
  for (const TournamentRound& round : rounds) {
    std::set<std::uint32_t> playing;
    for (const auto& [a, b] : round) {
      if (a >= b || b >= players) return "a meeting of nobody, or the larger first";
      if (!playing.insert(a).second || !playing.insert(b).second) return "a player is twice in one";
      if (!met.emplace(a, b).second) return "a meeting comes twice";
    }
  }
  if (met.size() != std::size_t{players} * (players - 1) / 2) return "a meeting is missing";
  return {};
}

TEST(CircleRound, OfFourPlayersAreThree) {
  EXPECT_EQ(CircleRounds(4), 3u);
  EXPECT_EQ(Mistake(Circle(4), 4), "");
}

TEST(CircleRound, LeavesOneOutWhereThePlayersAreOdd) {
  EXPECT_EQ(CircleRounds(5), 5u);
  for (const TournamentRound& round : Circle(5)) EXPECT_EQ(round.size(), 2u);
  EXPECT_EQ(Mistake(Circle(5), 5), "");
}

TEST(CircleRound, OfOneOrNobodyIsNone) {
  EXPECT_EQ(CircleRounds(0), 0u);
  EXPECT_EQ(CircleRounds(1), 0u);
  EXPECT_EQ(CircleRounds(2), 1u);
  EXPECT_THAT(CircleRound(2, 0), ElementsAre(Meeting(0, 1)));
}

RC_GTEST_PROP(CircleRound, EachTwoPlayersMeetOnceInTheFewestRounds, ()) {
  const auto players = *rc::gen::inRange<std::uint32_t>(2, 130);
  RC_ASSERT(CircleRounds(players) == (players % 2 == 0 ? players - 1 : players));
  RC_ASSERT(Mistake(Circle(players), players) == "");
}

RC_GTEST_PROP(SpreadRounds, AreDifferentRoundsAndTwoJoinAllPlayers, ()) {
  const auto players = *rc::gen::inRange<std::uint32_t>(2, 130);
  const auto wanted = *rc::gen::inRange<std::uint32_t>(2, 20);
  const auto rounds = SpreadRounds(players, wanted);
  RC_ASSERT(rounds.size() == std::min(wanted, CircleRounds(players)));
  std::vector<std::uint32_t> root(players);
  std::iota(root.begin(), root.end(), 0);
  std::set<Meeting> met;
  std::uint32_t parts = players;
  for (const TournamentRound& round : rounds) {
    for (const auto& [a, b] : round) {
      RC_ASSERT(met.emplace(a, b).second);
      const std::uint32_t from = root[a], to = root[b];
      if (from != to) --parts;
      for (std::uint32_t& one : root) one = one == from ? to : one;
    }
  }
  RC_ASSERT(parts == 1u);
}

// --- groups ---

std::vector<std::uint32_t> GroupOf(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> group_of;
  for (std::uint32_t i = 0; i < sizes.size(); ++i) group_of.insert(group_of.end(), sizes[i], i);
  return group_of;
}

TEST(GroupsFirstTournament, OfGroupsOfOneEvenSizePlaysWithinThemFirstAtNoCost) {
  for (std::uint32_t groups : {2u, 3u, 4u, 5u}) {
    for (std::uint32_t size : {2u, 4u, 6u, 16u}) {
      const std::vector<std::uint32_t> sizes(groups, size);
      const auto group_of = GroupOf(sizes);
      const auto rounds = GroupsFirstTournament(sizes);
      EXPECT_EQ(rounds.size(), groups * size - 1) << groups << " of " << size;
      EXPECT_EQ(Mistake(rounds, groups * size), "") << groups << " of " << size;
      for (std::uint32_t i = 0; i < rounds.size(); ++i) {
        for (const auto& [a, b] : rounds[i]) {
          EXPECT_EQ(group_of[a] == group_of[b], i < size - 1) << groups << " of " << size;
        }
      }
    }
  }
}

RC_GTEST_PROP(GroupsFirstTournament, OfAnyGroupsTakesNoMoreRoundsThanACircle, ()) {
  const auto sizes = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(1, 9)));
  const auto players = std::accumulate(sizes.begin(), sizes.end(), 0u);
  const auto rounds = GroupsFirstTournament(sizes);
  RC_ASSERT(rounds.size() == CircleRounds(players));
  RC_ASSERT(Mistake(rounds, players) == "");
}

}  // namespace
}  // namespace roceready
