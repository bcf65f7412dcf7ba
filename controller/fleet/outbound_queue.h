// SPDX-License-Identifier: Apache-2.0
// What waits to be written to one agent. Bounded: of a Ping, a FactsWanted and a FactsAccepted only
// the latest matters, so a newer one takes the place of the one that waits; everything else
// (orders, acknowledgements of end reports) counts against a limit.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "roceready/v1/agent_link.pb.h"

namespace roceready {

class OutboundQueue {
 public:
  // More than the orders of all sessions an agent can hold (64) with their acknowledgements.
  static constexpr std::size_t kLimit = 256;

  // False when the queue is full: the reader is too slow and its stream should be closed.
  bool Push(v1::ConnectResponse message);
  std::optional<v1::ConnectResponse> Pop();
  bool empty() const { return waiting_.empty(); }

 private:
  std::deque<v1::ConnectResponse> waiting_;
};

}  // namespace roceready
