// SPDX-License-Identifier: Apache-2.0
// One thread that owns a daemon's mutable state: everything else (gRPC reactors, worker threads,
// signals) only posts tasks to it. Timers run on an injected clock.
//
// Threading: Post, PostControl, Stop and waiting from any thread. Timers from the loop's own tasks,
// or before the loop runs. A loop needs no thread: tests call RunPending() (see
// tests/support/fake_clock.h). A loop that has nothing to do does not wake up: an idle agent is to
// cost a host nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "proto/process/clock.h"

namespace roceready {

class EventLoop {
 public:
  using Task = std::function<void()>;
  // Names a timer; never reused within a loop.
  using TimerId = uint64_t;

  // `capacity` bounds the tasks that Post() may leave waiting.
  explicit EventLoop(const Clock* clock, size_t capacity = 4096);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Queues a task. False (and the task is dropped) when the queue is full or the loop has stopped:
  // the caller decides what a dropped task means, usually the end of its stream.
  [[nodiscard]] bool Post(Task task);

  // Queues a task that must not get lost, beyond the bound: for the end of a thing (a stream
  // closed, a worker answered), of which there is one per thing. Dropped only after Stop().
  void PostControl(Task task);

  TimerId RunAt(MonotonicTime when, Task task);
  TimerId RunAfter(Duration delay, Task task) {
    return RunAt(clock_->Now() + delay, std::move(task));
  }
  // True when the timer had not run yet.
  bool Cancel(TimerId timer);

  // Runs tasks and timers on this thread until Stop(). Needs a clock that moves by itself.
  void Run();

  // Ends Run() after the task in hand; what waits is dropped. From then on Post() returns false.
  void Stop();

  // Runs what is queued and due, and what that queues in turn, without waiting. Returns how many
  // tasks ran.
  size_t RunPending();

  // Tasks that have been queued and have not begun.
  size_t waiting() const;
  size_t capacity() const { return capacity_; }

  std::optional<MonotonicTime> NextTimer() const;
  const Clock* clock() const { return clock_; }

 private:
  bool RunOneTask();
  bool RunOneTimer();
  void WaitForWork();

  const Clock* const clock_;
  const size_t capacity_;

  mutable std::mutex mutex_;  // guards the three below
  std::condition_variable work_;
  std::deque<Task> tasks_;
  bool stopped_ = false;

  // Of the loop's thread alone. Keyed by time, then by order of creation.
  std::map<std::pair<MonotonicTime, TimerId>, Task> timers_;
  std::map<TimerId, MonotonicTime> timer_times_;
  TimerId next_timer_ = 1;
};

}  // namespace roceready
