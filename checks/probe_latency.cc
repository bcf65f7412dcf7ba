// SPDX-License-Identifier: Apache-2.0
#include "checks/probe_latency.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "proto/contract/latency_histogram.h"

namespace roceready::checks {
namespace {

// Fewer messages have no middle. Not many more: a phase lasts half a second, and what takes long
// leaves room for few.
constexpr uint64_t kEnoughMessages = 3;
// Fewer directions have none.
constexpr size_t kEnoughDirections = 4;
// Three times what others take. Hardware takes some microseconds; six switches, there and back, and
// a kilometre of fibre add twenty. A processor may be somebody else's for a while.
constexpr uint64_t kHighTimes = 3;
constexpr uint64_t kHighMoreHardware = 30'000;
constexpr uint64_t kHighMoreSoftware = 2'000'000;

// The lower of the middle two: where half of the directions are late, those are named.
void SetMedian(std::vector<Latency*>& group) {
  if (group.size() < kEnoughDirections) return;
  std::ranges::sort(group, {}, &Latency::median_ns);
  const uint64_t median = group[(group.size() - 1) / 2]->median_ns;
  for (Latency* one : group) {
    one->others_ns = median;
    one->compared = group.size();
  }
}

}  // namespace

bool Latency::IsHigh() const {
  if (!others_ns) return false;
  const uint64_t more = is_software ? kHighMoreSoftware : kHighMoreHardware;
  return median_ns > kHighTimes * *others_ns && median_ns > *others_ns + more;
}

std::vector<Latency> MeasuredLatencies(const std::vector<PhaseView>& phases) {
  std::vector<Latency> latencies;
  for (const PhaseView& phase : phases) {
    if (phase.spec->measure() != v1::PROBE_MEASURE_LATENCY || !phase.IsDone()) continue;
    const auto histogram = LatencyHistogram::FromProto(phase.active->latency());
    if (!histogram.ok() || histogram->count() < kEnoughMessages) continue;
    latencies.push_back({.verb = phase.verb,
                         .path = phase.path,
                         .phase = phase,
                         .median_ns = histogram->Quantile(0.5)});
  }
  return latencies;
}

void CompareLatencies(std::span<ProbedPair> pairs,
                      const std::function<const PortCapacity*(const v1::ProbeEnd&)>& capacity_of) {
  // Ports of the same models, over all rails, and of one verb: a READ takes longer.
  std::map<std::tuple<std::string, std::string, Verb>, std::vector<Latency*>> groups;
  for (ProbedPair& pair : pairs) {
    const PortCapacity *a = capacity_of(pair.a), *b = capacity_of(pair.b);
    if (a == nullptr || b == nullptr) continue;
    const auto [first, second] = std::minmax(a->model, b->model);
    for (Latency& one : pair.latencies) {
      one.is_software = a->is_software || b->is_software;
      groups[{first, second, one.verb}].push_back(&one);
    }
  }
  for (auto& [key, group] : groups) SetMedian(group);
}

}  // namespace roceready::checks
