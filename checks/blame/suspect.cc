// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/suspect.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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
// On either side of links between leaves: with one, that host at fault looks the same.
constexpr size_t kHostsOfSide = 2;
// So many suspects around one are thought of in its stead.
constexpr size_t kMostAround = 64;

bool IsHostSide(const Suspect& suspect) { return suspect.kind <= SuspectKind::kHost; }

struct Chosen {
  size_t candidate = 0;
  double odds = 0;
};

class Search {
 public:
  Search(const std::vector<Place>& places, const std::vector<Way>& ways)
      : places_(places), ways_(ways), candidates_(places, ways), evidence_(places, ways) {
    CountGoodPairs();
    for (const Place& place : places_) host_of_adapter_[place.adapter] = place.host;
    const std::vector<Candidate>& all = candidates_.all();
    for (size_t i = 0; i < all.size(); ++i) by_suspect_[all[i].suspect] = i;
    FindContenders();
  }

  std::vector<Blame> Run() {
    std::vector<Chosen> chosen = Choose(contenders_, Nothing());
    Narrow(chosen);
    LeaveOutGuesses(chosen);
    JoinDirections(chosen);
    std::vector<Blame> blames;
    blames.reserve(chosen.size());
    std::vector<bool> explained = Nothing();
    for (const Chosen& one : chosen) blames.push_back(MakeBlame(one, explained));
    std::ranges::stable_sort(blames, std::ranges::greater(), &Blame::confidence);
    return blames;
  }

 private:
  const Candidate& At(size_t index) const { return candidates_.all()[index]; }

  std::vector<bool> Nothing() const { return std::vector<bool>(ways_.size(), false); }

  // Of a suspect on the side of a host.
  size_t HostOf(const Suspect& suspect) const {
    if (suspect.kind == SuspectKind::kPort) return places_[suspect.first].host;
    return suspect.kind == SuspectKind::kAdapter ? host_of_adapter_.at(suspect.first)
                                                 : suspect.first;
  }

  // Who could be named if nobody else were: what others explain only lowers odds.
  void FindContenders() {
    const std::vector<bool> nothing = Nothing();
    contenders_of_.resize(ways_.size());
    for (size_t i = 0; i < candidates_.all().size(); ++i) {
      if (evidence_.Odds(At(i), nothing) < kLeastOdds || !CanBeNamed(At(i), nothing)) continue;
      contenders_.push_back(i);
      for (const size_t way : At(i).ways) {
        if (ways_[way].bad) contenders_of_[way].push_back(i);
      }
    }
  }

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

