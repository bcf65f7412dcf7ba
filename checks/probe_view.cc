// SPDX-License-Identifier: Apache-2.0
#include "checks/probe_view.h"

#include <algorithm>

#include "checks/fact_path.h"
#include "checks/probe_latency.h"
#include "checks/probe_loss.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

std::optional<Verb> VerbOf(v1::ProbeOperation operation) {
  switch (operation) {
    case v1::PROBE_OPERATION_WRITE:
    case v1::PROBE_OPERATION_WRITE_WITH_IMMEDIATE:
      return Verb::kWrite;
    case v1::PROBE_OPERATION_READ:
      return Verb::kRead;
    default:
      return std::nullopt;
  }
}

const v1::PhaseResult* FindPhase(const v1::EndReport& report, uint32_t index) {
  for (const v1::PhaseResult& phase : report.phases()) {
    if (phase.index() == index) return &phase;
  }
  return nullptr;
}

std::string VerbWord(Verb verb) { return verb == Verb::kWrite ? "WRITE" : "READ"; }

std::string RefusalWord(v1::RefusalReason reason) {
  constexpr std::string_view kPrefix = "REFUSAL_REASON_";
  if (!v1::RefusalReason_IsValid(reason)) return fmt::format("reason {}", static_cast<int>(reason));
  return v1::RefusalReason_Name(reason).substr(kPrefix.size());
}

std::string OutcomeWord(v1::PhaseOutcome outcome) {
  constexpr std::string_view kPrefix = "PHASE_OUTCOME_";
  if (!v1::PhaseOutcome_IsValid(outcome))
    return fmt::format("outcome {}", static_cast<int>(outcome));
  return v1::PhaseOutcome_Name(outcome).substr(kPrefix.size());
}

// Work completion statuses that a lost packet leads to (enum ibv_wc_status): retries exceeded, and
// response timeout.
bool IsLossStatus(uint32_t status) { return status == 12 || status == 21; }

// The two ends could not be connected: a FAIL, for an address that nobody answers to, a route that
// is not there or GIDs that do not fit are in the way. Agents call an errno of that step RESOURCES;
// what they need was made in the step before.
bool FailedToConnect(const v1::ProbeResult& result) {
  return result.failed_step() == "connect" && result.refusal() == v1::REFUSAL_REASON_RESOURCES;
}

// Why nothing is known about the whole probe; empty where its phases tell.
std::string WholeUnknown(const ProbedPair& pair, std::string_view missing_reason) {
  if (pair.result == nullptr) {
    return std::string(missing_reason.empty() ? "not probed" : missing_reason);
  }
  const v1::ProbeResult& result = *pair.result;
  const std::string tail = result.detail().empty() ? "" : ": " + result.detail();
  if (FailedToConnect(result)) return {};
  if (result.refusal() != v1::REFUSAL_REASON_UNSPECIFIED) {
    const v1::ProbeEnd& refuser = result.refused_by() == v1::PROBE_SIDE_B ? pair.b : pair.a;
    return fmt::format("refused by {}, {}{}", refuser.host(), RefusalWord(result.refusal()), tail);
  }
  if (!result.has_a() || !result.has_b()) {
    if (result.detail().starts_with("agent lost")) return result.detail();
    const v1::ProbeEnd& lost = result.has_a() ? pair.b : pair.a;
    const std::string who = !result.has_a() && !result.has_b()
                                ? fmt::format("{} and {}", pair.a.host(), pair.b.host())
                                : lost.host();
    return fmt::format("agent lost on {}{}", who, tail);
  }
  if (!result.failed_step().empty() && result.a().phases().empty() && result.b().phases().empty()) {
    return fmt::format("stopped at {}{}", result.failed_step(), tail);
  }
  return {};
}

struct Blame {
  Lost lost = Lost::kUnknown;
  std::string text;
};

