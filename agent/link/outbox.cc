// SPDX-License-Identifier: Apache-2.0
#include "agent/link/outbox.h"

#include <utility>

namespace roceready::link {

bool Outbox::AddAnswer(v1::ConnectRequest answer) {
  if (answers_.size() >= kMaxAnswers) return false;
  answers_.push_back(std::move(answer));
  return true;
}

std::optional<v1::ConnectRequest> Outbox::NextUrgent() {
  v1::ConnectRequest message;
  if (pong_) {
    *message.mutable_pong() = *std::exchange(pong_, std::nullopt);
    return message;
  }
  if (answers_.empty()) return std::nullopt;
  message = std::move(answers_.front());
  answers_.pop_front();
  return message;
}

std::optional<v1::ConnectRequest> Outbox::NextCounters() {
  if (!counters_) return std::nullopt;
  v1::ConnectRequest message;
  *message.mutable_counters() = *std::exchange(counters_, std::nullopt);
  return message;
}

}  // namespace roceready::link
