// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/plan.h"

#include <utility>

#include "controller/probing/probe_spec.h"
#include "proto/contract/errors.h"

namespace roceready {
namespace {

std::string WhyNot(const checks::RailPort& port, const PlanInput& input) {
  auto unreachable = input.unreachable.find(port.host);
  if (unreachable != input.unreachable.end()) {
    return fmt::format("{}: {}", port.host, unreachable->second);
  }
  if (!port.active) return fmt::format("the port {} of {} is not active", port.label, port.host);
  return {};
}

std::string WhyNot(const checks::RailPair& pair, const PlanInput& input) {
  std::string why = WhyNot(pair.a, input);
  return why.empty() ? WhyNot(pair.b, input) : why;
}

std::string AdapterOf(const checks::RailPort& port) {
  return fmt::format("{}/{}", port.host, port.adapter_id);
}

}  // namespace

v1::PlanKind KindOf(const v1::ProbePlan& plan) {
  return plan.kind() == v1::PLAN_KIND_UNSPECIFIED ? v1::PLAN_KIND_RING : plan.kind();
}

absl::Status CheckPlan(const v1::ProbePlan& plan, std::size_t hosts) {
  switch (KindOf(plan)) {
    case v1::PLAN_KIND_NONE:
    case v1::PLAN_KIND_RING:
      return absl::OkStatus();
    case v1::PLAN_KIND_PAIR:
      if (hosts != 2) {
        return InvalidArgument("a plan of kind pair is for exactly 2 hosts, and {} were named",
                               hosts);
      }
      return absl::OkStatus();
    default:
      return Unimplemented(
          "a plan of kind {} is not available in this version; ring, pair and none are",
          v1::PlanKind_IsValid(plan.kind()) ? v1::PlanKind_Name(plan.kind())
                                            : std::to_string(plan.kind()));
  }
}

ProbePlanned PlanRing(const PlanInput& input) {
  ProbePlanned plan;
  std::vector<checks::PlannedProbe> not_run;
  for (const auto& [rail, ports] : checks::GroupByRail(input.ports)) {
    for (const checks::RailPair& pair : checks::RingOf(ports)) {
      const EffectivePolicy& policy = *input.policy_of(pair.a.host);
      checks::PlannedProbe planned;
      planned.a = MakeProbeEnd(pair.a, policy);
      planned.b = MakeProbeEnd(pair.b, policy);
      planned.missing_reason = WhyNot(pair, input);
      if (!planned.missing_reason.empty()) {
        not_run.push_back(std::move(planned));
        continue;
      }
      PlannedPair runnable;
      runnable.spec =
          MakeProbeSpec(fmt::format("{}-{}", input.audit_id, plan.work.pairs.size() + 1), planned.a,
                        planned.b, policy);
      runnable.adapter_a = AdapterOf(pair.a);
      runnable.adapter_b = AdapterOf(pair.b);
      plan.work.pairs.push_back(std::move(runnable));
      plan.planned.push_back(std::move(planned));
    }
  }
  std::move(not_run.begin(), not_run.end(), std::back_inserter(plan.planned));
  return plan;
}

}  // namespace roceready
