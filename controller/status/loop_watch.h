// SPDX-License-Identifier: Apache-2.0
// How long a task waits for the event loop, looked at once a second, and since when it has not
// turned.
#pragma once

#include <atomic>
#include <string>

#include "proto/process/duration_histogram.h"
#include "proto/process/event_loop.h"

namespace roceready::status {

class LoopWatch {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // Must outlive the loop's last turn.
  explicit LoopWatch(EventLoop* loop);

  // --- on the loop ---
  const DurationHistogram& delays() const { return delays_; }

  // --- from any thread ---
  // What there is to say of a loop that does not answer, and what to do.
  std::string DescribeStuck() const;

 private:
  void LookAgain();
  void Turned(MonotonicTime due);

  EventLoop* const loop_;
  std::atomic<MonotonicTime> last_turn_;
  // From when the look was due to its turn: what a timer and a task wait together.
  DurationHistogram delays_{{std::chrono::milliseconds(1), std::chrono::milliseconds(5),
                             std::chrono::milliseconds(20), std::chrono::milliseconds(50),
                             std::chrono::milliseconds(100), std::chrono::milliseconds(250),
                             std::chrono::milliseconds(500), std::chrono::seconds(1),
                             std::chrono::seconds(2), std::chrono::seconds(5)}};
};

}  // namespace roceready::status
