// SPDX-License-Identifier: Apache-2.0
// probe.incast: what several senders to one port at the same time showed. A way that is well by
// itself says nothing of it.
#pragma once

#include <functional>
#include <span>

#include "checks/judge.h"
#include "checks/port_capacity.h"
#include "checks/probe_view.h"

namespace roceready::checks {

// `pairs` are of incasts (ProbedPair.incast_group); each group gets one finding. `capacity_of`
// gives null for a port that is not known.
void JudgeIncasts(std::span<const ProbedPair> pairs,
                  const std::function<const PortCapacity*(const v1::ProbeEnd&)>& capacity_of,
                  Judge& judge);

}  // namespace roceready::checks
