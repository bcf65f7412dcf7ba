// SPDX-License-Identifier: Apache-2.0
// Durations counted by length, for who watches a daemon. Plain data: belongs to whoever counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "proto/process/clock.h"

namespace roceready {

class DurationHistogram {
 public:
  // Upper bounds (inclusive), ascending.
  explicit DurationHistogram(std::vector<Duration> bounds)
      : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

  // A negative one (a clock that was injected may do that) counts as none.
  void Add(Duration duration) {
    duration = std::max(duration, Duration::zero());
    const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), duration);
    ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
    sum_ += duration;
  }

  const std::vector<Duration>& bounds() const { return bounds_; }
  // Each by itself, not added up; one more than the bounds: what was longer than all of them.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  Duration sum() const { return sum_; }

 private:
  std::vector<Duration> bounds_;
  std::vector<std::uint64_t> counts_;
  Duration sum_{};
};

}  // namespace roceready
