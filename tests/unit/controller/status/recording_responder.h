// SPDX-License-Identifier: Apache-2.0
// Takes an answer, and lets the test say when its time is up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "controller/api/rest/http.h"

namespace roceready::status {

class RecordingResponder final : public rest::HttpResponder {
 public:
  void Send(rest::HttpResponse response) override {
    if (!sent) sent = std::move(response);
  }
  void AnswerBy(std::chrono::nanoseconds, std::function<rest::HttpResponse()> then) override {
    otherwise = std::move(then);
  }
  void StartStream(std::string) override {}
  void WriteChunk(std::string) override {}
  void EndStream() override {}
  void OnClosed(std::function<void()>) override {}

  void TimeIsUp() { Send(otherwise()); }

  std::optional<rest::HttpResponse> sent;
  std::function<rest::HttpResponse()> otherwise;
};

}  // namespace roceready::status
