// SPDX-License-Identifier: Apache-2.0
// The monotonic time that sessions and their deadlines run on, and waiting for it or for a file
// descriptor; tests have a clock they move by hand.
#pragma once

#include <poll.h>

#include <chrono>
#include <span>

namespace roceready::probe {

using TimePoint = std::chrono::steady_clock::time_point;
using std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() = 0;
  // Waits until a descriptor is ready (its revents say which) or `until` has come. May return
  // early.
  virtual void Wait(std::span<pollfd> descriptors, TimePoint until) = 0;
  // Processor time that the calling thread has used.
  virtual nanoseconds ThreadProcessorTime() = 0;
};

class SteadyClock : public Clock {
 public:
  TimePoint Now() override;
  void Wait(std::span<pollfd> descriptors, TimePoint until) override;
  nanoseconds ThreadProcessorTime() override;
};

}  // namespace roceready::probe