// Who lost what, by the counters of both ends in the phase that failed.
Blame BlameFor(const ProbedPair& pair, const PhaseView& phase) {
  const v1::ProbeEnd& active_end = pair.From(phase.path);
  const v1::ProbeEnd& passive_end = pair.To(phase.path);
  const auto active = [&](v1::CounterId id) { return DeltaOf(phase.active, active_end, id); };
  const auto passive = [&](v1::CounterId id) { return DeltaOf(phase.passive, passive_end, id); };
  const auto duplicates = passive(v1::COUNTER_ID_DUPLICATE_REQUESTS);
  const auto gaps = passive(v1::COUNTER_ID_OUT_OF_SEQUENCE);
  const auto received = passive(v1::COUNTER_ID_RX_PACKETS);
  const auto sent = active(v1::COUNTER_ID_TX_PACKETS);
  const std::string& from = active_end.host();
  const std::string& to = passive_end.host();
  if (sent && *sent == 0) {
    return {Lost::kNotSent, fmt::format("{} sent nothing", from)};
  }
  // A responder that misses replies alone sees requests again, and none out of order.
  if (gaps.value_or(0) > 0) {
    return {Lost::kRequests,
            fmt::format("packets from {} to {} are lost ({})", from, to, Counted(*gaps, "gap"))};
  }
  if (duplicates.value_or(0) > 0) {
    return {Lost::kReplies, fmt::format("requests arrive at {}, its replies to {} are lost ({})",
                                        to, from, Counted(*duplicates, "duplicate request"))};
  }
  const bool flat = received ? *received == 0 : duplicates.has_value() && gaps.has_value();
  if (flat) {
    return {Lost::kRequests, fmt::format("nothing from {} arrives at {}", from, to)};
  }
  if (!received && !duplicates && !gaps) {
    return {Lost::kUnknown,
            fmt::format("requests or replies, cannot be told: no counters of {}", to)};
  }
  return {Lost::kUnknown,
          fmt::format("requests or replies, cannot be told by the counters of {}", to)};
}

std::string FailureText(const PhaseView& phase) {
  const std::string what =
      fmt::format("{} of {} bytes", VerbWord(phase.verb), Grouped(phase.spec->message_bytes()));
  const v1::PhaseResult& side = *phase.active;
  switch (side.outcome()) {
    case v1::PHASE_OUTCOME_COMPLETION_ERROR: {
      const v1::CompletionError& error = side.completion_error();
      return fmt::format("{} failed, status {}{}", what, error.status(),
                         error.status_name().empty() ? "" : " " + error.status_name());
    }
    case v1::PHASE_OUTCOME_MISMATCH:
      return fmt::format("{} brought wrong data, first at byte {}", what,
                         side.first_mismatch_offset());
    default:
      return fmt::format("{} did not end in time", what);
  }
}

