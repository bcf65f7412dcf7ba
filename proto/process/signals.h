// SPDX-License-Identifier: Apache-2.0
// SIGTERM, SIGINT and SIGHUP as calls on an ordinary thread; SIGPIPE is ignored.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <thread>

namespace roceready {

class SignalWaiter {
 public:
  // Blocks the three signals in this thread and in every thread it starts later: create it before
  // any other thread. `on_signal` is called with SIGTERM, SIGINT or SIGHUP on the waiter's own
  // thread and should only post.
  static absl::StatusOr<std::unique_ptr<SignalWaiter>> Start(std::function<void(int)> on_signal);
  // No call is under way or follows once this returns.
  ~SignalWaiter();
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;

 private:
  SignalWaiter(int signals, int stop, std::function<void(int)> on_signal);
  void Wait();

  const int signals_;  // signalfd
  const int stop_;     // eventfd
  const std::function<void(int)> on_signal_;
  std::thread thread_;
};

}  // namespace roceready
