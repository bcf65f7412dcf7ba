// SPDX-License-Identifier: Apache-2.0
// What the ways say for and against one suspect (see suspect.h for the arithmetic).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checks/blame/candidates.h"
#include "checks/blame/suspect.h"

namespace roceready::checks {

// Who is seen on both sides of a suspect's bad ways.
struct Reach {
  // Ports that belong to it (of two leaves: to the first), and their hosts.
  std::set<size_t> inside, hosts_inside;
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
      : places_(places), ways_(ways) {
    for (size_t way = 0; way < ways.size(); ++way) {
      if (ways[way].bad) bad_ways_[ways[way].pair].push_back(way);
    }
  }

  // The logarithm of the odds, counting only bad ways that nobody has explained.
  double Odds(const Candidate& candidate, const std::vector<bool>& explained) const;
  // Of all of them together. A pair that has bad ways which nobody explains is at fault by itself,
  // and speaks for them no more than a second way does.
  double OddsOfAll(const std::vector<const Candidate*>& candidates,
                   const std::vector<bool>& explained) const;
  Reach ReachOf(const Candidate& candidate, const std::vector<bool>& explained) const;
  PairCounts Count(const Candidate& candidate) const;

 private:
  double PriorOdds(const Suspect& suspect) const;
  bool IsSuspected(const Suspect& suspect) const;
  // What the good ways say against it.
  double Against(const Candidate& candidate, const std::vector<bool>& explained) const;
  // What a pair says for those who explain its bad ways.
  double ForThoseOf(size_t pair, const std::vector<bool>& explained) const;
  double MedianRate(const Candidate& candidate, const std::vector<bool>& explained) const;

  const std::vector<Place>& places_;
  const std::vector<Way>& ways_;
  // By pair.
  std::map<size_t, std::vector<size_t>> bad_ways_;
};

// Whether the place belongs to the suspect (of two leaves: to the first).
bool IsInside(const Suspect& suspect, const Place& place, size_t at);

}  // namespace roceready::checks