// What one phase says about its verb.
VerbVerdict JudgePhase(const ProbedPair& pair, const PhaseView& phase) {
  VerbVerdict verdict{.verb = phase.verb, .path = phase.path, .phase = phase};
  const auto unknown = [&](std::string text) {
    verdict.status = v1::CHECK_STATUS_UNKNOWN;
    verdict.text = std::move(text);
    return verdict;
  };
  if (phase.active == nullptr || phase.active->outcome() == v1::PHASE_OUTCOME_NOT_RUN ||
      phase.active->outcome() == v1::PHASE_OUTCOME_UNSPECIFIED) {
    return unknown(phase.active == nullptr || phase.active->detail().empty()
                       ? "not run"
                       : "not run: " + phase.active->detail());
  }
  const bool passive_mismatch =
      phase.passive != nullptr && phase.passive->outcome() == v1::PHASE_OUTCOME_MISMATCH;
  if (phase.active->outcome() == v1::PHASE_OUTCOME_MISMATCH || passive_mismatch) {
    verdict.status = v1::CHECK_STATUS_FAIL;
    verdict.lost = Lost::kNothing;
    PhaseView wrong = phase;
    if (passive_mismatch) wrong.active = phase.passive;
    verdict.text = FailureText(wrong);
    return verdict;
  }
  if (phase.active->outcome() == v1::PHASE_OUTCOME_LOCAL_ERROR) {
    return unknown(fmt::format("{} could not run it: {}", pair.From(phase.path).host(),
                               phase.active->detail()));
  }
  if (!phase.IsDone()) {
    if (phase.active->outcome() != v1::PHASE_OUTCOME_COMPLETION_ERROR &&
        phase.active->outcome() != v1::PHASE_OUTCOME_DEADLINE) {
      return unknown(OutcomeWord(phase.active->outcome()));
    }
    verdict.status = v1::CHECK_STATUS_FAIL;
    verdict.text = FailureText(phase);
    if (!phase.LooksLost()) {
      verdict.lost = Lost::kNothing;
      return verdict;
    }
    const Blame blame = BlameFor(pair, phase);
    verdict.lost = blame.lost;
    if (blame.lost == Lost::kRequests || blame.lost == Lost::kNotSent) {
      verdict.lost_path = phase.path;
    } else if (blame.lost == Lost::kReplies) {
      verdict.lost_path = Reverse(phase.path);
    }
    verdict.text += ": " + blame.text;
    return verdict;
  }
  const uint64_t verified =
      std::max(phase.active->bytes_verified(),
               phase.passive == nullptr ? 0 : phase.passive->bytes_verified());
  verdict.verified = verified > 0;
  if (phase.spec->measure() == v1::PROBE_MEASURE_INTEGRITY && !verdict.verified) {
    return unknown("done, but the payload was not verified");
  }
  verdict.status = v1::CHECK_STATUS_PASS;
  return verdict;
}

// The worst that the phases of one verb say; of equals the first, which is the smallest message.
VerbVerdict JudgeVerb(const ProbedPair& pair, const std::vector<PhaseView>& phases, Verb verb,
                      Path path) {
  VerbVerdict worst{.verb = verb, .path = path};
  const auto rank = [](v1::CheckStatus status) {
    if (status == v1::CHECK_STATUS_FAIL) return 3;
    if (status == v1::CHECK_STATUS_UNKNOWN) return 2;
    return status == v1::CHECK_STATUS_PASS ? 1 : 0;
  };
  bool verified = false;
  for (const PhaseView& phase : phases) {
    if (phase.verb != verb || phase.path != path) continue;
    VerbVerdict verdict = JudgePhase(pair, phase);
    verified |= verdict.verified;
    if (rank(verdict.status) > rank(worst.status)) worst = std::move(verdict);
  }
  worst.verified = verified && worst.status == v1::CHECK_STATUS_PASS;
  return worst;
}

// Large payloads on a path fail, and not one packet of them gets through, while small ones pass: a
// link on the way has a smaller MTU, and packets that do not fit vanish (RoCE sends DF and gets no
// answer).
BlackHole FindBlackHole(const ProbedPair& pair, const std::vector<PhaseView>& phases,
                        Path data_path) {
  BlackHole hole;
  const uint32_t path_mtu = pair.result->spec().transport().path_mtu_bytes();
  for (const Verb verb : {Verb::kWrite, Verb::kRead}) {
    const PhaseView *small = nullptr, *large_done = nullptr, *large_failed = nullptr;
    for (const PhaseView& phase : phases) {
      if (phase.DataPath() != data_path || phase.verb != verb || phase.active == nullptr) continue;
      const bool fills_packets = path_mtu > 0 && phase.spec->message_bytes() >= path_mtu;
      if (phase.IsDone()) {
        (fills_packets ? large_done : small) = &phase;
      } else if (fills_packets && phase.active->bytes_moved() == 0 &&
                 (phase.active->outcome() == v1::PHASE_OUTCOME_COMPLETION_ERROR ||
                  phase.active->outcome() == v1::PHASE_OUTCOME_DEADLINE) &&
                 !FullPacketsArrived(pair, phase)) {
        large_failed = &phase;
      }
    }
    if (small == nullptr) continue;
    if (large_failed != nullptr && large_done == nullptr) {
      return {v1::CHECK_STATUS_FAIL, small->spec->message_bytes(),
              large_failed->spec->message_bytes(), *large_failed};
    }
    if (large_done != nullptr) hole.status = v1::CHECK_STATUS_PASS;
  }
  return hole;
}

