// SPDX-License-Identifier: Apache-2.0
// Which pairs an audit probes. Pure: ports and policy in, pairs out.
#pragma once

#include <absl/status/status.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "checks/evaluate.h"
#include "checks/policy/effective_policy.h"
#include "checks/rails.h"
#include "controller/probing/probe_runner.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

// OK for plans this controller can make. kInvalidArgument: the plan does not fit the hosts (a pair
// of three). kUnimplemented: a plan of a later version.
absl::Status CheckPlan(const v1::ProbePlan& plan, std::size_t hosts);

// Absent and unspecified are RING.
v1::PlanKind KindOf(const v1::ProbePlan& plan);

struct PlanInput {
  // Probe ids are "AUDIT-1", "AUDIT-2" ...
  std::string audit_id;
  std::vector<checks::RailPort> ports;
  // Hosts that cannot be probed, and why, in words.
  std::map<std::string, std::string> unreachable;
  // What holds for a host; by the first host of a pair. Never null.
  std::function<const EffectivePolicy*(const std::string& host)> policy_of;
};

struct ProbePlanned {
  ProbeWork work;
  // All pairs, those that can be run first and in their order; the others say why not.
  std::vector<checks::PlannedProbe> planned;
};

// On each rail every port with the next one.
ProbePlanned PlanRing(const PlanInput& input);

}  // namespace roceready
