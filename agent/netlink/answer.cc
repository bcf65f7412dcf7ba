// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/answer.h"

#include <linux/netlink.h>

namespace roceready::netlink {
namespace {

constexpr size_t kLargestAnswer = 64 << 20;

}  // namespace

absl::StatusOr<AnswerReader::State> AnswerReader::Take(ByteView datagram) {
  bytes_ += datagram.size();
  if (bytes_ > kLargestAnswer) {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     fmt::format("answer is longer than {} bytes", kLargestAnswer));
  }
  ASSIGN_OR_RETURN(std::vector<Message> messages, SplitMessages(datagram));
  for (Message& message : messages) {
    if (message.sequence != sequence_) continue;
    ASSIGN_OR_RETURN(const State state, TakeMessage(std::move(message)));
    if (state != State::kMore) return state;
  }
  return State::kMore;
}

absl::StatusOr<AnswerReader::State> AnswerReader::TakeMessage(Message message) {
  interrupted_ = interrupted_ || (message.flags & NLM_F_DUMP_INTR) != 0;
  switch (message.type) {
    case NLMSG_NOOP:
      return State::kMore;
    case NLMSG_OVERRUN:
      return State::kLost;
    case NLMSG_ERROR:
    case NLMSG_DONE: {
      ASSIGN_OR_RETURN(verdict_, DecodeVerdict(message));
      if (verdict_.error != 0) return State::kRefused;
      return interrupted_ ? State::kInterrupted : State::kComplete;
    }
    default:
      messages_.push_back(std::move(message));
      return State::kMore;
  }
}

}  // namespace roceready::netlink
