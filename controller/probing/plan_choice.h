// SPDX-License-Identifier: Apache-2.0
// How long plans take, and the largest that fits into a time. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "controller/probing/pairing.h"
#include "proto/process/clock.h"
#include "roceready/v1/probe.pb.h"

namespace roceready {

// Of one healthy pair: the phases' own durations and what goes around them. A phase that has moved
// all of its messages ends earlier, so fast networks take less.
Duration EstimatePair(const v1::ProbeSpec& spec);

struct TimeForPlan {
  Duration available{};
  Duration of_a_pair{};
  std::uint64_t at_once = 1;  // pairs, not 0
};

Duration EstimatePlan(const Pairing& pairing, const TimeForPlan& time);

// A plan's kind and what it has to be told.
struct PlanChoice {
  v1::PlanKind kind = v1::PLAN_KIND_RING;
  std::uint32_t degree = 0;
};

// Every pair where that fits; else SPARSE of the largest degree that does; else RING, even if that
// is too long: the pairs that time does not allow stay UNKNOWN. `ports` as PairPorts() takes them.
PlanChoice ChoosePlan(std::span<const checks::RailPort> ports, const TimeForPlan& time);

}  // namespace roceready
