// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/fabric.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace roceready::scale {
namespace {

constexpr double kBusyPairs = 0.02;

bool Is(const PairTruth& pair, const Fault& fault) {
  return fault.part == Part::kPair && fault.rail.value_or(0) == pair.rail &&
         std::minmax(*fault.host, *fault.peer) == std::minmax(pair.a, pair.b);
}

size_t LeafOf(const Mix& mix, size_t host) { return mix.leaf == 0 ? 0 : host / mix.leaf; }

bool Passes(Way way, bool sends, bool receives) {
  if (way == Way::kBoth) return sends || receives;
  return way == Way::kSending ? sends : receives;
}

bool Meets(const Mix& mix, const Fault& fault, size_t rail, size_t from, size_t to) {
  if (fault.part != Part::kHost && fault.rail != rail) return false;
  const size_t leaf_from = LeafOf(mix, from), leaf_to = LeafOf(mix, to);
  switch (fault.part) {
    case Part::kPort:
    case Part::kHost:
      return Passes(fault.way, fault.host == from, fault.host == to);
    case Part::kPair:
      return Passes(fault.way, fault.host == from && fault.peer == to,
                    fault.host == to && fault.peer == from);
    case Part::kBetween:
      return Passes(fault.way, fault.leaf == leaf_from && fault.to == leaf_to,
                    fault.leaf == leaf_to && fault.to == leaf_from);
    case Part::kUplinks:
      return leaf_from != leaf_to &&
             Passes(fault.way, fault.leaf == leaf_from, fault.leaf == leaf_to);
    case Part::kLeaf:
      return fault.leaf == leaf_from || fault.leaf == leaf_to;
    case Part::kRail:
      return true;
  }
  return false;
}

void Break(const Fault& fault, WayTruth& way) {
  switch (fault.wrong) {
    case Wrong::kDead:
      way.dead = true;
      return;
    case Wrong::kLarge:
      way.large = true;
      return;
    case Wrong::kLoss:
      way.loss = 1 - (1 - way.loss) * (1 - fault.rate);
      return;
    case Wrong::kSlow:
      way.share = std::min(way.share, fault.share);
      return;
  }
}

class Maker {
 public:
  Maker(const Mix& mix, std::mt19937_64& random) : mix_(mix), random_(random) {}

  Fabric Make() {
    Fabric fabric;
    MakePairs(fabric);
    for (Fault fault : mix_.faults) {
      Settle(fault, fabric);
      fabric.faults.push_back(fault);
    }
    fabric.expected = mix_.expected ? *mix_.expected : fabric.faults;
    for (PairTruth& pair : fabric.pairs) {
      pair.busy = IsBusy(mix_, random_) || IsAlwaysBusy(pair);
      if (pair.busy)
        std::erase_if(fabric.expected, [&](const Fault& fault) { return Is(pair, fault); });
      pair.a_to_b = WayBetween(mix_, fabric.faults, pair.rail, pair.a, pair.b);
      pair.b_to_a = WayBetween(mix_, fabric.faults, pair.rail, pair.b, pair.a);
    }
    return fabric;
  }

 private:
  bool IsAlwaysBusy(const PairTruth& pair) const {
    return std::ranges::any_of(mix_.always_busy, [&](const auto& two) {
      return std::minmax(two.first, two.second) == std::minmax(pair.a, pair.b);
    });
  }