std::string LabelOf(const v1::ProbeEnd& end) {
  return fmt::format("{} {}", end.host(), end.rdma_device_id());
}

}  // namespace

std::vector<PhaseView> PhasesOf(const v1::ProbeResult& result) {
  std::vector<PhaseView> phases;
  for (const v1::ProbePhase& spec : result.spec().phases()) {
    const std::optional<Verb> verb = VerbOf(spec.operation());
    if (!verb) continue;
    const bool by_a = spec.active_side() != v1::PROBE_SIDE_B;
    phases.push_back({.spec = &spec,
                      .active = FindPhase(by_a ? result.a() : result.b(), spec.index()),
                      .passive = FindPhase(by_a ? result.b() : result.a(), spec.index()),
                      .verb = *verb,
                      .path = by_a ? Path::kAToB : Path::kBToA});
  }
  return phases;
}

bool PhaseView::IsDone() const {
  return active != nullptr && active->outcome() == v1::PHASE_OUTCOME_DONE &&
         (passive == nullptr || passive->outcome() == v1::PHASE_OUTCOME_DONE ||
          passive->outcome() == v1::PHASE_OUTCOME_UNSPECIFIED);
}

bool PhaseView::LooksLost() const {
  if (active == nullptr) return false;
  if (active->outcome() == v1::PHASE_OUTCOME_DEADLINE) return true;
  return active->outcome() == v1::PHASE_OUTCOME_COMPLETION_ERROR &&
         IsLossStatus(active->completion_error().status());
}

const VerbVerdict* ProbedPair::Find(Verb verb, Path path) const {
  for (const VerbVerdict& verdict : verbs) {
    if (verdict.verb == verb && verdict.path == path) return &verdict;
  }
  return nullptr;
}

v1::Subject ProbedPair::SubjectOf(Path path) const {
  v1::Subject subject;
  subject.set_host(From(path).host());
  subject.set_device_id(From(path).rdma_device_id());
  subject.set_port(From(path).port());
  subject.set_peer_host(To(path).host());
  subject.set_peer_device_id(To(path).rdma_device_id());
  const bool forward = path == Path::kAToB;
  subject.set_label(
      fmt::format("{} -> {}", forward ? label_a : label_b, forward ? label_b : label_a));
  return subject;
}

std::vector<PortKey> ProbedPair::Touches() const {
  return {{a.host(), a.rdma_device_id(), a.port()}, {b.host(), b.rdma_device_id(), b.port()}};
}

std::vector<v1::Evidence> ProbedPair::EvidenceOf(const PhaseView& phase) const {
  std::vector<v1::Evidence> evidence;
  const auto add = [&](const v1::PhaseResult* side, const v1::ProbeEnd& end) {
    const std::string owner = RdmaPortOwnerId(end.rdma_device_id(), end.port());
    v1::Evidence one;
    one.set_host(end.host());
    one.set_fact_path(CountersPath(owner));
    one.set_probe_id(result->spec().probe_id());
    one.set_phase(phase.spec->index());
    one.mutable_reading()->set_outcome(v1::OUTCOME_NOT_COLLECTED);
    if (side != nullptr) {
      one.set_value(OutcomeWord(side->outcome()));
      for (const v1::PortCounters& counters : side->counters()) {
        if (counters.owner_id() != owner) continue;
        *one.mutable_reading() = counters.reading();
        for (const v1::CounterSample& sample : counters.samples()) {
          if (sample.delta() > 0) *one.add_counters() = sample;
        }
      }
    }
    evidence.push_back(std::move(one));
  };
  add(phase.active, From(phase.path));
  add(phase.passive, To(phase.path));
  return evidence;
}

