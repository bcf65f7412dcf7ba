// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/outbound_queue.h"

#include <utility>

#include "controller/fleet/facts_pacer.h"

namespace roceready {
namespace {

bool OnlyLatestMatters(v1::ConnectResponse::BodyCase body) {
  return body == v1::ConnectResponse::kPing || body == v1::ConnectResponse::kFactsWanted ||
         body == v1::ConnectResponse::kFactsAccepted;
}

}  // namespace

bool OutboundQueue::Push(v1::ConnectResponse message) {
  if (OnlyLatestMatters(message.body_case())) {
    for (v1::ConnectResponse& waiting : waiting_) {
      if (waiting.body_case() != message.body_case()) continue;
      if (message.has_facts_wanted()) {
        *message.mutable_facts_wanted() =
            MergeFactsWanted(waiting.facts_wanted(), message.facts_wanted());
      }
      waiting = std::move(message);
      return true;
    }
  }
  if (waiting_.size() >= kLimit) return false;
  waiting_.push_back(std::move(message));
  return true;
}

std::optional<v1::ConnectResponse> OutboundQueue::Pop() {
  if (waiting_.empty()) return std::nullopt;
  v1::ConnectResponse first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

}  // namespace roceready
