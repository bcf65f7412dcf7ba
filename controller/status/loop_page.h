// SPDX-License-Identifier: Apache-2.0
// A page whose content only the event loop knows. Whoever asks while it is being made gets the
// same one, so that many askers cost the loop one task; where the loop does not answer in time, the
// answer is that it is stuck.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "controller/api/rest/http.h"
#include "controller/status/loop_watch.h"

namespace roceready::status {

class LoopPage {
 public:
  // More do not wait: those before them have gone, or soon hear that the loop is stuck.
  static constexpr std::size_t kMaxWaiting = 64;

  using Done = std::function<void(rest::HttpResponse)>;

  // Whoever asks hears after `patience` that the loop is stuck. `make` runs on the loop; it calls
  // its Done once, then or later, from any thread. Both outlive the loop's last turn.
  LoopPage(EventLoop* loop, const LoopWatch* watch, Duration patience,
           std::function<void(Done)> make)
      : loop_(loop), watch_(watch), patience_(patience), make_(std::move(make)) {}

  // From any thread.
  void Answer(const std::shared_ptr<rest::HttpResponder>& responder);

 private:
  using Waiting = std::vector<std::shared_ptr<rest::HttpResponder>>;

  rest::HttpResponse Stuck() const;
  void AnswerAll(const rest::HttpResponse& response);

  EventLoop* const loop_;
  const LoopWatch* const watch_;
  const Duration patience_;
  const std::function<void(Done)> make_;

  std::mutex mutex_;  // guards the two below
  Waiting waiting_;
  bool being_made_ = false;
};

}  // namespace roceready::status
