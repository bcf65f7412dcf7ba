// SPDX-License-Identifier: Apache-2.0
// Puts the datagrams of one answer together: which messages belong to it, and when and how it ends.
// No I/O: Socket feeds it.
#pragma once

#include <vector>

#include "agent/netlink/message.h"

namespace roceready::netlink {

class AnswerReader {
 public:
  enum class State {
    // More datagrams belong to the answer.
    kMore,
    // All read: TakeMessages().
    kComplete,
    // The kernel said no: verdict().
    kRefused,
    // A dump is complete, but what it lists changed meanwhile (NLM_F_DUMP_INTR): ask again.
    kInterrupted,
    // The kernel dropped messages (NLMSG_OVERRUN): start over.
    kLost,
  };

  // An answer is known by the sequence number of its request, not by its type: nldev answers
  // PORT_GET as GET. Messages with other numbers (an older answer that came too late) are skipped.
  explicit AnswerReader(uint32_t sequence) : sequence_(sequence) {}

  // kDataLoss when malformed; kResourceExhausted when the answer outgrows 64 MiB. Not to be called
  // again after anything but kMore.
  absl::StatusOr<State> Take(ByteView datagram);

  std::vector<Message> TakeMessages() { return std::move(messages_); }
  const KernelVerdict& verdict() const { return verdict_; }

 private:
  absl::StatusOr<State> TakeMessage(Message message);

  uint32_t sequence_;
  size_t bytes_ = 0;
  bool interrupted_ = false;
  std::vector<Message> messages_;
  KernelVerdict verdict_;
};

}  // namespace roceready::netlink
