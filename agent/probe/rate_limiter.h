// SPDX-License-Identifier: Apache-2.0
// Keeps what is posted under a rate. One of a session's order, one of the agent for all sessions.
#pragma once

#include <cstdint>
#include <mutex>

#include "agent/probe/clock.h"

namespace roceready::probe {

class RateLimiter {
 public:
  // 0 = no limit.
  explicit RateLimiter(uint64_t bits_per_second) : bits_per_second_(bits_per_second) {}

  bool limited() const { return bits_per_second_ != 0; }

  // Counts `bytes` as sent; returns when they may be posted (`now` or earlier = at once). Time that
  // was not used is lost but for kBurst.
  TimePoint Take(uint64_t bytes, TimePoint now);

 private:
  static constexpr nanoseconds kBurst = std::chrono::milliseconds(1);

  const uint64_t bits_per_second_;
  std::mutex mutex_;
  // When all that was taken so far has been sent at the rate.
  TimePoint free_at_{};
};

}  // namespace roceready::probe
