// SPDX-License-Identifier: Apache-2.0
// The bandwidth that probes measured, beside what their ends can give and what others got.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "checks/port_capacity.h"
#include "checks/probe_view.h"

namespace roceready::checks {

// Sets `bandwidths` and what is compared with them in all pairs. `capacity_of` gives null for a
// port that is not known.
void CompareBandwidths(std::span<ProbedPair> pairs,
                       const std::function<const PortCapacity*(const v1::ProbeEnd&)>& capacity_of);

// What one data path of a probe is: measured of both verbs.
struct MeasuredPath {
  std::vector<const Bandwidth*> slow;
  // Fast enough by all that could be compared, which was not all.
  const Bandwidth* unknown = nullptr;
  size_t right = 0;
};
MeasuredPath MeasuredOn(const ProbedPair& pair, Path path);

}  // namespace roceready::checks
