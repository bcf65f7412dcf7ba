// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/open_pairs.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "checks/blame/blame.h"

namespace roceready::checks {
namespace {

using Keys = std::set<std::string_view, std::less<>>;

// The gravest symptom with a way of which a finding is in `roots`.
std::optional<OpenPair> OpenIn(const ProbedPair& pair, const Keys& roots) {
  for (const Symptom symptom : kSymptoms) {
    std::optional<OpenPair> open;
    for (const ShownWay& way : WaysShown(symptom, pair)) {
      const auto is_root = [&](const std::string& key) { return roots.contains(key); };
      if (!way.bad || std::ranges::none_of(way.keys, is_root)) continue;
      if (!open) {
        open = OpenPair{.a = pair.a, .b = pair.b, .symptom = symptom};
        open->bandwidth_bps = way.bandwidth_bps;
      }
      open->rate = std::max(open->rate, way.rate);
      open->bandwidth_bps = std::min(open->bandwidth_bps, way.bandwidth_bps);
    }
    if (open) return open;
  }
  return std::nullopt;
}

std::map<PortKey, size_t> GoodPortsOf(std::span<const ProbedPair> probes) {
  struct Record {
    bool well = false, bad = false;
    size_t unknown = 0;
  };
  std::map<PortKey, Record> records;
  for (const ProbedPair& pair : probes) {
    const PairState state = StateOf(pair);
    for (const PortKey& port : pair.Touches()) {
      Record& record = records[port];
      record.well |= state == PairState::kWell;
      record.bad |= state == PairState::kBad;
      record.unknown += state == PairState::kUnknown ? 1 : 0;
    }
  }
  std::map<PortKey, size_t> good;
  for (const auto& [port, record] : records) {
    if (record.well && !record.bad) good.emplace(port, record.unknown);
  }
  return good;
}

}  // namespace

bool IsUnexplainedPair(const Draft& draft) {
  const v1::Finding& finding = draft.finding;
  return finding.scope() == v1::SCOPE_PROBE && finding.status() == v1::CHECK_STATUS_FAIL &&
         finding.caused_by().empty() && finding.waived_by().empty() &&
         !finding.subject().peer_host().empty();
}

PairState StateOf(const ProbedPair& pair) {
  for (const Symptom symptom : kSymptoms) {
    if (std::ranges::any_of(WaysShown(symptom, pair), &ShownWay::bad)) return PairState::kBad;
  }
  const auto passes = [](const VerbVerdict& verdict) {
    return verdict.status == v1::CHECK_STATUS_PASS;
  };
  return !pair.verbs.empty() && std::ranges::all_of(pair.verbs, passes) ? PairState::kWell
                                                                        : PairState::kUnknown;
}

OpenPairs FindOpenPairs(std::span<const ProbedPair> probes, const std::deque<Draft>& folded) {
  Keys roots;
  for (const Draft& draft : folded) {
    if (IsUnexplainedPair(draft)) roots.insert(draft.finding.key());
  }
  OpenPairs open;
  if (roots.empty()) return open;
  for (const ProbedPair& pair : probes) {
    if (std::optional<OpenPair> one = OpenIn(pair, roots)) open.pairs.push_back(*std::move(one));
  }
  std::ranges::stable_sort(open.pairs, {}, [](const OpenPair& pair) {
    return std::tuple(pair.symptom, -pair.rate, pair.bandwidth_bps);
  });
  if (!open.pairs.empty()) open.good_ports = GoodPortsOf(probes);
  return open;
}

}  // namespace roceready::checks
