// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/pair_queue.h"

#include <algorithm>

namespace roceready {

PairQueue::PairQueue(std::span<const WaitingPair> pairs) {
  for (std::size_t place = 0; place < pairs.size();) {
    const std::uint32_t incast = pairs[place].incast;
    std::size_t end = place + 1;
    while (incast != 0 && end < pairs.size() && pairs[end].incast == incast) ++end;
    const auto unit = static_cast<std::uint32_t>(units_.size());
    units_.push_back({.first_place = static_cast<std::uint32_t>(place),
                      .places = static_cast<std::uint32_t>(end - place),
                      .first_adapter = static_cast<std::uint32_t>(adapters_of_units_.size())});
    adapters_of_units_.push_back(AdapterOf(pairs[place].b));
    for (; place < end; ++place) adapters_of_units_.push_back(AdapterOf(pairs[place].a));
    for (const std::uint32_t adapter : AdaptersOf(unit)) adapters_[adapter].units.push_back(unit);
  }
  begun_.resize(units_.size());
  waiting_ = units_.size();
  pairs_ = pairs.size();
  for (std::uint32_t adapter = 0; adapter < adapters_.size(); ++adapter) MakeDue(adapter);
}

std::span<const std::uint32_t> PairQueue::AdaptersOf(std::size_t unit) const {
  const std::size_t begin = units_[unit].first_adapter;
  const std::size_t end =
      unit + 1 < units_.size() ? units_[unit + 1].first_adapter : adapters_of_units_.size();
  return std::span(adapters_of_units_).subspan(begin, end - begin);
}

std::uint32_t PairQueue::AdapterOf(const PairAdapter& id) {
  const auto [found, is_new] =
      by_name_.try_emplace(id.name, static_cast<std::uint32_t>(adapters_.size()));
  if (is_new) adapters_.emplace_back().id = id;
  return found->second;
}

void PairQueue::Clear() {
  waiting_ = 0;
  pairs_ = 0;
  due_.clear();
  begun_.assign(begun_.size(), true);
}

void PairQueue::Freed(const std::string& adapter) {
  const auto found = by_name_.find(adapter);
  if (found != by_name_.end()) MakeDue(found->second);
}

void PairQueue::MakeDue(std::uint32_t number) {
  Adapter& adapter = adapters_[number];
  while (adapter.first_waiting < adapter.units.size() &&
         begun_[adapter.units[adapter.first_waiting]]) {
    ++adapter.first_waiting;
  }
  if (adapter.first_waiting == adapter.units.size() || adapter.due) return;
  adapter.due = true;
  due_.emplace(adapter.units[adapter.first_waiting], number);
}

std::size_t PairQueue::FirstReady(const Adapter& adapter, const CanUse& can_use) const {
  if (!can_use(adapter.id)) return units_.size();
  for (std::size_t i = adapter.first_waiting; i < adapter.units.size(); ++i) {
    const std::uint32_t unit = adapter.units[i];
    if (begun_[unit]) continue;
    const bool is_ready = std::ranges::all_of(AdaptersOf(unit), [&](std::uint32_t other) {
      return &adapters_[other] == &adapter || can_use(adapters_[other].id);
    });
    if (is_ready) return unit;
  }
  return units_.size();
}

void PairQueue::Begin(std::size_t room, const CanUse& can_use,
                      const std::function<void(std::size_t place)>& begin) {
  while (room > 0 && !due_.empty()) {
    const std::uint32_t number = due_.begin()->second;
    due_.erase(due_.begin());
    adapters_[number].due = false;
    const std::size_t ready = FirstReady(adapters_[number], can_use);
    if (ready == units_.size()) continue;
    const Unit& unit = units_[ready];
    begun_[ready] = true;
    --waiting_;
    pairs_ -= unit.places;
    room -= std::min<std::size_t>(room, unit.places);
    for (std::uint32_t i = 0; i < unit.places; ++i) begin(unit.first_place + i);
    // Where that took no adapter, as on a host that is gone, the next pair may begin at once.
    for (const std::uint32_t adapter : AdaptersOf(ready)) MakeDue(adapter);
  }
}

}  // namespace roceready
