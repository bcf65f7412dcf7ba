// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/plan_choice.h"

#include <algorithm>

#include "controller/probing/plan.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;

// What the steps around the measuring take on slow hosts: on the safe side.
constexpr milliseconds kSetUp{500};       // prepare, connect and release, at both ends
constexpr milliseconds kAroundPhase{50};  // arm, close, and phases without a duration of their own
// A bandwidth phase of so many messages, which has no duration: as long as one that has.
constexpr milliseconds kCountedMessages{500};
// The pace of agents (agent/probe/datagram_sender.cc), and what they wait for the last ones.
constexpr std::chrono::microseconds kDatagram{500};
constexpr milliseconds kLateDatagrams{100};
// A sparse plan of less is hardly more than a ring.
constexpr std::uint32_t kLeastDegree = 3;

bool Fits(const PlanChoice& choice, std::span<const checks::RailPort> ports,
          const TimeForPlan& time) {
  if (CountPairs(choice.kind, choice.degree, ports) > kMaxPlannedPairs) return false;
  return EstimatePlan(PairPorts(choice.kind, choice.degree, ports), time) <= time.available;
}

}  // namespace

Duration EstimatePair(const v1::ProbeSpec& spec) {
  Duration estimate = kSetUp;
  for (const v1::ProbePhase& phase : spec.phases()) {
    estimate += kAroundPhase + FromProto(phase.duration());
    if (phase.operation() == v1::PROBE_OPERATION_UD_PING) {
      estimate += kDatagram * phase.iterations() + kLateDatagrams;
    }
    if (!phase.has_duration() && phase.measure() == v1::PROBE_MEASURE_BANDWIDTH) {
      estimate += kCountedMessages;
    }
  }
  return estimate;
}

Duration EstimatePlan(const Pairing& pairing, const TimeForPlan& time) {
  const std::uint64_t waves = (pairing.pairs.size() + time.at_once - 1) / time.at_once;
  return time.of_a_pair * std::max<std::uint64_t>(pairing.rounds, waves);
}

PlanChoice ChoosePlan(std::span<const checks::RailPort> ports, const TimeForPlan& time) {
  const PlanChoice everything{.kind = v1::PLAN_KIND_FULL, .degree = 0};
  // A ring of three is every pair.
  if (CountPairs(v1::PLAN_KIND_RING, 0, ports) == CountPairs(everything.kind, 0, ports)) return {};
  if (Fits(everything, ports, time)) return everything;
  // No port has more peers than the time has turns; and beyond all other ports there is nothing.
  const auto turns = static_cast<std::uint64_t>(time.available / time.of_a_pair);
  auto degree = static_cast<std::uint32_t>(std::min<std::uint64_t>(turns, ports.size()));
  for (; degree >= kLeastDegree; --degree) {
    const PlanChoice sparse{.kind = v1::PLAN_KIND_SPARSE, .degree = degree};
    if (Fits(sparse, ports, time)) return sparse;
    // Far from what fits, one less changes little.
    degree -= degree / 8;
  }
  return {};
}

}  // namespace roceready
