// SPDX-License-Identifier: Apache-2.0
// Judging takes seconds for a large fleet, so it has a thread of its own; the event loop hands work
// over and gets the answer as a task.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "proto/process/event_loop.h"

namespace roceready {

class Worker {
 public:
  virtual ~Worker() = default;
  // Runs `work` elsewhere, then `done` on the event loop. `work` must own all it touches.
  virtual void Run(std::function<void()> work, std::function<void()> done) = 0;
};

// One thread, first come first served. What waits is bounded by its callers: an audit has one piece
// of work under way at a time, and the numbers of audits, of imports of switches and of questions
// to the store are bounded; a set that verdicts are asked of has one, and so have facts to be kept.
class WorkThread final : public Worker {
 public:
  explicit WorkThread(EventLoop* loop);
  // Finishes the work in hand; what waits is dropped.
  ~WorkThread() override;

  void Run(std::function<void()> work, std::function<void()> done) override;

  // Waits until all work is done, but no longer than `patience`; true when it is. From any thread
  // but this one.
  bool Drain(Duration patience);

 private:
  struct Job {
    std::function<void()> work;
    std::function<void()> done;
  };
  void Loop();

  EventLoop* loop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::deque<Job> jobs_;
  bool working_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace roceready
