// SPDX-License-Identifier: Apache-2.0
// Pairs that wait for their adapters. A pair may begin when both of its adapters can be used, the
// pairs of an incast when all of theirs can; of several the one planned first. There are no rounds
// to wait for: an adapter that is free goes on with its next partner that is free, however slow a
// pair elsewhere is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "controller/probing/probe_runner.h"

namespace roceready {

class PairQueue {
 public:
  explicit PairQueue(std::span<const WaitingPair> pairs);

  bool empty() const { return waiting_ == 0; }
  // That wait, each of an incast counted.
  std::size_t pairs() const { return pairs_; }
  void Clear();

  // An adapter can be used that could not, or its host cannot be reached any more. Each one has to
  // be told of; names that are in no pair are passed over.
  void Freed(const std::string& adapter);

  using CanUse = std::function<bool(const PairAdapter&)>;
  // `begin` is given the place of each pair that may begin, at most `room` of them, but incasts
  // whole; from then on `can_use` speaks of its adapters as taken.
  void Begin(std::size_t room, const CanUse& can_use,
             const std::function<void(std::size_t place)>& begin);

 private:
  struct Adapter {
    PairAdapter id;
    std::vector<std::uint32_t> units;  // ascending
    std::size_t first_waiting = 0;     // in `units`: those before have begun
    bool due = false;
  };

  // What begins at once: one pair, or those of an incast.
  struct Unit {
    std::uint32_t first_place = 0;
    std::uint32_t places = 0;
    std::uint32_t first_adapter = 0;  // in `adapters_of_units_`, up to the next unit's
  };

  std::uint32_t AdapterOf(const PairAdapter& id);
  std::span<const std::uint32_t> AdaptersOf(std::size_t unit) const;
  void MakeDue(std::uint32_t adapter);
  // The first unit of an adapter that may begin; units_.size(): none.
  std::size_t FirstReady(const Adapter& adapter, const CanUse& can_use) const;

  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::vector<Adapter> adapters_;
  std::vector<Unit> units_;
  std::vector<std::uint32_t> adapters_of_units_;
  std::vector<bool> begun_;  // by unit
  std::size_t waiting_ = 0;  // units
  std::size_t pairs_ = 0;    // of these units
  // Adapters to look at, by the unit that is first in their turn. Of a waiting unit whose adapters
  // can all be used, one at least is here.
  std::set<std::pair<std::uint32_t, std::uint32_t>> due_;
};

}  // namespace roceready
