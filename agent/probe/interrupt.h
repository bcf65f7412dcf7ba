// SPDX-License-Identifier: Apache-2.0
// Wakes a thread that waits in Clock::Wait (an eventfd). Stays set until the waiter clears it.
#pragma once

#include <poll.h>

namespace roceready::probe {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // False when the process has no descriptor left; Set() then wakes nobody.
  bool valid() const { return descriptor_ >= 0; }
  // From any thread.
  void Set();
  void Clear();
  pollfd Readable() const { return {.fd = descriptor_, .events = POLLIN, .revents = 0}; }

 private:
  int descriptor_;
};

}  // namespace roceready::probe
