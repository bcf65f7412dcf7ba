// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/retest_words.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "checks/blame/open_pairs.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Hosts that a port was probed with again. What is UNKNOWN says nothing.
struct Retests {
  std::string first_probe;
  std::vector<std::string> well, bad;

  void Add(const ProbedPair& pair, PairState state, const v1::ProbeEnd& other) {
    if (first_probe.empty()) first_probe = pair.result->spec().probe_id();
    (state == PairState::kBad ? bad : well).push_back(other.host());
  }
};

std::map<PortKey, Retests> RetestsByPort(std::span<const ProbedPair> probes) {
  std::map<PortKey, Retests> by_port;
  for (const ProbedPair& pair : probes) {
    if (!pair.is_retest) continue;
    const PairState state = StateOf(pair);
    if (state == PairState::kUnknown) continue;
    const std::vector<PortKey> ports = pair.Touches();
    by_port[ports[0]].Add(pair, state, pair.b);
    by_port[ports[1]].Add(pair, state, pair.a);
  }
  return by_port;
}

v1::Evidence EvidenceOf(const PortKey& port, const Retests& retests) {
  std::vector<std::string> words;
  if (!retests.well.empty()) words.push_back("well with " + JoinWords(retests.well));
  if (!retests.bad.empty()) words.push_back("bad with " + JoinWords(retests.bad));
  v1::Evidence evidence;
  evidence.set_host(port.host);
  evidence.set_probe_id(retests.first_probe);
  evidence.set_value(
      fmt::format("{}, in pairs added to tell who is to blame", JoinWords(words, ", ")));
  return evidence;
}

}  // namespace

void TellOfRetests(std::span<const ProbedPair> probes, std::deque<Draft>& folded) {
  const std::map<PortKey, Retests> by_port = RetestsByPort(probes);
  if (by_port.empty()) return;
  for (Draft& draft : folded) {
    if (!IsUnexplainedPair(draft)) continue;
    for (const PortKey& port : draft.touches) {
      const auto retests = by_port.find(port);
      if (retests != by_port.end()) draft.RestsOn(EvidenceOf(port, retests->second));
    }
  }
}

}  // namespace roceready::checks
