// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/pair_queue.h"

namespace roceready {

PairQueue::PairQueue(std::span<const WaitingPair> pairs) {
  pairs_.reserve(pairs.size());
  for (const WaitingPair& pair : pairs) {
    const auto place = static_cast<std::uint32_t>(pairs_.size());
    const std::uint32_t a = AdapterOf(pair.a), b = AdapterOf(pair.b);
    adapters_[a].pairs.push_back(place);
    adapters_[b].pairs.push_back(place);
    pairs_.emplace_back(a, b);
  }
  begun_.resize(pairs_.size());
  waiting_ = pairs_.size();
  for (std::uint32_t adapter = 0; adapter < adapters_.size(); ++adapter) MakeDue(adapter);
}

std::uint32_t PairQueue::AdapterOf(const PairAdapter& id) {
  const auto [found, is_new] =
      by_name_.try_emplace(id.name, static_cast<std::uint32_t>(adapters_.size()));
  if (is_new) adapters_.emplace_back().id = id;
  return found->second;
}

void PairQueue::Clear() {
  waiting_ = 0;
  due_.clear();
  begun_.assign(begun_.size(), true);
}

void PairQueue::Freed(const std::string& adapter) {
  const auto found = by_name_.find(adapter);
  if (found != by_name_.end()) MakeDue(found->second);
}

void PairQueue::MakeDue(std::uint32_t number) {
  Adapter& adapter = adapters_[number];
  while (adapter.first_waiting < adapter.pairs.size() &&
         begun_[adapter.pairs[adapter.first_waiting]]) {
    ++adapter.first_waiting;
  }
  if (adapter.first_waiting == adapter.pairs.size() || adapter.due) return;
  adapter.due = true;
  due_.emplace(adapter.pairs[adapter.first_waiting], number);
}

std::size_t PairQueue::FirstReady(Adapter& adapter, const CanUse& can_use) {
  if (!can_use(adapter.id)) return pairs_.size();
  for (std::size_t i = adapter.first_waiting; i < adapter.pairs.size(); ++i) {
    const std::uint32_t place = adapter.pairs[i];
    if (begun_[place]) continue;
    const auto& [a, b] = pairs_[place];
    if (can_use(adapters_[&adapters_[a] == &adapter ? b : a].id)) return place;
  }
  return pairs_.size();
}

void PairQueue::Begin(std::size_t room, const CanUse& can_use,
                      const std::function<void(std::size_t place)>& begin) {
  while (room > 0 && !due_.empty()) {
    const std::uint32_t number = due_.begin()->second;
    due_.erase(due_.begin());
    adapters_[number].due = false;
    const std::size_t place = FirstReady(adapters_[number], can_use);
    if (place == pairs_.size()) continue;
    begun_[place] = true;
    --waiting_;
    --room;
    begin(place);
    // Where that took no adapter, as on a host that is gone, the next pair may begin at once.
    MakeDue(pairs_[place].first);
    MakeDue(pairs_[place].second);
  }
}

}  // namespace roceready
