// SPDX-License-Identifier: Apache-2.0
// What waits to be written on one stream, bounded by meaning: answers to orders are kept in order
// up to a limit, of everything else only the latest is kept. Facts are not here: FactsFeed merges
// them.
#pragma once

#include <deque>
#include <optional>

#include "roceready/v1/agent_link.pb.h"

namespace roceready::link {

class Outbox {
 public:
  // Many times what the orders of all permitted sessions can bring about; more means that the
  // controller does not read.
  static constexpr size_t kMaxAnswers = 1024;

  // False where the limit is reached: the stream must end.
  [[nodiscard]] bool AddAnswer(v1::ConnectRequest answer);
  void SetPong(v1::Pong pong) { pong_ = std::move(pong); }
  void SetCounters(v1::CountersReport counters) { counters_ = std::move(counters); }

  // Pong first: it is what keeps the stream.
  std::optional<v1::ConnectRequest> NextUrgent();
  // Before the facts of the same collection.
  std::optional<v1::ConnectRequest> NextCounters();

 private:
  std::optional<v1::Pong> pong_;
  std::deque<v1::ConnectRequest> answers_;
  std::optional<v1::CountersReport> counters_;
};

}  // namespace roceready::link
