// SPDX-License-Identifier: Apache-2.0
// Audits, their probes and findings, and verdicts.
#include <absl/status/status.h>

#include "controller/status/metrics.h"
#include "proto/process/durations.h"

namespace roceready::status {
namespace {

constexpr v1::Readiness kReadinesses[] = {v1::READINESS_READY, v1::READINESS_NOT_READY,
                                          v1::READINESS_UNDETERMINED};

std::string Label(v1::Readiness readiness) {
  if (readiness == v1::READINESS_UNSPECIFIED) return "none";
  return LabelOf(v1::Readiness_Name(readiness), "READINESS_");
}

template <typename Map, typename Key>
double CountOf(const Map& counts, const Key& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : static_cast<double>(found->second);
}

// A check in all its outcomes, or in all but one.
struct Tally {
  std::uint64_t pass = 0, fail = 0, unknown = 0, not_applicable = 0, waived = 0;
};

void AddLastVerdicts(const AuditBook& audits, const Fleet& fleet, Families* families) {
  const std::map<v1::Readiness, std::size_t> counts = audits.last_verdicts().Count();
  Family hosts = Family::Gauge(
      "roceready_hosts_last_verdict",
      "Known hosts by what the last audit of each said; none: not audited since the start.");
  double judged = 0;
  for (const v1::Readiness readiness : kReadinesses) {
    hosts.Add(CountOf(counts, readiness), {{"readiness", Label(readiness)}});
    judged += CountOf(counts, readiness);
  }
  hosts.Add(static_cast<double>(fleet.hosts().size()) - judged, {{"readiness", "none"}});
  hosts.AppendTo(families);
}

void AddNewest(const v1::Audit& audit, std::size_t hosts, Families* families) {
  Family::Gauge("roceready_last_audit_end_time_seconds",
                "When the audit ended that ended last with a verdict.")
      .Add(Seconds(FromProto(audit.ended_at())))
      .AppendTo(families);
  Family::Gauge("roceready_last_audit_hosts", "Hosts of the audit that ended last with a verdict.")
      .Add(static_cast<double>(hosts))
      .AppendTo(families);
  AddFindings(audit.verdict(), families);
}

}  // namespace

void AddAudits(const AuditBook& audits, const Fleet& fleet, Families* families) {
  Family::Gauge("roceready_audits_running", "Audits under way.")
      .Add(static_cast<double>(audits.running()))
      .AppendTo(families);
  Family::Gauge("roceready_audits_waiting", "Audits that wait for their turn.")
      .Add(static_cast<double>(audits.waiting()))
      .AppendTo(families);
  const AuditCounters& counters = audits.counters();
  Family::Counter("roceready_audits_refused_total", "Audits not taken on: too many waited.")
      .Add(static_cast<double>(counters.refused))
      .AppendTo(families);
  Family ended = Family::Counter(
      "roceready_audits_ended_total",
      "Audits by the state they ended in and what they said; none: they came to no verdict.");
  for (const v1::AuditState state :
       {v1::AUDIT_STATE_DONE, v1::AUDIT_STATE_CANCELLED, v1::AUDIT_STATE_ABORTED}) {
    for (const v1::Readiness readiness : {v1::READINESS_UNSPECIFIED, v1::READINESS_READY,
                                          v1::READINESS_NOT_READY, v1::READINESS_UNDETERMINED}) {
      ended.Add(CountOf(counters.ended, std::pair(state, readiness)),
                {{"state", LabelOf(v1::AuditState_Name(state), "AUDIT_STATE_")},
                 {"readiness", Label(readiness)}});
    }
  }
  ended.AppendTo(families);
  Family::Histogram("roceready_audit_duration_seconds",
                    "How long audits took from their begin to their end, with probes and without.")
      .Add(counters.took_with_probes, {{"probes", "yes"}})
      .Add(counters.took_without_probes, {{"probes", "no"}})
      .AppendTo(families);
  AddLastVerdicts(audits, fleet, families);
  if (const auto newest = audits.NewestJudged()) {
    AddNewest(newest->audit(), newest->audit().progress().hosts_total(), families);
  }
}

void AddFindings(const v1::Verdict& verdict, Families* families) {
  std::map<std::string, std::uint64_t> evaluated;
  for (const v1::CheckTally& tally : verdict.tallies()) {
    evaluated[tally.check_id()] = tally.evaluated();
  }
  const auto named = Bounded(evaluated, kMaxChecks);
  std::map<std::string, Tally> tallies;
  for (const v1::CheckTally& tally : verdict.tallies()) {
    const auto [check, count] = *Bounded({{tally.check_id(), 0}}, 1).begin();
    Tally& sum = tallies[named.contains(check) ? check : "other"];
    sum.pass += tally.pass();
    sum.fail += tally.fail();
    sum.unknown += tally.unknown();
    sum.not_applicable += tally.not_applicable();
    sum.waived += tally.waived();
  }
  Family findings = Family::Gauge("roceready_last_audit_findings",
                                  "What the audit that ended last with a verdict found, by check "
                                  "and outcome; `roceready explain` says what a check is.");
  for (const auto& [check, tally] : tallies) {
    for (const auto& [outcome, count] : {std::pair("pass", tally.pass),
                                         {"fail", tally.fail},
                                         {"unknown", tally.unknown},
                                         {"not_applicable", tally.not_applicable},
                                         {"waived", tally.waived}}) {
      findings.Add(static_cast<double>(count), {{"check", check}, {"outcome", outcome}});
    }
  }
  findings.AppendTo(families);
}

void AddProbes(const Prober& prober, Families* families) {
  const ProbeCounters& counters = prober.counters();
  Family::Gauge("roceready_probes_running", "Pairs of ports that probe each other.")
      .Add(static_cast<double>(prober.running_pairs()))
      .AppendTo(families);
  using End = ProbeCounters::End;
  Family pairs = Family::Counter(
      "roceready_probes_total",
      "Probes of pairs by their end; measured: phases were run, whatever came of them.");
  for (const auto& [end, word] : {std::pair(End::kMeasured, "measured"),
                                  {End::kRefused, "refused"},
                                  {End::kStopped, "stopped"},
                                  {End::kNotCarriedOut, "not_carried_out"}}) {
    pairs.Add(CountOf(counters.pairs, end), {{"end", word}});
  }
  pairs.AppendTo(families);
  Family::Counter("roceready_probe_attempts_total",
                  "Attempts at pairs: a phase that fails takes the connection with it.")
      .Add(static_cast<double>(counters.attempts))
      .AppendTo(families);
  Family phases = Family::Counter("roceready_probe_phases_total",
                                  "Phases of probes by operation and what came of it.");
  for (int operation = v1::PROBE_OPERATION_WRITE; operation <= v1::ProbeOperation_MAX;
       ++operation) {
    for (int outcome = v1::PhaseOutcome_MIN; outcome <= v1::PhaseOutcome_MAX; ++outcome) {
      const std::pair key(static_cast<v1::ProbeOperation>(operation),
                          static_cast<v1::PhaseOutcome>(outcome));
      phases.Add(CountOf(counters.phases, key),
                 {{"operation", LabelOf(v1::ProbeOperation_Name(operation), "PROBE_OPERATION_")},
                  {"outcome", LabelOf(v1::PhaseOutcome_Name(outcome), "PHASE_OUTCOME_")}});
    }
  }
  phases.AppendTo(families);
}

void AddVerdicts(const VerdictCounters& verdicts, Families* families) {
  Family answers = Family::Counter("roceready_verdict_answers_total",
                                   "Questions for a verdict that were answered, by readiness.");
  for (const v1::Readiness readiness : kReadinesses) {
    answers.Add(CountOf(verdicts.answered, readiness), {{"readiness", Label(readiness)}});
  }
  answers.AppendTo(families);
  Family refused =
      Family::Counter("roceready_verdict_refusals_total",
                      "Questions for a verdict that were refused, by status code; unavailable: the "
                      "controller starts or stops.");
  std::map<absl::StatusCode, std::uint64_t> by_code = {{absl::StatusCode::kInvalidArgument, 0},
                                                       {absl::StatusCode::kNotFound, 0},
                                                       {absl::StatusCode::kPermissionDenied, 0},
                                                       {absl::StatusCode::kResourceExhausted, 0},
                                                       {absl::StatusCode::kUnavailable, 0}};
  for (const auto& [code, count] : verdicts.refused) by_code[code] = count;
  for (const auto& [code, count] : by_code) {
    refused.Add(static_cast<double>(count),
                {{"code", LabelOf(absl::StatusCodeToString(code), "")}});
  }
  refused.AppendTo(families);
  Family::Histogram("roceready_verdict_duration_seconds",
                    "How long a question for a verdict took until its answer, the wait for fresh "
                    "facts that it asked for included.")
      .Add(verdicts.took)
      .AppendTo(families);
}

}  // namespace roceready::status
