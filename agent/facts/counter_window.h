// SPDX-License-Identifier: Apache-2.0
// Turns totals into deltas over a window. Made by the agent, because only the agent sees a counter
// wrap, a reset, or a device that was made anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "agent/facts/counters.h"

namespace roceready::facts {

class CounterWindows {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Deltas span at least `shortest` (when read often, up to twice that), so that two readings in a
  // row do not hide what moved just before; the first ones after a start span what there is.
  explicit CounterWindows(std::chrono::steady_clock::duration shortest = std::chrono::seconds(10))
      : shortest_(shortest) {}

  // Adds `window` and the deltas. Neither on a first look, after the device was made anew, or after
  // any of its counters went backwards (a reset): then this look starts a new window. A counter
  // that is new in the answer has no delta. Totals that were not read (reading not OK) change
  // nothing.
  void AddDeltas(const PortTotals& totals, Time read_at, v1::PortCounters* counters);

  // The same for health reporters' error counts.
  void AddDeltas(Time read_at, v1::HostCounters* counters);

  // Traffic of our own ran until `until`: what moved before is no sign of anybody's. Spans begin
  // with the first look after it.
  void ForgetBefore(Time until) { not_before_ = until; }

  // Forgets owners that are no longer there.
  void KeepOnly(const std::map<std::string, bool>& owners);

 private:
  using Values = std::map<std::string, uint64_t>;
  struct Look {
    Time at;
    Values values;
  };
  struct History {
    uint32_t incarnation = 0;
    std::optional<Look> older;
    Look newer;
  };
  struct Deltas {
    std::chrono::steady_clock::duration window{};
    Values values;
  };
  std::optional<Deltas> Update(const std::string& owner, uint32_t incarnation,
                               bool wraps_at_32_bits, Look look);

  std::chrono::steady_clock::duration shortest_;
  Time not_before_ = Time::min();
  std::map<std::string, History> histories_;
};

}  // namespace roceready::facts
