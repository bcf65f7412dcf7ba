// SPDX-License-Identifier: Apache-2.0
// probe.latency: messages take no longer than the policy allows, and no longer than between others.
#include <algorithm>

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/probe_latency.h"
#include "checks/probe_view.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kPolicyPath = "probes.latency_us_at_most";

std::string Microseconds(uint64_t nanoseconds) {
  return fmt::format("{:.1f} us", static_cast<double>(nanoseconds) / 1e3);
}

// Nanoseconds; none: the policy allows any.
std::optional<uint64_t> Allowed(const Judge& judge) {
  const v1::ProbeSettings& probes = judge.policy().probes;
  if (!probes.has_latency_us_at_most()) return std::nullopt;
  return uint64_t{probes.latency_us_at_most()} * 1000;
}

// "READ 42.1 us, where half of 16 directions have 3.9 us or less"
std::string TextOf(const Latency& latency) {
  std::string text = fmt::format("{} {}", latency.verb == Verb::kWrite ? "WRITE" : "READ",
                                 Microseconds(latency.median_ns));
  if (!latency.others_ns) return text;
  return fmt::format("{}, where half of {} have {} or less", text,
                     Counted(latency.compared, "direction"), Microseconds(*latency.others_ns));
}

// Of a probe that came to something; what else is to be said of it probe.write says.
size_t PhasesOrdered(const ProbedPair& pair) {
  if (pair.result == nullptr || pair.result->refusal() != v1::REFUSAL_REASON_UNSPECIFIED) return 0;
  return static_cast<size_t>(
      std::ranges::count(pair.result->spec().phases(), v1::PROBE_MEASURE_LATENCY,
                         [](const v1::ProbePhase& phase) { return phase.measure(); }));
}

// A message and its answer take both ways: which of them is late, nobody can say without clocks
// that agree.
void JudgePair(const ProbedPair& pair, Judge& judge) {
  const size_t ordered = PhasesOrdered(pair);
  const std::optional<uint64_t> allowed = Allowed(judge);
  if (ordered == 0 || (pair.latencies.empty() && !allowed)) return;
  std::vector<const Latency*> high;
  bool compared = false;
  // Other pairs fill the links meanwhile, for as long as a bandwidth phase lasts: one phase may
  // have met that, not all of them.
  const bool all_higher = std::ranges::all_of(pair.latencies, &Latency::IsHigh);
  for (const Latency& one : pair.latencies) {
    compared = compared || allowed || one.others_ns;
    if (all_higher || (allowed && one.median_ns > *allowed)) high.push_back(&one);
  }
  if (high.empty() && allowed && pair.latencies.size() < ordered) {
    judge
        .Unknown(pair.SubjectOf(Path::kAToB), fmt::format("{} of {} latency phases were measured",
                                                          pair.latencies.size(), ordered))
        .Expected(fmt::format("half of the messages take {} or less", Microseconds(*allowed)),
                  kPolicyPath)
        .touches = pair.Touches();
    return;
  }
  if (!compared) return judge.NotApplicable();
  if (high.empty()) return judge.Pass();
  const Latency& worst = **std::ranges::max_element(high, {}, &Latency::median_ns);
  Draft& draft =
      judge.Fail(pair.SubjectOf(Path::kAToB))
          .Expected(
              allowed ? fmt::format("half of the messages take {} or less", Microseconds(*allowed))
                      : "messages take no longer than between other hosts",
              allowed ? kPolicyPath : "")
          .Actual(fmt::format("half of the messages take longer than: {}", TextOf(worst)))
          .MendedBy(
              "Look for a longer way or a full queue between the two, at the CPU frequency and "
              "idle "
              "states, interrupt moderation and PCIe power management of both hosts.");
  for (v1::Evidence& evidence : pair.EvidenceOf(worst.phase)) draft.RestsOn(std::move(evidence));
  draft.touches = pair.Touches();
  for (const Path path : kPaths) {
    for (const std::string_view seen :
         {"probe.traffic-class", "probe.congestion-marks", "probe.bandwidth", "probe.delivery"}) {
      draft.follows.push_back(FindingKey(seen, pair.SubjectOf(path)));
    }
  }
}

}  // namespace

Check ProbeLatency() {
  return {
      .id = "probe.latency",
      .title = "Probes take no longer than others do",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Small messages, barriers and locks of storage wait for the round trip: a pair that "
          "takes "
          "many times as long as others holds up every step that it takes part in, at full "
          "bandwidth.",
      .how =
          "Of each direction, what half of the messages of a WRITE and READ latency phase take at "
          "most, there and back, is compared with the median of all probed directions of ports of "
          "the same models in this audit, from four on, and with what the policy allows "
          "(probes.latency_us_at_most). Three times the median and 30 us more in all of a pair's "
          "phases "
          "is a fault (2 ms more for software devices, which wait for a processor).",
      .fix = "Look between the two, and at how both hosts save power.",
      .sources = {"probe phases that measure latency"},
      .explained_by = {"host.heard-from", "port.active", "link.bit-errors", "link.flaps",
                       "speed.as-planned", "pcie.link", "pcie.power-state", "iommu.passthrough",
                       "pause.storm", "pfc.lossless-priority", "qos.dscp-priority", "probe.write",
                       "probe.read", "probe.loss", "blame.slow"},
      .probe = JudgePair,
  };
}

}  // namespace roceready::checks
