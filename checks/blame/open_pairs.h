// SPDX-License-Identifier: Apache-2.0
// What probes leave open: bad pairs that no finding explains, and the ports that are known good. A
// bad pair's ends, each probed with ports that are known good, show whether one of them is to blame
// or the way between the two.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "checks/blame/symptom.h"
#include "checks/judge.h"

namespace roceready::checks {

enum class PairState { kUnknown, kWell, kBad };

// Bad where any symptom is shown, explained or not; well where each verb that was probed passed.
PairState StateOf(const ProbedPair& pair);

struct OpenPair {
  v1::ProbeEnd a, b;
  // The gravest that it shows and nobody explains.
  Symptom symptom = Symptom::kNoTraffic;
  // Of packets lost; of a slow pair, what the worse way carries.
  double rate = 0, bandwidth_bps = 0;
};

struct OpenPairs {
  // The worst first.
  std::vector<OpenPair> pairs;
  // Ports of which a pair is well and none is bad, and how many of their pairs are UNKNOWN.
  std::map<PortKey, size_t> good_ports;
};

// A finding, after folding, that a probed pair is bad and nothing else is known to be why. What is
// waived is accepted.
bool IsUnexplainedPair(const Draft& draft);

// `folded`: all findings, after folding. Without an open pair no good ports are looked for.
OpenPairs FindOpenPairs(std::span<const ProbedPair> probes, const std::deque<Draft>& folded);

}  // namespace roceready::checks