  size_t Any(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  size_t Leaves() const { return LeafOf(mix_, mix_.hosts - 1) + 1; }

  // Each host with the next ones, which are mostly on its leaf, and with others some way off: each
  // distance gives every port two peers.
  void MakePairs(Fabric& fabric) {
    for (size_t rail = 0; rail < mix_.rails; ++rail) {
      std::set<size_t> distances;
      const size_t most = mix_.hosts / 2, wanted = std::min(mix_.degree / 2, most);
      for (size_t near = 1; near <= (wanted + 1) / 2; ++near) distances.insert(near);
      while (distances.size() < wanted) distances.insert(1 + Any(most));
      std::set<std::pair<size_t, size_t>> pairs;
      for (const size_t distance : distances) {
        for (size_t host = 0; host < mix_.hosts; ++host) {
          pairs.insert(std::minmax(host, (host + distance) % mix_.hosts));
        }
      }
      for (const auto& [a, b] : pairs) fabric.pairs.push_back({.rail = rail, .a = a, .b = b});
    }
  }

  // Faults that the seed places are on hosts and leaves of their own.
  size_t FreshHost() {
    size_t host = Any(mix_.hosts);
    while (!hosts_.insert(host).second) host = Any(mix_.hosts);
    return host;
  }
  size_t FreshLeaf() {
    size_t leaf = Any(Leaves());
    while (!leaves_.insert(leaf).second) leaf = Any(Leaves());
    return leaf;
  }

  void Settle(Fault& fault, const Fabric& fabric) {
    if (!fault.rail) fault.rail = Any(mix_.rails);
    switch (fault.part) {
      case Part::kPair:
        return SettlePair(fault, fabric);
      case Part::kPort:
      case Part::kHost:
        if (!fault.host) fault.host = FreshHost();
        return;
      case Part::kBetween:
        if (!fault.leaf) fault.leaf = FreshLeaf();
        while (!fault.to || fault.to == fault.leaf) fault.to = Any(Leaves());
        return;
      case Part::kUplinks:
      case Part::kLeaf:
        if (!fault.leaf) fault.leaf = FreshLeaf();
        return;
      case Part::kRail:
        return;
    }
  }

  // One that is probed, of two hosts that have no other fault.
  void SettlePair(Fault& fault, const Fabric& fabric) {
    while (!fault.host || !fault.peer) {
      const PairTruth& pair = fabric.pairs[Any(fabric.pairs.size())];
      if (pair.rail != fault.rail || hosts_.contains(pair.a) || hosts_.contains(pair.b)) continue;
      fault.host = pair.a;
      fault.peer = pair.b;
      hosts_.insert({pair.a, pair.b});
    }
  }

  const Mix& mix_;
  std::mt19937_64& random_;
  std::set<size_t> hosts_, leaves_;
};

}  // namespace

WayTruth WayBetween(const Mix& mix, const std::vector<Fault>& faults, size_t rail, size_t from,
                    size_t to) {
  WayTruth way;
  for (const Fault& fault : faults) {
    if (Meets(mix, fault, rail, from, to)) Break(fault, way);
  }
  return way;
}

bool IsBusy(const Mix& mix, std::mt19937_64& random) {
  return !mix.idle && std::uniform_real_distribution<double>(0, 1)(random) < kBusyPairs;
}

Fabric MakeFabric(const Mix& mix, std::mt19937_64& random) { return Maker(mix, random).Make(); }

std::string LeafName(size_t rail, size_t leaf) { return fmt::format("rail{}-leaf{}", rail, leaf); }

std::string NameOf(const Fault& fault) {
  const std::string lead = fmt::format("{} {} ", WordOf(fault.wrong), WordOf(fault.part));
  const std::string way(WordOf(fault.way));
  const size_t rail = fault.rail.value_or(0);
  switch (fault.part) {
    case Part::kPort:
      return fmt::format("{}host{} rail{} {}", lead, *fault.host, rail, way);
    case Part::kHost:
      return fmt::format("{}host{} {}", lead, *fault.host, way);
    case Part::kPair: {
      const auto [first, second] = std::minmax(*fault.host, *fault.peer);
      return fmt::format("{}host{} host{} rail{}", lead, first, second, rail);
    }
    case Part::kBetween: {
      // The direction is told from the lesser to the greater, or back.
      const bool turned = *fault.leaf > *fault.to;
      const auto [first, second] = std::minmax(*fault.leaf, *fault.to);
      const Way seen = fault.way == Way::kBoth || !turned ? fault.way
                       : fault.way == Way::kSending       ? Way::kReceiving
                                                          : Way::kSending;
      return fmt::format("{}{} {} {}", lead, LeafName(rail, first), LeafName(rail, second),
                         WordOf(seen));
    }
    case Part::kUplinks:
      return fmt::format("{}{} {}", lead, LeafName(rail, *fault.leaf), way);
    case Part::kLeaf:
      return lead + LeafName(rail, *fault.leaf);
    case Part::kRail:
      return fmt::format("{}rail{}", lead, rail);
  }
  return lead;
}

}  // namespace roceready::scale
