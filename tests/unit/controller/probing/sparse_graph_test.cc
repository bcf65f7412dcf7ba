// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/sparse_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

namespace roceready {
namespace {

SparsePlayers Players(std::uint32_t groups, std::uint32_t size) {
  SparsePlayers players;
  players.group_sizes.assign(groups, size);
  players.team_of.resize(groups * size);
  std::iota(players.team_of.begin(), players.team_of.end(), 0);
  return players;
}

std::vector<std::uint32_t> DegreesOf(const std::vector<Meeting>& graph, std::size_t players) {
  std::vector<std::uint32_t> degrees(players);
  for (const auto& [a, b] : graph) ++degrees[a], ++degrees[b];
  return degrees;
}

std::size_t PartsOf(const std::vector<Meeting>& graph, std::size_t players) {
  std::vector<std::uint32_t> root(players);
  std::iota(root.begin(), root.end(), 0);
  for (const auto& [a, b] : graph) {
    const std::uint32_t from = root[a], to = root[b];
    for (std::uint32_t& one : root) one = one == from ? to : one;
  }
  return std::set(root.begin(), root.end()).size();
}

TEST(SparseGraph, GivesEachPlayerItsOpponentsAndHardlyMore) {
  const auto graph = SparseGraph(Players(4, 32), 8);
  const auto degrees = DegreesOf(graph, 128);
  EXPECT_EQ(*std::ranges::min_element(degrees), 8u);
  EXPECT_LE(*std::ranges::max_element(degrees), 9u);
  EXPECT_EQ(PartsOf(graph, 128), 1u);
}

TEST(SparseGraph, HasHalfOfTheOpponentsInTheGroupAndTheOthersInManyGroups) {
  const auto graph = SparseGraph(Players(8, 16), 8);
  for (std::uint32_t player = 0; player < 128; ++player) {
    std::size_t within = 0;
    std::set<std::uint32_t> other_groups;
    for (const auto& [a, b] : graph) {
      if (a != player && b != player) continue;
      const std::uint32_t other = a == player ? b : a;
      if (other / 16 == player / 16) {
        ++within;
      } else {
        other_groups.insert(other / 16);
      }
    }
    EXPECT_GE(within, 4u) << player;
    EXPECT_GE(other_groups.size(), 3u) << player;
  }
}

TEST(SparseGraph, OfTwoJoinsAllPlayersAcrossGroups) {
  EXPECT_EQ(PartsOf(SparseGraph(Players(4, 8), 2), 32), 1u);
}

TEST(SparseGraph, TakesWhatThereIsWhereTeamsLeaveFewOpponents) {
  // Two hosts with four ports each: nobody has more than four opponents.
  SparsePlayers players{.group_sizes = {8}, .team_of = {0, 0, 0, 0, 1, 1, 1, 1}};
  const auto graph = SparseGraph(players, 6);
  EXPECT_EQ(graph.size(), 16u);
}

TEST(SparseGraph, OfOneTeamIsEmpty) {
  EXPECT_TRUE(SparseGraph({.group_sizes = {3}, .team_of = {0, 0, 0}}, 2).empty());
  EXPECT_TRUE(SparseGraph({}, 2).empty());
}

RC_GTEST_PROP(SparseGraph, OfAnyPlayersHoldsTogetherAndGivesEachAsManyAsThereAre, ()) {
  SparsePlayers players;
  players.group_sizes = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(1, 9)));
  const auto size =
      std::accumulate(players.group_sizes.begin(), players.group_sizes.end(), std::size_t{0});
  players.team_of =
      *rc::gen::container<std::vector<std::uint32_t>>(size, rc::gen::inRange<std::uint32_t>(0, 12));
  const auto degree = *rc::gen::inRange<std::uint32_t>(2, 10);
  const auto graph = SparseGraph(players, degree);

  RC_ASSERT(std::set(graph.begin(), graph.end()).size() == graph.size());
  const auto degrees = DegreesOf(graph, size);
  for (std::uint32_t player = 0; player < size; ++player) {
    const auto opponents = std::ranges::count_if(
        players.team_of, [&](std::uint32_t team) { return team != players.team_of[player]; });
    RC_ASSERT(degrees[player] >= std::min<std::uint32_t>(degree, opponents));
  }
  for (const auto& [a, b] : graph) RC_ASSERT(players.team_of[a] != players.team_of[b]);
  const bool several = std::set(players.team_of.begin(), players.team_of.end()).size() > 1;
  RC_ASSERT(PartsOf(graph, size) == (several ? 1u : size));
}

}  // namespace
}  // namespace roceready
