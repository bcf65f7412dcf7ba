// SPDX-License-Identifier: Apache-2.0
// A clock that stands still until the test moves it, and the way to move a loop through time.
#pragma once

#include <atomic>

#include "proto/process/clock.h"
#include "proto/process/event_loop.h"

namespace roceready {

class FakeClock final : public Clock {
 public:
  MonotonicTime Now() const override { return MonotonicTime(Duration(now_.load())); }
  // Starts on 2024-03-01 00:00:00 UTC and moves with the monotonic clock.
  WallTime Wall() const override {
    return WallTime(std::chrono::seconds(1'709'251'200) + Duration(now_.load() - kStart));
  }

  void Advance(Duration by) { now_ += by.count(); }
  void SetNow(MonotonicTime now) { now_ = now.time_since_epoch().count(); }

 private:
  // Not zero: an unset time point must not look like now.
  static constexpr int64_t kStart = 1'000'000'000'000;
  std::atomic<int64_t> now_{kStart};
};

// Lets `by` pass: stops at every timer on the way and runs what is due there.
inline void RunFor(FakeClock* clock, EventLoop* loop, Duration by) {
  const MonotonicTime end = clock->Now() + by;
  loop->RunPending();
  for (auto next = loop->NextTimer(); next && *next <= end; next = loop->NextTimer()) {
    if (*next > clock->Now()) clock->SetNow(*next);
    loop->RunPending();
  }
  clock->SetNow(end);
  loop->RunPending();
}

}  // namespace roceready
