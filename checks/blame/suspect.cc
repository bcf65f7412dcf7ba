// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/suspect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>

#include "checks/blame/candidates.h"
#include "checks/blame/evidence_for.h"

namespace roceready::checks {
namespace {

// As logarithm of the odds.
const double kLeastOdds = std::log(kLeastConfidence / (1 - kLeastConfidence));
// Nobody is as sure as that.
constexpr double kMostConfidence = 0.99;
// Odds that differ by less than a factor of two are alike.
const double kAlikeOdds = std::log(2.0);
// With fewer hosts behind it, a switch at fault and hosts at fault look the same.
constexpr size_t kHostsOfGroup = 4;

struct Chosen {
  size_t candidate = 0;
  double odds = 0;
  std::vector<size_t> alike;
};

class Search {
 public:
  Search(const std::vector<Place>& places, const std::vector<Way>& ways)
      : places_(places), ways_(ways), candidates_(places, ways), evidence_(places, ways) {
    CountGoodPairs();
    const std::vector<Candidate>& all = candidates_.all();
    for (size_t i = 0; i < all.size(); ++i) by_suspect_[all[i].suspect] = i;
  }

  std::vector<Blame> Run() {
    std::vector<bool> explained(ways_.size(), false);
    std::vector<Chosen> chosen = Choose(explained, SuspectKind::kRail);
    Narrow(chosen);
    JoinDirections(chosen);
    std::vector<Blame> blames;
    explained.assign(ways_.size(), false);
    for (const Chosen& one : chosen) blames.push_back(MakeBlame(one, explained));
    std::ranges::stable_sort(blames, std::ranges::greater(), &Blame::confidence);
    return blames;
  }

 private:
  const Candidate& At(size_t index) const { return candidates_.all()[index]; }

  void CountGoodPairs() {
    std::map<size_t, std::pair<size_t, bool>> pairs;  // rail, and whether it is bad
    for (const Way& way : ways_) {
      auto& [rail, bad] = pairs[way.pair];
      rail = way.rail;
      bad = bad || way.bad;
    }
    for (const auto& [pair, of] : pairs) good_pairs_[of.first] += of.second ? 0 : 1;
  }

  // Good pairs on those rails that do not pass it in any direction.
  size_t GoodElsewhere(const Candidate& candidate, const std::set<size_t>& rails) const {
    size_t good = 0;
    for (const size_t rail : rails) good += good_pairs_.at(rail);
    Suspect whole = candidate.suspect;
    whole.direction = Direction::kBoth;
    const size_t own = evidence_.Count(At(by_suspect_.at(whole))).good;
    return good > own ? good - own : 0;
  }

  // Whether there is enough of it to name that kind at all.
  bool CanBeNamed(const Candidate& candidate, const std::vector<bool>& explained) const {
    const Reach reach = evidence_.ReachOf(candidate, explained);
    const bool beside_good = GoodElsewhere(candidate, reach.rails) > 0;
    switch (candidate.suspect.kind) {
      case SuspectKind::kPort:
        return reach.far_hosts.size() >= 2 && beside_good;
      case SuspectKind::kAdapter:
      case SuspectKind::kHost:
        return reach.far_hosts.size() >= 2 && reach.inside.size() >= 2 && beside_good;
      case SuspectKind::kBetweenLeaves:
        return reach.inside.size() >= 2 && reach.inside_second.size() >= 2 && beside_good;
      case SuspectKind::kUplinks:
        return reach.inside.size() >= 2 && reach.far_leaves.size() >= 2 && beside_good;
      case SuspectKind::kLeaf:
        return reach.inside.size() >= kHostsOfGroup && reach.within;
      case SuspectKind::kRail:
        return reach.hosts.size() >= kHostsOfGroup;
    }
    return false;
  }

