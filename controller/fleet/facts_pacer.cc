// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/facts_pacer.h"

#include <algorithm>

namespace roceready {

v1::FactsWanted MergeFactsWanted(const v1::FactsWanted& older, const v1::FactsWanted& newer) {
  v1::FactsWanted both;
  // The lower base brings more; 0 brings everything.
  both.set_since_generation(std::min(older.since_generation(), newer.since_generation()));
  both.set_collect_now(older.collect_now() || newer.collect_now());
  both.set_with_raw_counters(older.with_raw_counters() || newer.with_raw_counters());
  both.set_request(std::max(older.request(), newer.request()));
  return both;
}

void FactsPacer::Ask(StreamId stream, const v1::FactsWanted& wanted) {
  auto [place, fresh] = waiting_.try_emplace(stream, wanted);
  if (fresh) {
    order_.push_back(stream);
  } else {
    place->second = MergeFactsWanted(place->second, wanted);
  }
}

void FactsPacer::Forget(StreamId stream) {
  asked_.erase(stream);
  if (waiting_.erase(stream) > 0) std::erase(order_, stream);
}

std::vector<std::pair<StreamId, v1::FactsWanted>> FactsPacer::Release(MonotonicTime now) {
  std::erase_if(asked_, [&](const auto& entry) { return now - entry.second >= patience_; });
  std::vector<std::pair<StreamId, v1::FactsWanted>> released;
  for (auto next = order_.begin(); next != order_.end() && asked_.size() < at_once_;) {
    if (asked_.contains(*next)) {
      ++next;
      continue;
    }
    asked_[*next] = now;
    released.emplace_back(*next, std::move(waiting_.at(*next)));
    waiting_.erase(*next);
    next = order_.erase(next);
  }
  return released;
}

}  // namespace roceready
