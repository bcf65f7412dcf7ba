// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/symptom.h"

#include <algorithm>
#include <array>

#include "checks/datagrams.h"
#include "checks/probe_bandwidth.h"
#include "checks/probe_loss.h"

namespace roceready::checks {
namespace {

size_t Index(Path path) { return static_cast<size_t>(path); }

std::string KeyOf(std::string_view check_id, const ProbedPair& pair, Path path) {
  return FindingKey(check_id, pair.SubjectOf(path));
}

bool FailsAltogether(const VerbVerdict& verdict) {
  return verdict.status == v1::CHECK_STATUS_FAIL && !verdict.large_only && !verdict.given_up;
}

// Each verb needs both ways. Which of them fails only the counters tell: requests that arrive show
// that the way there is well, where replies do not come back.
std::vector<ShownWay> TrafficOf(const ProbedPair& pair) {
  std::array<ShownWay, 2> ways;
  std::array<bool, 2> passes = {false, false};
  ShownWay either{.bad = true, .either_way = true};
  for (const VerbVerdict& verdict : pair.verbs) {
    if (verdict.status == v1::CHECK_STATUS_PASS || verdict.large_only) passes = {true, true};
    if (!FailsAltogether(verdict)) continue;
    const std::string key = FindingKey(verdict.verb == Verb::kWrite ? "probe.write" : "probe.read",
                                       pair.SubjectOf(verdict.path));
    if (!verdict.lost_path) {
      either.keys.push_back(key);
      continue;
    }
    ShownWay& way = ways[Index(*verdict.lost_path)];
    way.bad = true;
    way.not_sent = way.not_sent || verdict.lost == Lost::kNotSent;
    way.keys.push_back(key);
    if (verdict.lost == Lost::kReplies) passes[Index(verdict.path)] = true;
  }
  std::vector<ShownWay> shown;
  for (const Path path : kPaths) {
    ShownWay& way = ways[Index(path)];
    way.path = path;
    if (!way.bad && (!passes[Index(path)] || !either.keys.empty())) continue;
    // What else fails in the pair follows from the way that is known to.
    if (way.bad) way.keys.insert(way.keys.end(), either.keys.begin(), either.keys.end());
    shown.push_back(std::move(way));
  }
  if (shown.empty() && !either.keys.empty()) shown.push_back(std::move(either));
  return shown;
}

std::vector<ShownWay> LargeOnlyOf(const ProbedPair& pair) {
  std::vector<ShownWay> shown;
  for (const Path path : kPaths) {
    const v1::CheckStatus status = pair.black_holes[Index(path)].status;
    if (status == v1::CHECK_STATUS_UNSPECIFIED) continue;
    ShownWay& way = shown.emplace_back();
    way.path = path;
    way.bad = status == v1::CHECK_STATUS_FAIL;
    if (way.bad) way.keys.push_back(KeyOf("probe.large-only", pair, path));
  }
  return shown;
}

std::vector<ShownWay> LossOf(const ProbedPair& pair) {
  std::vector<ShownWay> shown;
  for (const Path path : kPaths) {
    const LossVerdict verdict = JudgeLoss(pair, path);
    // A connection takes packets that overtake each other, or come twice, for lost ones.
    if (DatagramsOn(pair, path).OutOfTurnExplains(verdict.Rate())) continue;
    if (verdict.status != v1::CHECK_STATUS_PASS && verdict.status != v1::CHECK_STATUS_FAIL) {
      continue;
    }
    ShownWay& way = shown.emplace_back();
    way.path = path;
    way.bad = verdict.status == v1::CHECK_STATUS_FAIL;
    way.rate = verdict.Rate();
    way.tries = static_cast<double>(verdict.packets);
    if (!way.bad) continue;
    way.either_way = verdict.ambiguous;
    way.keys.push_back(KeyOf("probe.loss", pair, path));
  }
  return shown;
}

std::vector<ShownWay> SpeedOf(const ProbedPair& pair) {
  std::vector<ShownWay> shown;
  for (const Path path : kPaths) {
    const MeasuredPath measured = MeasuredOn(pair, path);
    if (measured.slow.empty() && measured.right == 0) continue;
    ShownWay& way = shown.emplace_back();
    way.path = path;
    way.bad = !measured.slow.empty();
    if (!way.bad) continue;
    way.bandwidth_bps = measured.slow.front()->bps;
    way.keys.push_back(KeyOf("probe.bandwidth", pair, path));
  }
  return shown;
}

}  // namespace

std::vector<ShownWay> WaysShown(Symptom symptom, const ProbedPair& pair) {
  if (pair.result == nullptr) return {};
  switch (symptom) {
    case Symptom::kNoTraffic:
      return TrafficOf(pair);
    case Symptom::kLargeOnly:
      return LargeOnlyOf(pair);
    case Symptom::kLoss:
      return LossOf(pair);
    case Symptom::kSlow:
      return SpeedOf(pair);
  }
  return {};
}

std::vector<v1::Evidence> EvidenceFrom(Symptom symptom, const ProbedPair& pair, Path path) {
  switch (symptom) {
    case Symptom::kNoTraffic:
      for (const VerbVerdict& verdict : pair.verbs) {
        if (FailsAltogether(verdict) && verdict.phase && verdict.lost_path.value_or(path) == path) {
          return pair.EvidenceOf(*verdict.phase);
        }
      }
      break;
    case Symptom::kLargeOnly:
      if (const auto& phase = pair.black_holes[Index(path)].phase) return pair.EvidenceOf(*phase);
      break;
    case Symptom::kLoss:
      return pair.losses[Index(path)].evidence;
    case Symptom::kSlow:
      for (const Bandwidth* one : MeasuredOn(pair, path).slow) return pair.EvidenceOf(one->phase);
      break;
  }
  v1::Evidence evidence;
  evidence.set_host(pair.From(path).host());
  evidence.set_probe_id(pair.result->spec().probe_id());
  evidence.set_value(pair.result->detail());
  return {evidence};
}

}  // namespace roceready::checks
