// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/sparse_graph.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>

namespace roceready {
namespace {

// Two rounds of a circle over all players hold them together; one does not.
constexpr std::uint32_t kLeastOverAll = 2;

class Graph {
 public:
  Graph(const SparsePlayers& players, std::uint32_t degree)
      : players_(players),
        degree_(degree),
        degree_of_(players.team_of.size()),
        root_of_(players.team_of.size()) {
    std::iota(root_of_.begin(), root_of_.end(), 0);
  }

  void AddRounds(const std::vector<TournamentRound>& rounds, std::uint32_t first_player) {
    for (const TournamentRound& round : rounds) {
      for (const auto& [a, b] : round) {
        if (MayMeet(first_player + a, first_player + b)) Add(first_player + a, first_player + b);
      }
    }
  }

  // Where a round left a player without an opponent, or with one that it had met.
  void FillUp() {
    for (std::uint32_t player = 0; player < Size(); ++player) {
      while (degree_of_[player] < degree_) {
        const auto other = LeastMet(player);
        if (!other) break;
        Add(player, *other);
      }
    }
  }

  void JoinParts() {
    for (std::uint32_t player = 1; player < Size(); ++player) {
      for (std::uint32_t other = 0; other < Size() && RootOf(player) != RootOf(0); ++other) {
        if (RootOf(other) == RootOf(0) && MayMeet(player, other)) Add(player, other);
      }
    }
  }

  std::vector<Meeting> TakeMeetings() { return std::move(meetings_); }

 private:
  std::uint32_t Size() const { return static_cast<std::uint32_t>(degree_of_.size()); }

  static std::uint64_t KeyOf(std::uint32_t a, std::uint32_t b) {
    const auto [first, second] = std::minmax(a, b);
    return std::uint64_t{first} << 32 | second;
  }

  bool MayMeet(std::uint32_t a, std::uint32_t b) const {
    return players_.team_of[a] != players_.team_of[b] && !met_.contains(KeyOf(a, b));
  }

  void Add(std::uint32_t a, std::uint32_t b) {
    met_.insert(KeyOf(a, b));
    meetings_.push_back(std::minmax(a, b));
    ++degree_of_[a];
    ++degree_of_[b];
    root_of_[RootOf(a)] = RootOf(b);
  }

  // Those that lack opponents themselves come first.
  std::optional<std::uint32_t> LeastMet(std::uint32_t player) const {
    std::optional<std::uint32_t> least;
    for (std::uint32_t other = 0; other < Size(); ++other) {
      if (!MayMeet(player, other)) continue;
      if (!least || degree_of_[other] < degree_of_[*least]) least = other;
    }
    return least;
  }

  std::uint32_t RootOf(std::uint32_t player) {
    while (root_of_[player] != player) {
      root_of_[player] = root_of_[root_of_[player]];
      player = root_of_[player];
    }
    return player;
  }

  const SparsePlayers& players_;
  const std::uint32_t degree_;
  std::vector<std::uint32_t> degree_of_;
  std::vector<std::uint32_t> root_of_;
  std::unordered_set<std::uint64_t> met_;
  std::vector<Meeting> meetings_;
};

}  // namespace

std::vector<Meeting> SparseGraph(const SparsePlayers& players, std::uint32_t degree) {
  const auto size = static_cast<std::uint32_t>(players.team_of.size());
  Graph graph(players, degree);
  const std::uint32_t in_group =
      players.group_sizes.size() < 2
          ? 0
          : degree - std::min(degree, std::max(kLeastOverAll, degree - degree / 2));
  std::uint32_t first = 0;
  for (const std::uint32_t group_size : players.group_sizes) {
    graph.AddRounds(SpreadRounds(group_size, in_group), first);
    first += group_size;
  }
  graph.AddRounds(SpreadRounds(size, degree - in_group), 0);
  graph.FillUp();
  graph.JoinParts();
  return graph.TakeMeetings();
}

}  // namespace roceready
