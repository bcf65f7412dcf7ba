// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/rate_limiter.h"

#include <algorithm>

namespace roceready::probe {

TimePoint RateLimiter::Take(uint64_t bytes, TimePoint now) {
  if (bits_per_second_ == 0) return now;
  // Bounded, so that a rate of next to nothing does not overflow the clock.
  constexpr double kLongest = 1e6;
  const double seconds =
      std::min(kLongest, static_cast<double>(bytes) * 8 / static_cast<double>(bits_per_second_));
  const std::lock_guard lock(mutex_);
  const TimePoint start = std::max(free_at_, now - kBurst);
  free_at_ =
      start + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
  return start;
}

}  // namespace roceready::probe
