// SPDX-License-Identifier: Apache-2.0
// The answer of one request between its handler and its connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "controller/api/rest/http.h"

namespace roceready::rest {

// The answer of one request on its way from a handler (any thread) to the session (the server's
// thread). The session empties it; `wake` tells the session that there is something new.
class PendingAnswer : public HttpResponder {
 public:
  PendingAnswer(std::function<void()> wake, size_t max_backlog_bytes)
      : wake_(std::move(wake)), max_backlog_bytes_(max_backlog_bytes) {}

  void Send(HttpResponse response) override {
    std::unique_lock lock(mutex_);
    if (closed_ || response_ || streaming_) return;
    response_ = std::move(response);
    ended_ = true;
    has_news_ = true;
    lock.unlock();
    wake_();
  }

  void StartStream(std::string content_type) override {
    std::unique_lock lock(mutex_);
    if (closed_ || response_ || streaming_) return;
    streaming_ = std::move(content_type);
    has_news_ = true;
    lock.unlock();
    wake_();
  }

  void WriteChunk(std::string chunk) override {
    std::unique_lock lock(mutex_);
    if (closed_ || ended_ || overflowed_) return;
    has_news_ = true;
    if (backlog_bytes_ + chunk.size() > max_backlog_bytes_) {
      overflowed_ = true;
    } else {
      backlog_bytes_ += chunk.size();
      chunks_.push_back(std::move(chunk));
    }
    lock.unlock();
    wake_();
  }

  void EndStream() override {
    std::unique_lock lock(mutex_);
    ended_ = true;
    has_news_ = true;
    lock.unlock();
    wake_();
  }

  void AnswerBy(std::chrono::nanoseconds patience,
                std::function<HttpResponse()> otherwise) override {
    std::unique_lock lock(mutex_);
    if (closed_ || response_ || streaming_) return;
    overdue_at_ = std::chrono::steady_clock::now() + patience;
    otherwise_ = std::move(otherwise);
    has_news_ = true;
    lock.unlock();
    wake_();
  }

  void OnClosed(std::function<void()> callback) override {
    std::unique_lock lock(mutex_);
    if (!closed_) {
      on_closed_ = std::move(callback);
      return;
    }
    lock.unlock();
    callback();
  }

  // What the session sees; each piece is handed over once.
  struct News {
    std::optional<HttpResponse> response;
    std::optional<std::string> stream_content_type;
    std::string bytes;
    bool ended = false;
    bool overflowed = false;
  };
  News Take() {
    std::lock_guard lock(mutex_);
    News news;
    news.response.swap(response_);
    if (streaming_ && !stream_announced_) {
      news.stream_content_type = streaming_;
      stream_announced_ = true;
    }
    for (std::string& chunk : chunks_) news.bytes += chunk;
    chunks_.clear();
    backlog_bytes_ = 0;
    news.ended = ended_;
    news.overflowed = overflowed_;
    has_news_ = false;
    return news;
  }

  // Something has come since the last Take: while the session wrote, nothing could wake it.
  bool has_news() {
    std::lock_guard lock(mutex_);
    return has_news_;
  }

  // When the session is to call AnswerOverdue().
  std::chrono::steady_clock::time_point overdue_at() {
    std::lock_guard lock(mutex_);
    return overdue_at_;
  }

  void AnswerOverdue() {
    std::unique_lock lock(mutex_);
    overdue_at_ = std::chrono::steady_clock::time_point::max();
    std::function<HttpResponse()> otherwise;
    otherwise.swap(otherwise_);
    lock.unlock();
    if (otherwise) Send(otherwise());
  }

  // The session is over: later calls of the handler come to nothing.
  void Close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    std::function<void()> callback;
    callback.swap(on_closed_);
    const bool complete = ended_ && chunks_.empty();
    lock.unlock();
    if (callback && !complete) callback();
  }

 private:
  const std::function<void()> wake_;
  const size_t max_backlog_bytes_;
  std::mutex mutex_;
  std::optional<HttpResponse> response_;
  std::optional<std::string> streaming_;
  bool stream_announced_ = false;
  std::deque<std::string> chunks_;
  size_t backlog_bytes_ = 0;
  bool has_news_ = false;
  bool ended_ = false;
  bool overflowed_ = false;
  bool closed_ = false;
  std::function<void()> on_closed_;
  std::chrono::steady_clock::time_point overdue_at_ = std::chrono::steady_clock::time_point::max();
  std::function<HttpResponse()> otherwise_;
};

}  // namespace roceready::rest