std::optional<uint64_t> DeltaOf(const v1::PhaseResult* side, const v1::ProbeEnd& end,
                                v1::CounterId id) {
  if (side == nullptr) return std::nullopt;
  const std::string owner = RdmaPortOwnerId(end.rdma_device_id(), end.port());
  std::optional<uint64_t> delta;
  for (const v1::PortCounters& counters : side->counters()) {
    if (counters.owner_id() != owner || !IsOk(counters.reading())) continue;
    for (const v1::CounterSample& sample : counters.samples()) {
      if (sample.id() == id && sample.has_delta()) delta = delta.value_or(0) + sample.delta();
    }
  }
  return delta;
}

ProbedPair ViewProbe(const PlannedProbe& planned, const v1::ProbeResult* result) {
  ProbedPair pair{.a = planned.a, .b = planned.b, .result = result};
  pair.incast_group = planned.incast_group;
  pair.missing_reason = planned.missing_reason;
  pair.is_retest = planned.is_retest;
  if (result != nullptr) {
    pair.a = result->spec().a();
    pair.b = result->spec().b();
    pair.incast_group = result->spec().incast().group();
  }
  pair.label_a = LabelOf(pair.a);
  pair.label_b = LabelOf(pair.b);
  const std::string unknown = WholeUnknown(pair, planned.missing_reason);
  const bool unconnected = result != nullptr && FailedToConnect(*result);
  std::vector<PhaseView> phases;
  if (unknown.empty() && !unconnected) phases = PhasesOf(*result);
  for (const Path path : kPaths) {
    for (const Verb verb : {Verb::kWrite, Verb::kRead}) {
      VerbVerdict verdict{.verb = verb, .path = path};
      if (!unknown.empty()) {
        verdict.status = v1::CHECK_STATUS_UNKNOWN;
        verdict.text = unknown;
      } else if (unconnected) {
        verdict.status = v1::CHECK_STATUS_FAIL;
        verdict.text = "the two could not be connected";
        if (!result->detail().empty()) verdict.text += ": " + result->detail();
      } else {
        verdict = JudgeVerb(pair, phases, verb, path);
      }
      pair.verbs.push_back(std::move(verdict));
    }
  }
  if (phases.empty()) return pair;
  for (const Path path : kPaths) {
    BlackHole& hole = pair.black_holes[static_cast<size_t>(path)];
    hole = FindBlackHole(pair, phases, path);
    for (VerbVerdict& verdict : pair.verbs) {
      const bool same_data = verdict.phase && verdict.phase->DataPath() == path;
      verdict.large_only |= hole.status == v1::CHECK_STATUS_FAIL && same_data &&
                            verdict.status == v1::CHECK_STATUS_FAIL &&
                            verdict.phase->spec->message_bytes() > hole.passed_bytes;
    }
  }
  for (VerbVerdict& verdict : pair.verbs) {
    verdict.given_up = !verdict.large_only && verdict.lost_path &&
                       PacketsArrived(pair, *verdict.phase, *verdict.lost_path);
  }
  pair.losses = CountLosses(pair, phases);
  for (VerbVerdict& verdict : pair.verbs) {
    verdict.given_up =
        verdict.given_up && pair.losses[static_cast<size_t>(*verdict.lost_path)].events > 0;
  }
  pair.latencies = MeasuredLatencies(phases);
  for (const PhaseView& phase : phases) {
    if (phase.spec->measure() != v1::PROBE_MEASURE_BANDWIDTH || !phase.IsDone()) continue;
    pair.bandwidths.push_back({.verb = phase.verb,
                               .data_path = phase.DataPath(),
                               .phase = phase,
                               .bps = phase.active->bandwidth_bps()});
  }
  return pair;
}

}  // namespace roceready::checks
