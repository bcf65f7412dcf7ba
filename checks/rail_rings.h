// SPDX-License-Identifier: Apache-2.0
// The ring of neighbours on each rail (rails.h), kept while hosts come and go: who is whose
// neighbour is worked out again only beside them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checks/host_judgement.h"
#include "checks/port_pair.h"

namespace roceready::checks {

class RailRings {
 public:
  // Two ports that became neighbours on a rail, or no longer are. A pair may be neighbours on
  // several rails, and at both ends of one that has no other hosts.
  using Each = std::function<void(const PortPair&)>;

  // Looks into the judgements, which must live until they are removed.
  void Fill(const std::vector<HostJudgementPtr>& hosts, const Each& met);
  void Add(const HostJudgement& host, const Each& met, const Each& parted);
  void Remove(const HostJudgement& host, const Each& met, const Each& parted);

  // Pairs of ports of different hosts on one rail.
  uint64_t possible_pairs() const { return possible_pairs_; }

 private:
  struct Order {
    bool operator()(const RailPort* a, const RailPort* b) const;
  };
  using Ring = std::set<const RailPort*, Order>;

  static const RailPort& Before(const Ring& ring, Ring::const_iterator place);
  static const RailPort& Behind(const Ring& ring, Ring::const_iterator place);
  static size_t PortsOfOthers(const Ring& ring, Ring::const_iterator place);

  std::map<std::string, Ring, std::less<>> rings_;
  uint64_t possible_pairs_ = 0;
};

}  // namespace roceready::checks
