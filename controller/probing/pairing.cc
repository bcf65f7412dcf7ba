// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/pairing.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "controller/probing/sparse_graph.h"
#include "controller/probing/tournament.h"

namespace roceready {
namespace {

// The ports of one rail as the players of a tournament: those on one leaf beside each other.
struct Rail {
  std::span<const checks::RailPort> ports;
  std::uint32_t first_place = 0;
  std::vector<std::uint32_t> place_of;  // by player
  SparsePlayers players;
};

Rail ArrangeByLeaf(std::span<const checks::RailPort> ports, std::uint32_t first_place) {
  Rail rail{.ports = ports, .first_place = first_place, .place_of = {}, .players = {}};
  std::vector<std::uint32_t> order(ports.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::uint32_t i) -> const std::string& { return ports[i].leaf; });
  std::map<std::string_view, std::uint32_t> teams;
  const std::string* leaf = nullptr;
  for (const std::uint32_t i : order) {
    if (leaf == nullptr || *leaf != ports[i].leaf) rail.players.group_sizes.push_back(0);
    leaf = &ports[i].leaf;
    ++rail.players.group_sizes.back();
    const auto team = teams.try_emplace(ports[i].host, static_cast<std::uint32_t>(teams.size()));
    rail.players.team_of.push_back(team.first->second);
    rail.place_of.push_back(first_place + i);
  }
  return rail;
}

// Rounds of which each is as long as the adapters allow. A pair goes to the first round in which
// both of its adapters are free: a tournament keeps its rounds so, and rails whose ports share
// adapters take turns.
class Rounds {
 public:
  explicit Rounds(std::span<const checks::RailPort> ports) {
    std::map<std::tuple<std::string_view, std::string_view>, std::uint32_t> adapters;
    for (const checks::RailPort& port : ports) {
      const auto found = adapters.try_emplace({port.host, port.adapter_id},
                                              static_cast<std::uint32_t>(adapters.size()));
      adapter_of_.push_back(found.first->second);
    }
    taken_.resize(adapters.size());
  }

  void Add(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t round = FirstFree(taken_[adapter_of_[a]], taken_[adapter_of_[b]]);
    Take(taken_[adapter_of_[a]], round);
    Take(taken_[adapter_of_[b]], round);
    pairing_.rounds = std::max(pairing_.rounds, round + 1);
    pairing_.pairs.push_back({a, b, round, 0});
  }

  // Of `a` each to `b`, at the same time.
  void AddIncast(std::span<const std::uint32_t> a, std::uint32_t b) {
    Bits taken = taken_[adapter_of_[b]];
    for (const std::uint32_t one : a) {
      const Bits& more = taken_[adapter_of_[one]];
      if (more.size() > taken.size()) taken.resize(more.size());
      for (std::size_t i = 0; i < more.size(); ++i) taken[i] |= more[i];
    }
    const std::uint32_t round = FirstFree(taken, {});
    Take(taken_[adapter_of_[b]], round);
    ++incasts_;
    for (const std::uint32_t one : a) {
      Take(taken_[adapter_of_[one]], round);
      pairing_.pairs.push_back({one, b, round, incasts_});
    }
    pairing_.rounds = std::max(pairing_.rounds, round + 1);
  }

  Pairing Finish() {
    std::ranges::stable_sort(pairing_.pairs, {}, &PortPair::round);
    return std::move(pairing_);
  }

 private:
  using Bits = std::vector<std::uint64_t>;  // by round
  static constexpr std::uint32_t kBits = 64;

  static std::uint32_t FirstFree(const Bits& a, const Bits& b) {
    const std::size_t words = std::max(a.size(), b.size());
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t taken = (i < a.size() ? a[i] : 0) | (i < b.size() ? b[i] : 0);
      if (~taken != 0) return static_cast<std::uint32_t>(i * kBits) + std::countr_one(taken);
    }
    return static_cast<std::uint32_t>(words * kBits);
  }

  static void Take(Bits& bits, std::uint32_t round) {
    if (bits.size() <= round / kBits) bits.resize(round / kBits + 1);
    bits[round / kBits] |= std::uint64_t{1} << round % kBits;
  }

  std::vector<std::uint32_t> adapter_of_;  // by place
  std::vector<Bits> taken_;                // by adapter
  Pairing pairing_;
  std::uint32_t incasts_ = 0;
};

