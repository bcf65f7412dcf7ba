// SPDX-License-Identifier: Apache-2.0
// What the numbered datagrams of a probe showed on one way. Nobody repeats them, so that what is
// lost, comes late or twice is counted as such, which the counters of a connection cannot tell
// apart; and each flow is counted for itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checks/probe_view.h"

namespace roceready::checks {

struct DatagramFlowSeen {
  uint64_t sent = 0;
  // Damaged ones among them.
  uint64_t arrived = 0;

  uint64_t lost() const { return sent - arrived; }
};

struct DatagramsSeen {
  // False: the probe has no datagrams on this way (older agents, or none are wanted), or came to
  // nothing, as probe.write says.
  bool ordered = false;
  // Why nothing is known of them; empty: all that follows is.
  std::string unknown;
  std::vector<DatagramFlowSeen> flows;
  uint64_t sent = 0;
  uint64_t received = 0;
  uint64_t duplicates = 0;
  uint64_t out_of_order = 0;
  uint64_t corrupt = 0;
  // Of the receiving end, by flow.
  std::vector<v1::Evidence> evidence;

  bool known() const { return ordered && unknown.empty(); }
  // A damaged one has arrived.
  uint64_t lost() const { return sent - std::min(sent, received + corrupt); }
  // Packets out of turn, and none lost, explain that a connection takes this share of its packets
  // for lost.
  bool OutOfTurnExplains(double rate) const;
};

DatagramsSeen DatagramsOn(const ProbedPair& pair, Path path);

}  // namespace roceready::checks
