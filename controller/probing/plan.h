// SPDX-License-Identifier: Apache-2.0
// Which pairs an audit probes, and in which order. Pure: ports and policy in, pairs out.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "checks/evaluate.h"
#include "checks/policy/effective_policy.h"
#include "checks/rails.h"
#include "controller/probing/pair_orders.h"
#include "controller/probing/probe_runner.h"
#include "proto/process/clock.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

// Of one audit: each leaves about 10 KB of results, and is judged.
constexpr std::uint64_t kMaxPlannedPairs = 100'000;

// OK for plans that can be made for so many hosts. kInvalidArgument: it does not fit them or
// contradicts itself. kUnimplemented: nothing can carry it out.
absl::Status CheckPlan(const v1::ProbePlan& plan, std::size_t hosts);

// Absent and unspecified are RING, or what ChoosesByBudget() says.
v1::PlanKind KindOf(const v1::ProbePlan& plan);

// No kind but a budget: the largest plan that fits into it.
bool ChoosesByBudget(const v1::ProbePlan& plan);

struct PlanInput {
  // Probe ids are "AUDIT-1", "AUDIT-2" ...
  std::string audit_id;
  v1::ProbePlan plan;
  // How much time there is; matters with ChoosesByBudget().
  Duration available{};
  // Pairs that may run at the same time; 0: as many as there are.
  std::uint32_t at_once = 0;
  std::vector<checks::RailPort> ports;
  // Hosts that cannot be probed, and why, in words.
  std::map<std::string, std::string> unreachable;
  DatagramRoom datagram_room;
  // What holds for a host; by the first host of a pair. Owns what it points at; never null.
  std::function<const EffectivePolicy*(const std::string& host)> policy_of;
};

// Why no pair of the port can be run; empty: it can.
std::string WhyNot(const checks::RailPort& port, const PlanInput& input);

struct ProbePlanned {
  // As asked for, or as chosen.
  v1::PlanKind kind = v1::PLAN_KIND_UNSPECIFIED;
  ProbeWork work;
  // All pairs, those that can be run first and in their order; the others say why not.
  std::vector<checks::PlannedProbe> planned;
  // Such as "sparse:8: 24 of 66 possible pairs in 8 rounds, about 40 s".
  std::string in_words;
  // Of a healthy pair.
  Duration of_a_pair{};
};

// Rails (IPv4 subnets) are taken as isolated: pairs are within one. kInvalidArgument: more pairs
// than kMaxPlannedPairs, or an incast of more senders than `at_once`.
absl::StatusOr<ProbePlanned> MakePlan(const PlanInput& input);

}  // namespace roceready
