// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/probe_counters.h"

#include "controller/probing/probe_attempt.h"

namespace roceready {
namespace {

const v1::PhaseResult* FindPhase(const v1::EndReport& report, std::uint32_t index) {
  for (const v1::PhaseResult& result : report.phases()) {
    if (result.index() == index) return &result;
  }
  return nullptr;
}

// What came of a phase: as the end that ran it says, unless the other one saw wrong bytes.
v1::PhaseOutcome OutcomeOf(const v1::ProbeResult& result, const v1::ProbePhase& phase) {
  const bool by_b = phase.active_side() == v1::PROBE_SIDE_B;
  const v1::PhaseResult* active = FindPhase(by_b ? result.b() : result.a(), phase.index());
  const v1::PhaseResult* passive = FindPhase(by_b ? result.a() : result.b(), phase.index());
  if (passive != nullptr && passive->outcome() == v1::PHASE_OUTCOME_MISMATCH) {
    return v1::PHASE_OUTCOME_MISMATCH;
  }
  if (active == nullptr) return v1::PHASE_OUTCOME_NOT_RUN;
  // An agent of another version may send a number that we have no word for.
  return v1::PhaseOutcome_IsValid(active->outcome()) ? active->outcome()
                                                     : v1::PHASE_OUTCOME_UNSPECIFIED;
}

}  // namespace

void ProbeCounters::Count(const v1::ProbeResult& result) {
  attempts += result.spec().attempt();
  End end = End::kNotCarriedOut;
  if (result.failed_step().empty()) {
    end = End::kMeasured;
  } else if (result.refusal() != v1::REFUSAL_REASON_UNSPECIFIED) {
    end = End::kRefused;
  } else if (result.failed_step() == kStoppedStep) {
    end = End::kStopped;
  }
  ++pairs[end];
  for (const v1::ProbePhase& phase : result.spec().phases()) {
    ++phases[{phase.operation(), OutcomeOf(result, phase)}];
  }
}

}  // namespace roceready
