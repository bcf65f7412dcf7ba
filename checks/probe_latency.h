// SPDX-License-Identifier: Apache-2.0
// The latency that probes measured, beside that of others.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "checks/port_capacity.h"
#include "checks/probe_view.h"

namespace roceready::checks {

// Of phases that measure it and were done; what they are compared with is set later.
std::vector<Latency> MeasuredLatencies(const std::vector<PhaseView>& phases);

// Sets what is compared with them in all pairs. `capacity_of` gives null for a port that is not
// known.
void CompareLatencies(std::span<ProbedPair> pairs,
                      const std::function<const PortCapacity*(const v1::ProbeEnd&)>& capacity_of);

}  // namespace roceready::checks
