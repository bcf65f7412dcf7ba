// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/phase.h"

#include <array>
#include <cerrno>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready::probe {

absl::StatusOr<size_t> CompletionWait::Next(std::span<Completion> into, TimePoint until) {
  CompletionQueue& completions = context_.connection.completions();
  std::optional<TimePoint> idle_since;
  for (;;) {
    for (uint32_t polls = 0; polls < kPollsPerLook; ++polls) {
      const auto count = completions.Poll(into);
      if (!count.ok() || *count > 0) return count;
    }
    const TimePoint now = context_.clock.Now();
    if (now >= until || context_.ending()) return 0;
    if (!idle_since) idle_since = now;
    if (now - *idle_since >= kSpin) {
      RETURN_IF_ERROR(completions.Wait(context_.clock, context_.interrupt, until));
      context_.interrupt.Clear();
    }
  }
}

void SleepUntil(const PhaseContext& context, TimePoint until) {
  std::array<pollfd, 1> wakeable{context.interrupt.Readable()};
  context.clock.Wait(wakeable, until);
  context.interrupt.Clear();
}

void SetCompletionError(v1::PhaseResult& result, const Completion& completion) {
  if (result.outcome() != v1::PHASE_OUTCOME_DONE) return;
  result.set_outcome(v1::PHASE_OUTCOME_COMPLETION_ERROR);
  v1::CompletionError& error = *result.mutable_completion_error();
  error.set_status(completion.status);
  error.set_status_name(std::string(CompletionStatusName(completion.status)));
  error.set_vendor_error(completion.vendor_error);
  error.set_message_index(static_cast<uint32_t>(completion.id));
}

void SetOutcome(v1::PhaseResult& result, v1::PhaseOutcome outcome, int error, std::string detail) {
  if (result.outcome() != v1::PHASE_OUTCOME_DONE) return;
  result.set_outcome(outcome);
  result.set_error(error);
  result.set_detail(std::move(detail));
}

void SetLocalError(v1::PhaseResult& result, const absl::Status& status) {
  SetOutcome(result, v1::PHASE_OUTCOME_LOCAL_ERROR, ErrnoOf(status).value_or(0),
             std::string(Message(status)));
}

void SetStopped(const PhaseContext& context, v1::PhaseResult& result, const std::string& detail) {
  if (const auto why = context.ending()) {
    SetOutcome(result, v1::PHASE_OUTCOME_LOCAL_ERROR, ECANCELED,
               fmt::format("the session ended: {}", *why));
    return;
  }
  SetOutcome(result, v1::PHASE_OUTCOME_DEADLINE, ETIMEDOUT, detail);
}

void SetRates(v1::PhaseResult& result, uint64_t messages, uint32_t message_bytes,
              nanoseconds elapsed) {
  result.set_bytes_moved(messages * message_bytes);
  *result.mutable_elapsed() = ToDuration(elapsed);
  if (elapsed.count() <= 0) return;
  const double seconds = std::chrono::duration<double>(elapsed).count();
  result.set_bandwidth_bps(static_cast<double>(result.bytes_moved()) * 8 / seconds);
  result.set_messages_per_second(static_cast<double>(messages) / seconds);
}

bool IsVerified(const v1::ProbePhase& phase) {
  return phase.measure() == v1::PROBE_MEASURE_INTEGRITY;
}

bool IsRead(const v1::ProbePhase& phase) { return phase.operation() == v1::PROBE_OPERATION_READ; }

}  // namespace roceready::probe