  // A host with ports on both sides stands on one of them.
  static bool HasTwoSides(const Reach& reach) {
    return reach.hosts_inside.size() >= kHostsOfSide && reach.far_hosts.size() >= kHostsOfSide &&
           reach.hosts.size() >= 2 * kHostsOfSide;
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
        return HasTwoSides(reach) && beside_good;
      case SuspectKind::kUplinks:
        return HasTwoSides(reach) && reach.far_leaves.size() >= 2 && beside_good;
      case SuspectKind::kLeaf:
        return reach.hosts_inside.size() >= kHostsOfGroup && reach.within;
      case SuspectKind::kRail:
        return reach.hosts.size() >= kHostsOfGroup;
    }
    return false;
  }

  // Of `pool` (in order), one after the other the best for what is left.
  std::vector<Chosen> Choose(const std::vector<size_t>& pool, std::vector<bool> explained) const {
    using Entry = std::pair<double, size_t>;
    const auto worse = [&](const Entry& a, const Entry& b) {
      if (a.first != b.first) return a.first < b.first;
      return At(b.second).suspect < At(a.second).suspect;
    };
    // Odds that were worked out before are still an upper bound.
    std::priority_queue<Entry, std::vector<Entry>, decltype(worse)> queue(worse);
    for (const size_t i : pool) {
      if (!IsOpen(At(i), explained)) continue;
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
      const double least_odds = std::max(odds - kAlikeOdds, kLeastOdds);
      const size_t one = LeastContested(best.second, least_odds, pool, explained);
      chosen.push_back({.candidate = one, .odds = evidence_.Odds(At(one), explained)});
      Explain(At(one), explained);
      if (one != best.second) queue.emplace(odds, best.second);
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

  // By host: who else in `pool` has such odds, and cannot be named any more once this one is.
  std::map<size_t, size_t> RivalsOf(size_t one, double least_odds, const std::vector<size_t>& pool,
                                    const std::vector<bool>& explained) const {
    std::vector<bool> after = explained;
    Explain(At(one), after);
    std::map<size_t, std::pair<double, size_t>> best;
    std::set<size_t> seen;
    for (const size_t way : At(one).ways) {
      if (!ways_[way].bad || explained[way]) continue;
      for (const size_t other : contenders_of_[way]) {
        const Candidate& rival = At(other);
        if (!IsHostSide(rival.suspect) || !seen.insert(other).second) continue;
        const size_t host = HostOf(rival.suspect);
        if (host == HostOf(At(one).suspect) || !std::ranges::binary_search(pool, other)) continue;
        const double odds = evidence_.Odds(rival, explained);
        if (odds <= least_odds || !CanBeNamed(rival, explained)) continue;
        if (evidence_.Odds(rival, after) >= kLeastOdds && CanBeNamed(rival, after)) continue;
        const auto known = best.try_emplace(host, odds, other).first;
        if (odds > known->second.first) known->second = {odds, other};
      }
    }
    std::map<size_t, size_t> rivals;
    for (const auto& [host, rival] : best) rivals[host] = rival.second;
    return rivals;
  }

  // Where one of several with like odds takes the others theirs, the one with the fewest such
  // rivals leaves the most explained: of receivers two apart in a ring, the first, and not the
  // sender between the two.
  size_t LeastContested(size_t best, double least_odds, const std::vector<size_t>& pool,
                        const std::vector<bool>& explained) const {
    if (!IsHostSide(At(best).suspect)) return best;
    std::vector<size_t> alike = {best};
    std::set<size_t> hosts = {HostOf(At(best).suspect)};
    size_t least = best, fewest = pool.size();
    for (size_t i = 0; i < alike.size() && alike.size() < kMostAround; ++i) {
      const std::map<size_t, size_t> rivals = RivalsOf(alike[i], least_odds, pool, explained);
      if (rivals.size() < fewest) {
        fewest = rivals.size();
        least = alike[i];
      }
      for (const auto& [host, rival] : rivals) {
        if (hosts.insert(host).second) alike.push_back(rival);
      }
    }
    return least;
  }

  // Whoever might be named in its stead, in order: those that share bad ways with it, and further
  // on with one of those.
  std::vector<size_t> Around(size_t one) const {
    std::vector<size_t> around = {one};
    std::set<size_t> seen = {one};
    for (size_t i = 0; i < around.size() && around.size() < kMostAround; ++i) {
      // Past a switch there is everybody.
      if (i > 0 && !IsHostSide(At(around[i]).suspect)) continue;
      for (const size_t way : At(around[i]).ways) {
        if (!ways_[way].bad) continue;
        for (const size_t other : contenders_of_[way]) {
          if (seen.insert(other).second) around.push_back(other);
        }
      }
    }
    // Wide ones that hold each other are one story.
    if (!IsHostSide(At(one).suspect)) {
      std::erase_if(around,
                    [&](size_t other) { return other != one && !IsHostSide(At(other).suspect); });
    }
    std::ranges::sort(around);
    return around;
  }

  // The same thing, whole or in part or in another direction.
  bool IsSameThing(size_t one, size_t other) const {
    const Suspect &a = At(one).suspect, &b = At(other).suspect;
    if (!IsHostSide(a) || !IsHostSide(b)) return one == other;
    if (HostOf(a) != HostOf(b)) return false;
    return std::ranges::any_of(At(one).ways, [&](size_t way) {
      return ways_[way].bad && std::ranges::binary_search(contenders_of_[way], other);
    });
  }

  double OddsOfAll(const std::vector<size_t>& suspects, const std::vector<bool>& explained) const {
    std::vector<const Candidate*> all;
    all.reserve(suspects.size());
    for (const size_t one : suspects) all.push_back(&At(one));
    return evidence_.OddsOfAll(all, explained);
  }

  // How much better the odds of all together are than of the best that could be named without it.
  double LeadOf(size_t one, const std::vector<Chosen>& chosen) const {
    std::vector<size_t> around = Around(one), with, without;
    std::vector<bool> elsewhere = Nothing();
    for (const Chosen& other : chosen) {
      if (std::ranges::binary_search(around, other.candidate)) {
        with.push_back(other.candidate);
      } else {
        Explain(At(other.candidate), elsewhere);
      }
    }
    std::erase_if(around, [&](size_t other) { return IsSameThing(one, other); });
    double best_without = 0;
    for (const Chosen& other : Choose(around, elsewhere)) {
      without.push_back(other.candidate);
      best_without = std::max(best_without, OddsOfAll(without, elsewhere));
    }
    return OddsOfAll(with, elsewhere) - best_without;
  }

  // Nobody is named in whose stead others explain all but as much.
  void LeaveOutGuesses(std::vector<Chosen>& chosen) const {
    std::vector<Chosen> sure;
    for (Chosen one : chosen) {
      one.odds = std::min(one.odds, LeadOf(one.candidate, chosen));
      if (one.odds >= kLeastOdds) sure.push_back(one);
    }
    chosen = std::move(sure);
  }

  // Gives up a wide one where narrower ones together explain the same with better odds.
  void Narrow(std::vector<Chosen>& chosen) const {
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Candidate& wide = At(chosen[i].candidate);
      if (wide.suspect.kind == SuspectKind::kPort) continue;
      std::vector<bool> explained = Nothing();
      for (size_t other = 0; other < chosen.size(); ++other) {
        if (other != i) Explain(At(chosen[other].candidate), explained);
      }
      std::vector<size_t> pool;
      std::ranges::copy_if(contenders_, std::back_inserter(pool), [&](size_t other) {
        return At(other).suspect.kind < wide.suspect.kind;
      });
      const std::vector<Chosen> narrower = Choose(pool, explained);
      std::vector<size_t> together;
      together.reserve(narrower.size());
      for (const Chosen& one : narrower) together.push_back(one.candidate);
      if (OddsOfAll(together, explained) <= OddsOfAll({chosen[i].candidate}, explained)) continue;
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
    blame.confidence = std::min(kMostConfidence, probability);
    return blame;
  }

  const std::vector<Place>& places_;
  const std::vector<Way>& ways_;
  Candidates candidates_;
  EvidenceFor evidence_;
  std::map<Suspect, size_t> by_suspect_;
  std::map<size_t, size_t> host_of_adapter_;
  // In order; and by bad way, who explains it.
  std::vector<size_t> contenders_;
  std::vector<std::vector<size_t>> contenders_of_;
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
