// SPDX-License-Identifier: Apache-2.0
#include "checks/probe_bandwidth.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace roceready::checks {
namespace {

// At 400 Gb/s it takes a third of a millisecond, to which a round trip adds little.
constexpr uint64_t kEnoughBytes = uint64_t{16} << 20;
// What moves less in so long is slow, and not short. It holds for hardware: a processor may have
// been somebody else's for that time.
constexpr int32_t kEnoughNanoseconds = 200'000'000;
// Fewer directions have no middle.
constexpr size_t kEnoughDirections = 4;
// What hardware gives differs little between pairs; what a processor gives is twice as much on an
// idle host as on a busy one.
constexpr double kSlowHardware = 0.5;
constexpr double kSlowSoftware = 0.25;

using CapacityOfEnd = std::function<const PortCapacity*(const v1::ProbeEnd&)>;

// The least of both ends and the order.
void SetPossible(const ProbedPair& pair, const PortCapacity* a, const PortCapacity* b,
                 Bandwidth& bandwidth) {
  for (const auto& [end, capacity] : {std::pair(&pair.a, a), std::pair(&pair.b, b)}) {
    if (capacity == nullptr || !capacity->mbps) {
      bandwidth.possible_bps.reset();
      bandwidth.unknown = fmt::format(
          "{}: {}", end->host(), capacity == nullptr ? "its port is not known" : capacity->unknown);
      return;
    }
    const double bps = static_cast<double>(*capacity->mbps) * 1e6;
    if (bandwidth.possible_bps && *bandwidth.possible_bps <= bps) continue;
    bandwidth.possible_bps = bps;
    bandwidth.limit = fmt::format("{} of {}", capacity->limit, end->host());
  }
  const auto ordered = static_cast<double>(pair.result->spec().rate_limit_bps());
  if (ordered > 0 && ordered < *bandwidth.possible_bps) {
    bandwidth.possible_bps = ordered;
    bandwidth.limit = "probe's rate limit";
  }
}

// The upper of the middle two: where half of the directions are slow, those are named.
void SetMedian(std::vector<Bandwidth*>& group) {
  if (group.size() < kEnoughDirections) return;
  std::ranges::sort(group, {}, &Bandwidth::bps);
  const double median = group[group.size() / 2]->bps;
  for (Bandwidth* one : group) {
    one->median_bps = one->ordered_bps > 0 ? std::min(median, one->ordered_bps) : median;
    one->compared = group.size();
  }
}

// Directions of ports of the same models, over all rails, and of one verb: a READ is slower.
void SetMedians(std::span<ProbedPair> pairs, const CapacityOfEnd& capacity_of) {
  std::map<std::tuple<std::string, std::string, Verb>, std::vector<Bandwidth*>> groups;
  for (ProbedPair& pair : pairs) {
    const PortCapacity *a = capacity_of(pair.a), *b = capacity_of(pair.b);
    if (a == nullptr || b == nullptr) continue;
    const auto [first, second] = std::minmax(a->model, b->model);
    for (Bandwidth& one : pair.bandwidths) groups[{first, second, one.verb}].push_back(&one);
  }
  for (auto& [key, group] : groups) SetMedian(group);
}

bool SaysEnough(const Bandwidth& one) {
  if (one.bps <= 0) return false;
  const v1::PhaseResult& side = *one.phase.active;
  const bool lasted = side.elapsed().seconds() > 0 || side.elapsed().nanos() >= kEnoughNanoseconds;
  return side.bytes_moved() >= kEnoughBytes || (lasted && !one.is_software);
}

}  // namespace

bool Bandwidth::IsSlow() const {
  const double share = is_software ? kSlowSoftware : kSlowHardware;
  return (possible_bps && bps < share * *possible_bps) || (median_bps && bps < share * *median_bps);
}

MeasuredPath MeasuredOn(const ProbedPair& pair, Path path) {
  MeasuredPath measured;
  for (const Bandwidth& one : pair.bandwidths) {
    if (one.data_path != path) continue;
    if (one.IsSlow()) {
      measured.slow.push_back(&one);
    } else if (!one.is_software && !one.possible_bps) {
      measured.unknown = &one;
    } else if (one.possible_bps || one.median_bps) {
      ++measured.right;
    }
  }
  return measured;
}

void CompareBandwidths(std::span<ProbedPair> pairs, const CapacityOfEnd& capacity_of) {
  for (ProbedPair& pair : pairs) {
    const PortCapacity *a = capacity_of(pair.a), *b = capacity_of(pair.b);
    for (Bandwidth& one : pair.bandwidths) {
      one.ordered_bps = static_cast<double>(pair.result->spec().rate_limit_bps());
      one.is_software = (a != nullptr && a->is_software) || (b != nullptr && b->is_software);
      if (!one.is_software) SetPossible(pair, a, b, one);
    }
    std::erase_if(pair.bandwidths, [](const Bandwidth& one) { return !SaysEnough(one); });
  }
  SetMedians(pairs, capacity_of);
}

}  // namespace roceready::checks