  // One after the other the best for what is left, of kinds up to `widest`. What is explained only
  // lowers odds, so those that were worked out before are still an upper bound.
  std::vector<Chosen> Choose(std::vector<bool>& explained, SuspectKind widest) const {
    using Entry = std::pair<double, size_t>;
    const auto worse = [&](const Entry& a, const Entry& b) {
      if (a.first != b.first) return a.first < b.first;
      return At(b.second).suspect < At(a.second).suspect;
    };
    std::priority_queue<Entry, std::vector<Entry>, decltype(worse)> queue(worse);
    for (size_t i = 0; i < candidates_.all().size(); ++i) {
      if (At(i).suspect.kind > widest || !IsOpen(At(i), explained)) continue;
      const double odds = evidence_.Odds(At(i), explained);
      if (odds >= kLeastOdds) queue.emplace(odds, i);
    }
    std::vector<Chosen> chosen;
    while (!queue.empty()) {
      const Entry best = queue.top();
      queue.pop();
      const double odds = evidence_.Odds(At(best.second), explained);
      if (odds < kLeastOdds) continue;
      if (odds < best.first && !queue.empty() && odds < queue.top().first) {
        queue.emplace(odds, best.second);
        continue;
      }
      if (!CanBeNamed(At(best.second), explained)) continue;
      Chosen one{.candidate = best.second, .odds = odds, .alike = {}};
      std::vector<bool> after = explained;
      Explain(At(best.second), after);
      one.alike = AlikeTo(one, explained, after);
      explained = std::move(after);
      chosen.push_back(std::move(one));
    }
    return chosen;
  }

  bool IsOpen(const Candidate& candidate, const std::vector<bool>& explained) const {
    return std::ranges::any_of(candidate.ways,
                               [&](size_t way) { return ways_[way].bad && !explained[way]; });
  }

  void Explain(const Candidate& candidate, std::vector<bool>& explained) const {
    for (const size_t way : candidate.ways) {
      if (ways_[way].bad) explained[way] = true;
    }
  }

  bool IsHostSide(const Suspect& suspect) const { return suspect.kind <= SuspectKind::kHost; }

  size_t HostOf(const Suspect& suspect) const {
    for (size_t at = 0; at < places_.size(); ++at) {
      if (IsInside(suspect, places_[at], at)) return places_[at].host;
    }
    return places_.size();
  }

  // Ports at the other ends of its bad ways which explained as much before it was chosen, and no
  // longer do.
  std::vector<size_t> AlikeTo(const Chosen& one, const std::vector<bool>& before,
                              const std::vector<bool>& after) const {
    std::vector<size_t> alike;
    if (!IsHostSide(At(one.candidate).suspect)) return alike;
    const size_t host = HostOf(At(one.candidate).suspect);
    std::set<size_t> ports;
    for (const size_t index : At(one.candidate).ways) {
      if (!ways_[index].bad || before[index]) continue;
      for (const size_t at : {ways_[index].from, ways_[index].to}) {
        if (places_[at].host != host) ports.insert(at);
      }
    }
    for (const size_t port : ports) {
      double best = one.odds - kAlikeOdds;
      std::optional<size_t> found;
      for (const Direction direction :
           {Direction::kBoth, Direction::kSending, Direction::kReceiving}) {
        const auto other = by_suspect_.find(
            {.kind = SuspectKind::kPort, .direction = direction, .first = port, .second = 0});
        if (other == by_suspect_.end()) continue;
        const double odds = evidence_.Odds(At(other->second), before);
        if (odds <= best || evidence_.Odds(At(other->second), after) >= kLeastOdds ||
            !CanBeNamed(At(other->second), before)) {
          continue;
        }
        best = odds;
        found = other->second;
      }
      if (found) alike.push_back(*found);
    }
    return alike;
  }

