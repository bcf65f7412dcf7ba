// SPDX-License-Identifier: Apache-2.0
// How many packets were lost on each path of a probe, by the counters of both ends.
//
// A phase loses requests (active to passive) or replies. What tells them apart:
//   gaps at the passive end                requests were lost
//   READ, duplicates at the passive end    it had answered already: replies were lost
//   repeats that nobody saw twice          the repeated request itself had been lost
//   WRITE, duplicates at the passive end   either the acknowledgement was lost, or the last packet
//                                          of a message (the whole message is then repeated)
//   datagrams that were sent and not received   nobody repeats them: lost on that way
// What the WRITE leaves open is settled by what the other phases of the same pair say. A phase that
// was given up is counted where packets did come through: the way then loses some and not all.
#pragma once

#include <array>
#include <vector>

#include "checks/probe_view.h"

namespace roceready::checks {

// Whether any packet of the phase came through on `path`, by the counters of the end that receives
// there. False as well where it has none that tell.
bool PacketsArrived(const ProbedPair& pair, const PhaseView& phase, Path path);

// Whether packets as large as the path MTU came through on the way of the phase's payload. False as
// well where the counters cannot tell.
bool FullPacketsArrived(const ProbedPair& pair, const PhaseView& phase);

// What probe.loss says of one path.
struct LossVerdict {
  // UNSPECIFIED: no phase sent data this way, or a verb fails on it altogether, which is no rate.
  v1::CheckStatus status = v1::CHECK_STATUS_UNSPECIFIED;
  uint64_t events = 0;
  uint64_t packets = 0;
  // Requests, or their replies on the way back: cannot be told.
  bool ambiguous = false;

  double Rate() const;
};
LossVerdict JudgeLoss(const ProbedPair& pair, Path path);

// Of kAToB and kBToA, from phases that ended well or were given up for loss.
std::array<PathLoss, 2> CountLosses(const ProbedPair& pair, const std::vector<PhaseView>& phases);

}  // namespace roceready::checks
