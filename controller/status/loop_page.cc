// SPDX-License-Identifier: Apache-2.0
#include "controller/status/loop_page.h"

#include "controller/api/rest/problem.h"

namespace roceready::status {

rest::HttpResponse LoopPage::Stuck() const {
  return rest::Problem(503, "UNAVAILABLE", watch_->DescribeStuck());
}

void LoopPage::Answer(const std::shared_ptr<rest::HttpResponder>& responder) {
  {
    std::unique_lock lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) {
      lock.unlock();
      responder->Send(Stuck());
      return;
    }
    waiting_.push_back(responder);
    responder->AnswerBy(patience_, [this] { return Stuck(); });
    if (being_made_) return;
    being_made_ = true;
  }
  const bool posted = loop_->Post(
      [this] { make_([this](const rest::HttpResponse& response) { AnswerAll(response); }); });
  if (!posted) AnswerAll(Stuck());
}

void LoopPage::AnswerAll(const rest::HttpResponse& response) {
  Waiting waiting;
  {
    std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    being_made_ = false;
  }
  for (const auto& responder : waiting) responder->Send(response);
}

}  // namespace roceready::status
