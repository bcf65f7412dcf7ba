// SPDX-License-Identifier: Apache-2.0
// Which message of a phase goes over which queue pair and to which place of the buffer; both ends
// work it out alone. Message i uses queue pair i mod N and slot i mod S, where S is a multiple of
// N, so that one slot always belongs to one queue pair and its writes stay in order.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <algorithm>
#include <cstdint>

#include "agent/probe/limits.h"

namespace roceready::probe {

class MessagePlan {
 public:
  MessagePlan(const v1::ProbeSpec& spec, const v1::ProbePhase& phase)
      : message_bytes_(phase.message_bytes()), lanes_(QueuePairsOf(spec)) {
    // Only a verified phase goes through the whole buffer; a measured one keeps to one slot per
    // queue pair, as perftest does, so that the numbers compare.
    const uint64_t fitting = spec.buffer_bytes() / message_bytes_ / lanes_ * lanes_;
    slots_ = phase.measure() == v1::PROBE_MEASURE_INTEGRITY ? fitting : lanes_;
    messages_ = phase.iterations();
  }

  uint32_t message_bytes() const { return message_bytes_; }
  uint32_t lanes() const { return lanes_; }
  // 0 = bounded by time alone.
  uint64_t messages() const { return messages_; }
  uint64_t MessagesOf(uint32_t lane) const {
    return messages_ > lane ? (messages_ - lane + lanes_ - 1) / lanes_ : 0;
  }

  // The k-th message of a lane, counted over all lanes, and back.
  uint64_t MessageOf(uint32_t lane, uint64_t k) const { return k * lanes_ + lane; }
  uint32_t LaneOf(uint64_t message) const { return static_cast<uint32_t>(message % lanes_); }
  uint64_t PlaceInLane(uint64_t message) const { return message / lanes_; }

  uint64_t OffsetOf(uint64_t message) const { return message % slots_ * message_bytes_; }
  uint64_t slots_used() const { return messages_ == 0 ? slots_ : std::min(messages_, slots_); }
  // The buffer from its start that all messages together cover.
  uint64_t covered_bytes() const { return slots_used() * message_bytes_; }

 private:
  uint32_t message_bytes_;
  uint32_t lanes_;
  uint64_t slots_;
  uint64_t messages_;
};

// The last message of a verified phase on each queue pair: empty, with this immediate. When it has
// arrived, so has everything before it.
constexpr uint32_t kClosingImmediate = 0x726f6365;

}  // namespace roceready::probe
