// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/blame.h"

#include <algorithm>
#include <set>

#include "checks/blame/blame_words.h"
#include "checks/blame/reproduce.h"
#include "checks/check.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Of the pairs that show it, so many are given as evidence.
constexpr size_t kPairsShown = 2;

// The clearest first: most lost, least moved; of equals the first probed.
std::vector<const MatrixWay*> ClearestOf(const Blame& blame, const std::vector<MatrixWay>& ways) {
  std::vector<const MatrixWay*> clearest;
  clearest.reserve(blame.ways.size());
  for (const size_t way : blame.ways) clearest.push_back(&ways[way]);
  std::ranges::stable_sort(clearest, {}, [](const MatrixWay* way) {
    return std::pair(-way->shown.rate, way->shown.bandwidth_bps);
  });
  std::set<const ProbedPair*> seen;
  std::erase_if(clearest, [&](const MatrixWay* way) { return !seen.insert(way->pair).second; });
  clearest.resize(std::min(clearest.size(), kPairsShown));
  return clearest;
}

class Accuser {
 public:
  Accuser(Symptom symptom, const ProbeMatrix& matrix, const FaultsFound& found, Judge& judge)
      : symptom_(symptom),
        explained_by_(FindCheck(BlameCheckOf(symptom))->explained_by),
        matrix_(matrix),
        found_(found),
        judge_(judge),
        ways_(matrix.WaysOf(symptom, found)),
        places_(matrix.Places(found, explained_by_)) {}

  CauseOf Run() {
    if (ways_.empty()) {
      judge_.NotApplicable();
      return {};
    }
    std::vector<Way> plain;
    plain.reserve(ways_.size());
    std::set<size_t> well;
    for (const MatrixWay& way : ways_) {
      plain.push_back(way.way);
      if (!way.way.bad) well.insert({way.way.from, way.way.to});
    }
    for (const Blame& blame : FindBlames(places_, plain)) {
      const std::vector<size_t> members = PlacesOf(blame.suspect, places_, plain);
      for (const size_t place : members) well.erase(place);
      Tell(blame, members);
    }
    for (size_t i = 0; i < well.size(); ++i) judge_.Pass();
    return std::move(cause_of_);
  }

 private:
  void Tell(const Blame& blame, const std::vector<size_t>& members) {
    std::vector<PortKey> ports;
    ports.reserve(members.size());
    for (const size_t place : members) ports.push_back(matrix_.port(place));
    const std::vector<const MatrixWay*> clearest = ClearestOf(blame, ways_);
    std::string fix = WhereToLook(blame.suspect);
    const std::string commands = PerftestCommands(matrix_, *clearest.front());
    if (!commands.empty()) fix += fmt::format(" To see it by perftest, {}.", commands);
    const v1::Subject subject = SubjectOf(blame.suspect, matrix_, places_);
    const std::string key = FindingKey(BlameCheckOf(symptom_), subject);
    Draft& draft = judge_.Fail(subject)
                       .Expected("no port, host or switch stands out in what probes show")
                       .Actual(WhatIsWrong(symptom_, blame, ways_, matrix_))
                       .MendedBy(std::move(fix));
    for (const MatrixWay* way : clearest) {
      for (v1::Evidence& evidence : EvidenceFrom(symptom_, *way->pair, way->shown.path)) {
        draft.RestsOn(std::move(evidence));
      }
    }
    TellOfRetests(blame, draft);
    for (const size_t way : blame.ways) {
      for (const std::string& effect : ways_[way].shown.keys) cause_of_.emplace(effect, key);
    }
    // What some ports of a group have wrong does not explain what all of them show.
    draft.follows = found_.ExplanationsOf(explained_by_, ports);
    draft.explained_by.emplace();
    draft.touches = std::move(ports);
  }

  void TellOfRetests(const Blame& blame, Draft& draft) const {
    std::set<size_t> retests;
    for (const size_t way : blame.ways) {
      if (ways_[way].pair->is_retest) retests.insert(ways_[way].way.pair);
    }
    if (retests.empty()) return;
    const ProbedPair& first = matrix_.pair(*retests.begin());
    v1::Evidence evidence;
    evidence.set_host(first.a.host());
    evidence.set_probe_id(first.result->spec().probe_id());
    evidence.set_value(fmt::format("{} of these pairs {} added to the plan to tell who is to blame",
                                   retests.size(), retests.size() == 1 ? "was" : "were"));
    draft.RestsOn(std::move(evidence));
  }

  Symptom symptom_;
  const std::vector<std::string_view>& explained_by_;
  const ProbeMatrix& matrix_;
  const FaultsFound& found_;
  Judge& judge_;
  std::vector<MatrixWay> ways_;
  std::vector<Place> places_;
  CauseOf cause_of_;
};

}  // namespace

std::string_view BlameCheckOf(Symptom symptom) {
  switch (symptom) {
    case Symptom::kNoTraffic:
      return "blame.no-traffic";
    case Symptom::kLargeOnly:
      return "blame.large-only";
    case Symptom::kLoss:
      return "blame.loss";
    case Symptom::kSlow:
      break;
  }
  return "blame.slow";
}

CauseOf JudgeSymptom(Symptom symptom, const ProbeMatrix& matrix, const FaultsFound& found,
                     Judge& judge) {
  return Accuser(symptom, matrix, found, judge).Run();
}

}  // namespace roceready::checks
