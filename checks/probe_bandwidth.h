// SPDX-License-Identifier: Apache-2.0
// The bandwidth that probes measured, beside what their ends can give and what others got.
#pragma once

#include <functional>
#include <span>

#include "checks/port_capacity.h"
#include "checks/probe_view.h"

namespace roceready::checks {

// Sets `bandwidths` and what is compared with them, and `slow_port` and `slow_like`, in all pairs.
// `capacity_of` gives null for a port that is not known.
void CompareBandwidths(std::span<ProbedPair> pairs,
                       const std::function<const PortCapacity*(const v1::ProbeEnd&)>& capacity_of);

}  // namespace roceready::checks
