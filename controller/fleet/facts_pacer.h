// SPDX-License-Identifier: Apache-2.0
// Hands out leave to send facts: at most so many agents at a time, in the order they were asked
// for, so that ten thousand agents that come back at once do not flood the controller. One question
// per stream is on its way; later ones are merged and wait for its answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "controller/fleet/host_record.h"

namespace roceready {

using StreamId = std::uint64_t;

class FactsPacer {
 public:
  // `patience`: a question unanswered this long no longer holds up others (its answer is still
  // welcome). An agent gives a hung source 2 s, so an answer takes little more.
  FactsPacer(std::size_t at_once, Duration patience) : at_once_(at_once), patience_(patience) {}

  void Ask(StreamId stream, const v1::FactsWanted& wanted);
  void Answered(StreamId stream) { asked_.erase(stream); }
  void Forget(StreamId stream);

  // The questions to send now.
  std::vector<std::pair<StreamId, v1::FactsWanted>> Release(MonotonicTime now);

 private:
  std::size_t at_once_;
  Duration patience_;
  std::map<StreamId, MonotonicTime> asked_;
  std::map<StreamId, v1::FactsWanted> waiting_;
  std::deque<StreamId> order_;  // of waiting_, first come first
};

// One question that asks for what both ask for.
v1::FactsWanted MergeFactsWanted(const v1::FactsWanted& older, const v1::FactsWanted& newer);

}  // namespace roceready