std::vector<std::span<const checks::RailPort>> ByRail(std::span<const checks::RailPort> ports) {
  std::vector<std::span<const checks::RailPort>> rails;
  for (std::size_t begin = 0, end = 0; begin < ports.size(); begin = end) {
    while (end < ports.size() && ports[end].rail == ports[begin].rail) ++end;
    rails.push_back(ports.subspan(begin, end - begin));
  }
  return rails;
}

std::vector<Meeting> AllMeetings(const Rail& rail) {
  std::vector<Meeting> meetings;
  for (const TournamentRound& round : GroupsFirstTournament(rail.players.group_sizes)) {
    for (const Meeting& meeting : round) {
      if (rail.players.team_of[meeting.first] != rail.players.team_of[meeting.second]) {
        meetings.push_back(meeting);
      }
    }
  }
  return meetings;
}

// To each port from the next ones of other hosts, each with an adapter of its own.
void AddIncasts(std::uint32_t degree, std::span<const checks::RailPort> rail,
                std::uint32_t first_place, Rounds& rounds) {
  for (std::size_t to = 0; to < rail.size(); ++to) {
    std::vector<std::uint32_t> from;
    std::set<std::tuple<std::string_view, std::string_view>> adapters;
    for (std::size_t i = 1; i < rail.size() && from.size() < degree; ++i) {
      const std::size_t place = (to + i) % rail.size();
      if (rail[place].host == rail[to].host) continue;
      if (!adapters.emplace(rail[place].host, rail[place].adapter_id).second) continue;
      from.push_back(first_place + static_cast<std::uint32_t>(place));
    }
    if (from.size() < 2) continue;
    rounds.AddIncast(from, first_place + static_cast<std::uint32_t>(to));
  }
}

void AddRail(v1::PlanKind kind, std::uint32_t degree, const Rail& rail, Rounds& rounds) {
  const bool is_sparse = kind == v1::PLAN_KIND_SPARSE && degree + 1 < rail.ports.size();
  const std::vector<Meeting> meetings =
      is_sparse ? SparseGraph(rail.players, degree) : AllMeetings(rail);
  for (const auto& [a, b] : meetings) rounds.Add(rail.place_of[a], rail.place_of[b]);
}

std::uint64_t PairsOfDifferentHosts(std::span<const checks::RailPort> rail) {
  std::map<std::string_view, std::uint64_t> ports_of_host;
  for (const checks::RailPort& port : rail) ++ports_of_host[port.host];
  std::uint64_t pairs = 0, before = 0;
  for (const auto& [host, ports] : ports_of_host) {
    pairs += before * ports;
    before += ports;
  }
  return pairs;
}

}  // namespace

Pairing PairPorts(v1::PlanKind kind, std::uint32_t degree,
                  std::span<const checks::RailPort> ports) {
  Rounds rounds(ports);
  std::uint32_t first_place = 0;
  for (const auto rail : ByRail(ports)) {
    if (kind == v1::PLAN_KIND_RING) {
      for (const auto& [a, b] : checks::RingPlacesOf(rail)) {
        rounds.Add(first_place + static_cast<std::uint32_t>(a),
                   first_place + static_cast<std::uint32_t>(b));
      }
    } else if (kind == v1::PLAN_KIND_INCAST) {
      AddIncasts(degree, rail, first_place, rounds);
    } else {
      AddRail(kind, degree, ArrangeByLeaf(rail, first_place), rounds);
    }
    first_place += static_cast<std::uint32_t>(rail.size());
  }
  return rounds.Finish();
}

std::uint64_t CountPairs(v1::PlanKind kind, std::uint32_t degree,
                         std::span<const checks::RailPort> ports) {
  std::uint64_t pairs = 0;
  for (const auto rail : ByRail(ports)) {
    const std::uint64_t all = PairsOfDifferentHosts(rail);
    if (kind == v1::PLAN_KIND_RING) {
      pairs += checks::RingPlacesOf(rail).size();
    } else if (kind == v1::PLAN_KIND_SPARSE) {
      pairs += std::min(all, std::uint64_t{degree} * rail.size() / 2);
    } else if (kind == v1::PLAN_KIND_INCAST) {
      pairs += std::min(2 * all, std::uint64_t{degree} * rail.size());
    } else {
      pairs += all;
    }
  }
  return pairs;
}

}  // namespace roceready
