// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/evidence_for.h"

#include <algorithm>
#include <cmath>

namespace roceready::checks {
namespace {

// ln(0.95 / 0.02) and ln(0.98 / 0.05): see suspect.h.
const double kForFault = std::log(0.95 / 0.02);
const double kAgainstFault = std::log(0.98 / 0.05);
// The second way of a pair says little that the first has not said.
constexpr double kSecondWay = 0.1;
// One way of a pair is bad and the other well.
constexpr double kMixedPair = 0.5;

// Of being at fault before anything was probed: about 1 port in 100, and of wider ones fewer.
constexpr double kPortOdds = -4.6;
constexpr double kAdapterOdds = -5.0;
constexpr double kHostOdds = -5.3;
constexpr double kLeafOdds = -5.5;
constexpr double kRailOdds = -6.0;
// A fault in its configuration that explains the symptom makes it about five times likelier.
constexpr double kSuspectedOdds = 1.6;

double OddsOf(SuspectKind kind) {
  switch (kind) {
    case SuspectKind::kPort:
      return kPortOdds;
    case SuspectKind::kAdapter:
      return kAdapterOdds;
    case SuspectKind::kHost:
      return kHostOdds;
    case SuspectKind::kRail:
      return kRailOdds;
    default:
      return kLeafOdds;
  }
}

// Calls `visit(first, last)` for the ways of each pair.
template <typename Visit>
void ForEachPair(const std::vector<size_t>& ways, const std::vector<Way>& all, Visit visit) {
  for (auto first = ways.begin(); first != ways.end();) {
    const auto last = std::find_if(first, ways.end(),
                                   [&](size_t way) { return all[way].pair != all[*first].pair; });
    visit(first, last);
    first = last;
  }
}

}  // namespace

bool IsInside(const Suspect& suspect, const Place& place, size_t at) {
  switch (suspect.kind) {
    case SuspectKind::kPort:
      return at == suspect.first;
    case SuspectKind::kAdapter:
      return place.adapter == suspect.first;
    case SuspectKind::kHost:
      return place.host == suspect.first;
    case SuspectKind::kRail:
      return true;
    default:
      return place.leaf == suspect.first;
  }
}

bool EvidenceFor::IsSuspected(const Suspect& suspect) const {
  if (suspect.kind == SuspectKind::kPort) return places_[suspect.first].suspected;
  if (suspect.kind != SuspectKind::kAdapter && suspect.kind != SuspectKind::kHost) return false;
  bool all = true;
  for (size_t at = 0; at < places_.size(); ++at) {
    if (IsInside(suspect, places_[at], at)) all = all && places_[at].suspected;
  }
  return all;
}

double EvidenceFor::PriorOdds(const Suspect& suspect) const {
  return OddsOf(suspect.kind) + (IsSuspected(suspect) ? kSuspectedOdds : 0);
}

double EvidenceFor::MedianRate(const Candidate& candidate,
                               const std::vector<bool>& explained) const {
  std::vector<double> rates;
  for (const size_t way : candidate.ways) {
    if (ways_[way].bad && !explained[way]) rates.push_back(ways_[way].rate);
  }
  if (rates.empty()) return 0;
  std::ranges::nth_element(rates, rates.begin() + static_cast<ptrdiff_t>(rates.size() / 2));
  return rates[rates.size() / 2];
}

double EvidenceFor::Odds(const Candidate& candidate, const std::vector<bool>& explained) const {
  double odds = PriorOdds(candidate.suspect) - Against(candidate, explained);
  ForEachPair(candidate.ways, ways_, [&](auto first, auto last) {
    const auto open =
        std::count_if(first, last, [&](size_t way) { return ways_[way].bad && !explained[way]; });
    if (open > 0) odds += kForFault * (1 + kSecondWay * static_cast<double>(open - 1));
  });
  return odds;
}

double EvidenceFor::Against(const Candidate& candidate, const std::vector<bool>& explained) const {
  double against = 0;
  const double rate = MedianRate(candidate, explained);
  ForEachPair(candidate.ways, ways_, [&](auto first, auto last) {
    bool has_bad = false;
    double innocence = 0;
    for (auto way = first; way != last; ++way) {
      const Way& one = ways_[*way];
      has_bad = has_bad || one.bad;
      if (one.bad) continue;
      // How likely so many tries would have shown the rate.
      const double power = one.tries > 0 ? 1 - std::exp(-one.tries * rate) : 1;
      innocence = std::max(innocence, power);
    }
    against += kAgainstFault * innocence * (has_bad ? kMixedPair : 1);
  });
  return against;
}

double EvidenceFor::ForThoseOf(size_t pair, const std::vector<bool>& explained) const {
  const std::vector<size_t>& bad = bad_ways_.at(pair);
  const auto count = std::ranges::count_if(bad, [&](size_t way) { return explained[way]; });
  if (count == 0) return 0;
  const bool all = static_cast<size_t>(count) == bad.size();
  return kForFault * ((all ? 1 - kSecondWay : 0) + kSecondWay * static_cast<double>(count));
}

double EvidenceFor::OddsOfAll(const std::vector<const Candidate*>& candidates,
                              const std::vector<bool>& explained) const {
  double odds = 0;
  std::vector<bool> after = explained;
  std::set<size_t> pairs;
  for (const Candidate* candidate : candidates) {
    odds += PriorOdds(candidate->suspect) - Against(*candidate, after);
    for (const size_t way : candidate->ways) {
      if (!ways_[way].bad) continue;
      after[way] = true;
      pairs.insert(ways_[way].pair);
    }
  }
  for (const size_t pair : pairs) odds += ForThoseOf(pair, after) - ForThoseOf(pair, explained);
  return odds;
}

Reach EvidenceFor::ReachOf(const Candidate& candidate, const std::vector<bool>& explained) const {
  Reach reach;
  const Suspect& suspect = candidate.suspect;
  for (const size_t index : candidate.ways) {
    const Way& way = ways_[index];
    if (!way.bad || explained[index]) continue;
    reach.rails.insert(way.rail);
    size_t inside = 0;
    for (const size_t at : {way.from, way.to}) {
      const Place& place = places_[at];
      reach.hosts.insert(place.host);
      if (IsInside(suspect, place, at)) {
        reach.inside.insert(at);
        reach.hosts_inside.insert(place.host);
        ++inside;
        continue;
      }
      reach.far_hosts.insert(place.host);
      if (place.leaf) reach.far_leaves.insert(*place.leaf);
    }
    reach.within = reach.within || inside == 2;
  }
  return reach;
}

PairCounts EvidenceFor::Count(const Candidate& candidate) const {
  PairCounts counts;
  ForEachPair(candidate.ways, ways_, [&](auto first, auto last) {
    const bool bad = std::any_of(first, last, [&](size_t way) { return ways_[way].bad; });
    ++(bad ? counts.bad : counts.good);
  });
  return counts;
}

}  // namespace roceready::checks
