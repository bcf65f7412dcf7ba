// SPDX-License-Identifier: Apache-2.0
// The two clocks of a daemon. Durations and deadlines come from the monotonic one; the wall clock
// is only for showing and recording a moment (host clocks are wrong). Code takes a `Clock*`, so
// that tests bring their own (tests/support/fake_clock.h).
#pragma once

#include <chrono>

namespace roceready {

using Duration = std::chrono::nanoseconds;
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime Now() const = 0;
  virtual WallTime Wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  MonotonicTime Now() const override { return std::chrono::steady_clock::now(); }
  WallTime Wall() const override { return std::chrono::system_clock::now(); }
};

}  // namespace roceready
