// SPDX-License-Identifier: Apache-2.0
// What can be wrong on the way from a port to another, and what a probe of the two shows of it. As
// the checks of pairs judge it: a way is bad where one of them failed, well where it passed, and
// what they do not know counts neither way.
#pragma once

#include <string>
#include <vector>

#include "checks/probe_view.h"

namespace roceready::checks {

enum class Symptom { kNoTraffic, kLargeOnly, kLoss, kSlow };

struct ShownWay {
  Path path = Path::kAToB;
  bool bad = false;
  // See suspect.h.
  bool either_way = false;
  bool not_sent = false;
  double rate = 0, tries = 0;
  // Of slow ways.
  double bandwidth_bps = 0;
  // The findings that say so of this pair.
  std::vector<std::string> keys;
};

// Of each path one at most.
std::vector<ShownWay> WaysShown(Symptom symptom, const ProbedPair& pair);

// The counters of both ends that show it on that path.
std::vector<v1::Evidence> EvidenceFrom(Symptom symptom, const ProbedPair& pair, Path path);

}  // namespace roceready::checks
