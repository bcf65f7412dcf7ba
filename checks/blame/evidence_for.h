// SPDX-License-Identifier: Apache-2.0
// What the ways say for and against one suspect (see suspect.h for the arithmetic).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "checks/blame/candidates.h"
#include "checks/blame/suspect.h"

namespace roceready::checks {

// Who is seen on both sides of a suspect's bad ways.
struct Reach {
  // Ports that belong to it, and to the second of two leaves.
  std::set<size_t> inside, inside_second;
  // Of the ports at the other end, which are not inside.
  std::set<size_t> far_hosts, far_leaves;
  std::set<size_t> hosts, rails;
  bool within = false;
};

struct PairCounts {
  size_t bad = 0, good = 0;
};

class EvidenceFor {
 public:
  EvidenceFor(const std::vector<Place>& places, const std::vector<Way>& ways)
      : places_(places), ways_(ways) {}

  // The logarithm of the odds, counting only bad ways that nobody has explained.
  double Odds(const Candidate& candidate, const std::vector<bool>& explained) const;
  Reach ReachOf(const Candidate& candidate, const std::vector<bool>& explained) const;
  PairCounts Count(const Candidate& candidate) const;

 private:
  double PriorOdds(const Suspect& suspect) const;
  bool IsSuspected(const Suspect& suspect) const;
  double MedianRate(const Candidate& candidate, const std::vector<bool>& explained) const;

  const std::vector<Place>& places_;
  const std::vector<Way>& ways_;
};

// Whether the place belongs to the suspect (of two leaves: to the first).
bool IsInside(const Suspect& suspect, const Place& place, size_t at);

}  // namespace roceready::checks
