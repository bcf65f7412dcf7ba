// SPDX-License-Identifier: Apache-2.0
// The monotonic time that sessions and their deadlines run on; tests have one they move by hand.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace roceready::probe {

using TimePoint = std::chrono::steady_clock::time_point;
using std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() = 0;
  // Waits, `lock` held, until `wake` is notified or `until` has come. May return early.
  virtual void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                         TimePoint until) = 0;
  // Sleeps `time`, or less.
  virtual void Sleep(nanoseconds time) = 0;
  // Processor time that the calling thread has used.
  virtual nanoseconds ThreadProcessorTime() = 0;
};

class SteadyClock : public Clock {
 public:
  TimePoint Now() override;
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                 TimePoint until) override;
  void Sleep(nanoseconds time) override;
  nanoseconds ThreadProcessorTime() override;
};

}  // namespace roceready::probe
