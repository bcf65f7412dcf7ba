// SPDX-License-Identifier: Apache-2.0
#include "checks/datagrams.h"

#include "checks/words.h"

namespace roceready::checks {
namespace {

const v1::PhaseResult* Find(const v1::EndReport& report, uint32_t index) {
  for (const v1::PhaseResult& phase : report.phases()) {
    if (phase.index() == index) return &phase;
  }
  return nullptr;
}

// Empty: that side did its part.
std::string WhyUnknown(const v1::PhaseResult* side, const std::string& host) {
  if (side == nullptr) return fmt::format("datagrams: nothing of them from {}", host);
  if (side->outcome() == v1::PHASE_OUTCOME_DONE) return {};
  return fmt::format("datagrams at {}: {}", host,
                     side->detail().empty() ? "not run" : side->detail());
}

v1::Evidence EvidenceOf(const DatagramsSeen& seen, const ProbedPair& pair, Path path,
                        uint32_t phase) {
  v1::Evidence evidence;
  evidence.set_host(pair.To(path).host());
  evidence.set_probe_id(pair.result->spec().probe_id());
  evidence.set_phase(phase);
  evidence.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  evidence.mutable_reading()->set_source(v1::SOURCE_VERBS);
  std::vector<std::string> flows;
  flows.reserve(seen.flows.size());
  for (const DatagramFlowSeen& flow : seen.flows) {
    flows.push_back(fmt::format("{} of {}", flow.arrived, flow.sent));
  }
  evidence.set_value(
      fmt::format("datagrams received, by flow: {}; twice: {}, late: {}, damaged: {}",
                  JoinWords(flows), seen.duplicates, seen.out_of_order, seen.corrupt));
  return evidence;
}

}  // namespace

bool DatagramsSeen::OutOfTurnExplains(double rate) const {
  // A connection reports a gap once for several packets that come late.
  constexpr double kShare = 0.25;
  if (!known() || lost() > 0 || out_of_order + duplicates == 0) return false;
  return static_cast<double>(out_of_order + duplicates) >=
         kShare * rate * static_cast<double>(sent);
}

DatagramsSeen DatagramsOn(const ProbedPair& pair, Path path) {
  DatagramsSeen seen;
  if (pair.result == nullptr || pair.result->refusal() != v1::REFUSAL_REASON_UNSPECIFIED ||
      !pair.result->has_a() || !pair.result->has_b()) {
    return seen;
  }
  const bool from_a = path == Path::kAToB;
  for (const v1::ProbePhase& spec : pair.result->spec().phases()) {
    const bool by_a = spec.active_side() != v1::PROBE_SIDE_B;
    if (spec.operation() != v1::PROBE_OPERATION_UD_PING || by_a != from_a) continue;
    seen.ordered = true;
    const auto* active = Find(from_a ? pair.result->a() : pair.result->b(), spec.index());
    const auto* passive = Find(from_a ? pair.result->b() : pair.result->a(), spec.index());
    // The end that could not is the one that says why.
    seen.unknown = WhyUnknown(passive, pair.To(path).host());
    if (passive == nullptr || seen.unknown.empty()) {
      const std::string why = WhyUnknown(active, pair.From(path).host());
      if (!why.empty()) seen.unknown = why;
    }
    if (!seen.unknown.empty()) return seen;
    for (int i = 0; i < std::min(active->flows_size(), passive->flows_size()); ++i) {
      const uint64_t sent = active->flows(i).sent();
      const v1::DatagramFlow& arrived = passive->flows(i);
      seen.flows.push_back({sent, std::min(sent, arrived.received() + arrived.corrupt())});
      seen.sent += sent;
      seen.received += std::min(sent, arrived.received());
      seen.duplicates += arrived.duplicates();
      seen.out_of_order += arrived.out_of_order();
      seen.corrupt += arrived.corrupt();
    }
    // Where all are damaged it is rather the device that hands them over otherwise.
    if (seen.received == 0) {
      seen.unknown = fmt::format("none of {} datagrams from {} arrived at {}{}", seen.sent,
                                 pair.From(path).host(), pair.To(path).host(),
                                 seen.corrupt > 0 ? " as it was sent" : "");
      return seen;
    }
    seen.evidence.push_back(EvidenceOf(seen, pair, path, spec.index()));
    return seen;
  }
  return seen;
}

}  // namespace roceready::checks
