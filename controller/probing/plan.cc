// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "controller/fleet/host_record.h"
#include "controller/probing/pair_orders.h"
#include "controller/probing/pairing.h"
#include "controller/probing/plan_choice.h"
#include "controller/probing/probe_spec.h"
#include "proto/contract/errors.h"

namespace roceready {
namespace {

// Two peers hold all ports together; with one there would be islands of two.
constexpr std::uint32_t kLeastSparse = 2;

std::string NameOf(v1::PlanKind kind) {
  switch (kind) {
    case v1::PLAN_KIND_NONE:
      return "none";
    case v1::PLAN_KIND_PAIR:
      return "pair";
    case v1::PLAN_KIND_RING:
      return "ring";
    case v1::PLAN_KIND_RAIL:
      return "rail";
    case v1::PLAN_KIND_SPARSE:
      return "sparse";
    case v1::PLAN_KIND_FULL:
      return "full";
    case v1::PLAN_KIND_INCAST:
      return "incast";
    default:
      return fmt::format("{}", static_cast<int>(kind));
  }
}

absl::Status TooMany(const std::string& plan, std::uint64_t pairs) {
  return InvalidArgument(
      "plan.kind: {} is {} pairs, more than the {} that one audit probes: name fewer hosts, or "
      "take "
      "a sparse plan with a small degree",
      plan, pairs, kMaxPlannedPairs);
}

absl::Status CheckDegree(const v1::ProbePlan& plan, std::size_t hosts) {
  const v1::PlanKind kind = KindOf(plan);
  if (kind == v1::PLAN_KIND_SPARSE && plan.degree() < kLeastSparse) {
    return InvalidArgument(
        "plan.degree: found {}, expected the number of peers for each port, {} or more, for a plan "
        "of kind sparse",
        plan.degree(), kLeastSparse);
  }
  if (kind == v1::PLAN_KIND_INCAST && (plan.degree() < 2 || plan.degree() >= hosts)) {
    return InvalidArgument(
        "plan.degree: found {}, expected the number of senders to one receiver, from 2 to one less "
        "than the hosts ({}), for a plan of kind incast",
        plan.degree(), hosts);
  }
  if (kind != v1::PLAN_KIND_SPARSE && kind != v1::PLAN_KIND_INCAST && plan.degree() != 0) {
    return InvalidArgument(
        "plan.degree: found {}, expected none: only plans of kind sparse and incast have a degree",
        plan.degree());
  }
  return absl::OkStatus();
}

std::vector<checks::RailPort> SortedPorts(const std::vector<checks::RailPort>& ports) {
  std::vector<checks::RailPort> sorted;
  for (auto& [rail, members] : checks::GroupByRail(ports)) {
    std::ranges::move(members, std::back_inserter(sorted));
  }
  return sorted;
}

// Of which fewer than two senders can run.
std::set<std::uint32_t> IncastsOfOne(const Pairing& pairing,
                                     const std::vector<checks::RailPort>& ports,
                                     const PlanInput& input) {
  std::map<std::uint32_t, std::size_t> senders;
  for (const PortPair& pair : pairing.pairs) {
    if (pair.incast == 0) continue;
    std::size_t& count = senders[pair.incast];
    if (WhyNot(ports[pair.a], input).empty() && WhyNot(ports[pair.b], input).empty()) ++count;
  }
  std::set<std::uint32_t> of_one;
  for (const auto& [incast, count] : senders) {
    if (count < 2) of_one.insert(incast);
  }
  return of_one;
}

PlanChoice ChoiceOf(const PlanInput& input, std::span<const checks::RailPort> ports,
                    const TimeForPlan& time) {
  if (ChoosesByBudget(input.plan)) return ChoosePlan(ports, time);
  return {.kind = KindOf(input.plan), .degree = input.plan.degree()};
}

// A pair takes no longer than one of which both ends have as much.
std::uint32_t MostRoom(const PlanInput& input) {
  std::uint32_t most = 0;
  for (const auto& [host, room] : input.datagram_room) most = std::max(most, room);
  return most;
}

std::string NameOf(const PlanChoice& choice) {
  return choice.degree == 0 ? NameOf(choice.kind)
                            : fmt::format("{}:{}", NameOf(choice.kind), choice.degree);
}

}  // namespace

std::string WhyNot(const checks::RailPort& port, const PlanInput& input) {
  auto unreachable = input.unreachable.find(port.host);
  if (unreachable != input.unreachable.end()) {
    return fmt::format("{}: {}", port.host, unreachable->second);
  }
  if (!port.active) return fmt::format("the port {} of {} is not active", port.label, port.host);
  return {};
}

v1::PlanKind KindOf(const v1::ProbePlan& plan) {
  return plan.kind() == v1::PLAN_KIND_UNSPECIFIED ? v1::PLAN_KIND_RING : plan.kind();
}

bool ChoosesByBudget(const v1::ProbePlan& plan) {
  return plan.kind() == v1::PLAN_KIND_UNSPECIFIED && plan.has_budget();
}

absl::Status CheckPlan(const v1::ProbePlan& plan, std::size_t hosts) {
  RETURN_IF_ERROR(CheckDegree(plan, hosts));
  // On one rail with a port for each host, which is the least.
  const std::uint64_t all = std::uint64_t{hosts} * (hosts - std::min<std::size_t>(hosts, 1)) / 2;
  switch (KindOf(plan)) {
    case v1::PLAN_KIND_NONE:
    case v1::PLAN_KIND_RING:
      return absl::OkStatus();
    case v1::PLAN_KIND_PAIR:
      if (hosts == 2) return absl::OkStatus();
      return InvalidArgument("a plan of kind pair is for exactly 2 hosts, and {} were named",
                             hosts);
    case v1::PLAN_KIND_RAIL:
    case v1::PLAN_KIND_FULL:
      return all > kMaxPlannedPairs ? TooMany(NameOf(plan.kind()), all) : absl::OkStatus();
    case v1::PLAN_KIND_SPARSE: {
      const std::uint64_t pairs = std::min(all, std::uint64_t{plan.degree()} * hosts / 2);
      return pairs > kMaxPlannedPairs
                 ? TooMany(fmt::format("sparse with degree {}", plan.degree()), pairs)
                 : absl::OkStatus();
    }
    case v1::PLAN_KIND_INCAST: {
      const std::uint64_t pairs = std::uint64_t{hosts} * plan.degree();
      return pairs > kMaxPlannedPairs
                 ? TooMany(fmt::format("incast with {} senders", plan.degree()), pairs)
                 : absl::OkStatus();
    }
    default:
      return InvalidArgument(
          "plan.kind: found {}, expected none, pair, ring, rail, sparse, full or incast",
          NameOf(plan.kind()));
  }
}

absl::StatusOr<ProbePlanned> MakePlan(const PlanInput& input) {
  auto ports = std::make_shared<const std::vector<checks::RailPort>>(SortedPorts(input.ports));
  ProbePlanned plan;
  const EffectivePolicy nothing;
  const EffectivePolicy& first = ports->empty() ? nothing : *input.policy_of(ports->front().host);
  plan.of_a_pair = EstimatePair(KindOf(input.plan) == v1::PLAN_KIND_INCAST
                                    ? MakeIncastSpec("", {}, {}, first, {})
                                    : MakeProbeSpec("", {}, {}, first, MostRoom(input)));
  const TimeForPlan time{
      .available = input.available,
      .of_a_pair = plan.of_a_pair,
      .at_once = std::min<std::uint64_t>(
          input.at_once == 0 ? ProbeRunner::kMaxPairs : input.at_once, ProbeRunner::kMaxPairs)};
  const PlanChoice choice = ChoiceOf(input, *ports, time);
  plan.kind = choice.kind;
  if (choice.kind == v1::PLAN_KIND_INCAST && choice.degree > time.at_once) {
    return InvalidArgument(
        "plan.degree: {} senders at once are more than the {} probes that may run at the same time "
        "(probes.max_sessions of the policy)",
        choice.degree, time.at_once);
  }
  const std::uint64_t count = CountPairs(choice.kind, choice.degree, *ports);
  if (count > kMaxPlannedPairs) return TooMany(NameOf(choice), count);
  const Pairing pairing = PairPorts(choice.kind, choice.degree, *ports);

  PairOrders orders{input.audit_id, 1, ports, {}, input.policy_of, input.datagram_room};
  const std::set<std::uint32_t> without_company = IncastsOfOne(pairing, *ports, input);
  std::vector<checks::PlannedProbe> not_run;
  for (const PortPair& pair : pairing.pairs) {
    const checks::RailPort &a = (*ports)[pair.a], &b = (*ports)[pair.b];
    const EffectivePolicy& policy = *input.policy_of(a.host);
    checks::PlannedProbe planned{MakeProbeEnd(a, policy), MakeProbeEnd(b, policy), WhyNot(a, input),
                                 IncastGroupOf(input.audit_id, pair)};
    if (planned.missing_reason.empty()) planned.missing_reason = WhyNot(b, input);
    if (planned.missing_reason.empty() && without_company.contains(pair.incast)) {
      planned.missing_reason = "no other sender of the incast can be probed";
    }
    if (!planned.missing_reason.empty()) {
      not_run.push_back(std::move(planned));
      continue;
    }
    plan.planned.push_back(std::move(planned));
    plan.work.pairs.push_back(WaitingPairOf(a, b, pair.incast));
    orders.pairs.push_back(pair);
  }
  std::ranges::move(not_run, std::back_inserter(plan.planned));
  plan.work.spec_of = std::move(orders);
  plan.work.at_once = input.at_once;
  const std::string what =
      choice.kind == v1::PLAN_KIND_INCAST
          ? fmt::format("{} pairs, to each port several at the same time,", plan.planned.size())
          : fmt::format("{} of {} possible pairs", plan.planned.size(),
                        CountPairs(v1::PLAN_KIND_FULL, 0, *ports));
  plan.in_words = fmt::format("{}: {} in {} rounds, about {}", NameOf(choice), what, pairing.rounds,
                              InWords(EstimatePlan(pairing, time)));
  return plan;
}

}  // namespace roceready