  // Gives up a wide one where narrower ones together explain the same with better odds.
  void Narrow(std::vector<Chosen>& chosen) const {
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Candidate& wide = At(chosen[i].candidate);
      if (wide.suspect.kind == SuspectKind::kPort) continue;
      std::vector<bool> explained(ways_.size(), false);
      for (size_t other = 0; other < chosen.size(); ++other) {
        if (other != i) Explain(At(chosen[other].candidate), explained);
      }
      const double odds = evidence_.Odds(wide, explained);
      std::vector<Chosen> narrower =
          Choose(explained, static_cast<SuspectKind>(static_cast<int>(wide.suspect.kind) - 1));
      double together = 0;
      for (const Chosen& one : narrower) together += one.odds;
      if (together <= odds) continue;
      chosen.erase(chosen.begin() + static_cast<ptrdiff_t>(i));
      chosen.insert(chosen.end(), narrower.begin(), narrower.end());
      --i;
    }
  }

  // One that fails in sending and in receiving is one.
  void JoinDirections(std::vector<Chosen>& chosen) const {
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Suspect& first = At(chosen[i].candidate).suspect;
      for (size_t j = i + 1; j < chosen.size(); ++j) {
        const Suspect& second = At(chosen[j].candidate).suspect;
        if (first.kind != second.kind || first.first != second.first ||
            first.second != second.second) {
          continue;
        }
        Suspect whole = first;
        whole.direction = Direction::kBoth;
        chosen[i].candidate = by_suspect_.at(whole);
        chosen[i].odds = std::max(chosen[i].odds, chosen[j].odds);
        chosen.erase(chosen.begin() + static_cast<ptrdiff_t>(j));
        --j;
      }
    }
  }

  Blame MakeBlame(const Chosen& chosen, std::vector<bool>& explained) const {
    const Candidate& candidate = At(chosen.candidate);
    Blame blame{.suspect = candidate.suspect};
    blame.direction_untold = candidate.suspect.direction == Direction::kBoth;
    std::set<size_t> rails;
    for (const size_t way : candidate.ways) {
      if (!ways_[way].bad) continue;
      rails.insert(ways_[way].rail);
      blame.direction_untold = blame.direction_untold && ways_[way].either_way;
      if (!explained[way]) blame.ways.push_back(way);
      explained[way] = true;
    }
    const PairCounts counts = evidence_.Count(candidate);
    blame.bad_pairs = counts.bad;
    blame.good_pairs = counts.good;
    blame.other_good_pairs = GoodElsewhere(candidate, rails);
    const double probability = 1 / (1 + std::exp(-chosen.odds));
    blame.confidence =
        std::min(kMostConfidence, probability) / static_cast<double>(1 + chosen.alike.size());
    for (const size_t other : chosen.alike) blame.alike.push_back(At(other).suspect);
    return blame;
  }

  const std::vector<Place>& places_;
  const std::vector<Way>& ways_;
  Candidates candidates_;
  EvidenceFor evidence_;
  std::map<Suspect, size_t> by_suspect_;
  // By rail.
  std::map<size_t, size_t> good_pairs_;
};

}  // namespace

std::vector<Blame> FindBlames(const std::vector<Place>& places, const std::vector<Way>& ways) {
  if (std::ranges::none_of(ways, &Way::bad)) return {};
  return Search(places, ways).Run();
}

std::vector<size_t> PlacesOf(const Suspect& suspect, const std::vector<Place>& places,
                             const std::vector<Way>& ways) {
  std::set<size_t> found;
  if (suspect.kind == SuspectKind::kRail) {
    for (const Way& way : ways) {
      if (way.rail == suspect.first) found.insert({way.from, way.to});
    }
    return {found.begin(), found.end()};
  }
  for (size_t at = 0; at < places.size(); ++at) {
    const bool in_second =
        suspect.kind == SuspectKind::kBetweenLeaves && places[at].leaf == suspect.second;
    if (IsInside(suspect, places[at], at) || in_second) found.insert(at);
  }
  return {found.begin(), found.end()};
}

}  // namespace roceready::checks
