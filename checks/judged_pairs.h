// SPDX-License-Identifier: Apache-2.0
// What the pair checks said of neighbours on each rail, kept so that after hosts changed only
// their own neighbourhood is judged again.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checks/fleet_hosts.h"
#include "checks/port_pair.h"
#include "checks/rail_rings.h"

namespace roceready::checks {

class JudgedPairs {
 public:
  // Judges all neighbours among these hosts. Both outlive this; hosts may be replaced between
  // Leave() and Enter().
  JudgedPairs(const FleetHosts& hosts, const EffectivePolicy& policy);
  JudgedPairs(const JudgedPairs&) = delete;

  // All that was said of the host's ports is forgotten.
  void Leave(const HostJudgement& host);
  // The host is among `hosts` again.
  void Enter(const HostJudgement& host);
  // All that have become neighbours are judged: once all hosts have entered that are to.
  void JudgeNew();

  uint64_t possible_pairs() const { return rings_.possible_pairs(); }

  // What was said of neighbours, and what is to be said of these pairs beside them: by check, as in
  // the catalogue, and by pair.
  void Conclude(const std::set<PortPair>& others, Tallies& tallies,
                std::deque<Draft>& drafts) const;

 private:
  struct Neighbours {
    // On how many rails, and at how many ends.
    size_t times = 0;
    // Of each of checks_; empty: not yet judged.
    std::vector<v1::CheckTally> tallies;
  };
  // By place in checks_ and pair.
  using Drafts = std::map<std::pair<size_t, PortPair>, std::deque<Draft>>;

  void Meet(const PortPair& pair);
  void Part(const PortPair& pair);
  std::vector<v1::CheckTally> JudgePair(const PortPair& pair, Drafts& drafts) const;

  const FleetHosts& hosts_;
  const EffectivePolicy& policy_;
  std::vector<const Check*> checks_;
  RailRings rings_;
  std::map<PortPair, Neighbours> neighbours_;
  std::set<PortPair> new_;
  Drafts drafts_;
  TallySum tallies_;
};

}  // namespace roceready::checks
