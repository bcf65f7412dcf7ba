// SPDX-License-Identifier: Apache-2.0
#include "controller/status/loop_watch.h"

#include <fmt/format.h>

#include "controller/fleet/host_record.h"

namespace roceready::status {

LoopWatch::LoopWatch(EventLoop* loop) : loop_(loop), last_turn_(loop->clock()->Now()) {
  LookAgain();
}

void LoopWatch::LookAgain() {
  const MonotonicTime due = loop_->clock()->Now() + kInterval;
  loop_->RunAt(due, [this, due] {
    // A full queue is told by the tasks that wait; the next look goes on.
    if (!loop_->Post([this, due] { Turned(due); })) LookAgain();
  });
}

void LoopWatch::Turned(MonotonicTime due) {
  const MonotonicTime now = loop_->clock()->Now();
  delays_.Add(now - due);
  last_turn_ = now;
  LookAgain();
}

std::string LoopWatch::DescribeStuck() const {
  const MonotonicTime last_turn = last_turn_;
  return fmt::format(
      "the event loop does not answer: it last turned {} ago, and {} of at most {} tasks wait; the "
      "log may tell what it is at, `gdb -p` with \"thread apply all backtrace\" does, and a "
      "restart "
      "ends it",
      InWords(loop_->clock()->Now() - last_turn), loop_->waiting(), loop_->capacity());
}

}  // namespace roceready::status
