// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/candidates.h"

#include <algorithm>
#include <numeric>

namespace roceready::checks {

Candidates::Candidates(const std::vector<Place>& places, const std::vector<Way>& ways)
    : places_(places) {
  for (const Place& place : places) {
    ++ports_of_adapter_[place.adapter];
    ++ports_of_host_[place.host];
  }
  std::vector<size_t> by_pair(ways.size());
  std::iota(by_pair.begin(), by_pair.end(), size_t{0});
  std::ranges::stable_sort(by_pair, {}, [&](size_t way) { return ways[way].pair; });
  std::map<Suspect, size_t> index;
  for (const size_t way : by_pair) {
    if (!ways[way].bad) continue;
    ForEachSuspect(ways[way], [&](const Suspect& suspect) {
      if (index.emplace(suspect, all_.size()).second) all_.push_back({suspect, {}});
    });
  }
  for (const size_t way : by_pair) {
    ForEachSuspect(ways[way], [&](const Suspect& suspect) {
      const auto found = index.find(suspect);
      if (found != index.end()) all_[found->second].ways.push_back(way);
    });
  }
}

// Whoever sends may fail in sending, whoever receives in receiving.
void Candidates::VisitEnd(const Way& way, bool sender,
                          const std::function<void(const Suspect&)>& visit) const {
  const size_t at = sender ? way.from : way.to;
  const Place& place = places_[at];
  std::vector<Suspect> suspects = {{.kind = SuspectKind::kPort, .first = at}};
  if (ports_of_adapter_.at(place.adapter) > 1) {
    suspects.push_back({.kind = SuspectKind::kAdapter, .first = place.adapter});
  }
  if (ports_of_host_.at(place.host) > 1) {
    suspects.push_back({.kind = SuspectKind::kHost, .first = place.host});
  }
  for (Suspect suspect : suspects) {
    visit(suspect);
    suspect.direction = sender ? Direction::kSending : Direction::kReceiving;
    visit(suspect);
    if (!way.either_way) continue;
    suspect.direction = sender ? Direction::kReceiving : Direction::kSending;
    visit(suspect);
  }
}

void Candidates::VisitLeaves(const Way& way,
                             const std::function<void(const Suspect&)>& visit) const {
  const std::optional<size_t> from = places_[way.from].leaf, to = places_[way.to].leaf;
  if (from) visit({.kind = SuspectKind::kLeaf, .first = *from});
  if (to && to != from) visit({.kind = SuspectKind::kLeaf, .first = *to});
  if (!from || !to || from == to) return;
  const auto both_directions = [&](Suspect suspect, Direction direction) {
    visit(suspect);
    suspect.direction = direction;
    visit(suspect);
    if (!way.either_way) return;
    suspect.direction =
        direction == Direction::kSending ? Direction::kReceiving : Direction::kSending;
    visit(suspect);
  };
  both_directions({.kind = SuspectKind::kUplinks, .first = *from}, Direction::kSending);
  both_directions({.kind = SuspectKind::kUplinks, .first = *to}, Direction::kReceiving);
  const auto [first, second] = std::minmax(*from, *to);
  both_directions({.kind = SuspectKind::kBetweenLeaves, .first = first, .second = second},
                  *from == first ? Direction::kSending : Direction::kReceiving);
}

void Candidates::ForEachSuspect(const Way& way,
                                const std::function<void(const Suspect&)>& visit) const {
  VisitEnd(way, /*sender=*/true, visit);
  // What was not sent cannot have been lost on the way, nor at its end.
  if (way.bad && way.not_sent) return;
  VisitEnd(way, /*sender=*/false, visit);
  VisitLeaves(way, visit);
  visit({.kind = SuspectKind::kRail, .first = way.rail});
}

}  // namespace roceready::checks
