// SPDX-License-Identifier: Apache-2.0
// A thread that runs jobs one after another. A job may hang in the kernel, where nothing can stop
// it: the thread is therefore never joined. It ends by itself after the job in hand once its Lane
// is gone; jobs must own what they use.
#pragma once

#include <functional>
#include <memory>

namespace roceready::facts {

class Lane {
 public:
  using Job = std::function<void()>;

  Lane();
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Queues a job; the first one starts the thread.
  void Run(Job job);

 private:
  struct State;
  static void Work(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;
};

}  // namespace roceready::facts
