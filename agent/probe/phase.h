// SPDX-License-Identifier: Apache-2.0
// What running one phase needs, and the waiting and failing that both sides of it share.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "agent/probe/clock.h"
#include "agent/probe/connection.h"
#include "agent/probe/interrupt.h"
#include "agent/probe/limits.h"
#include "agent/probe/message_plan.h"
#include "agent/probe/rate_limiter.h"
#include "agent/probe/verbs.h"

namespace roceready::probe {

struct PhaseContext {
  const v1::ProbeSpec& spec;
  const v1::ProbePhase& phase;
  Connection& connection;
  Clock& clock;
  // Wakes the thread that runs the phase; cleared by it.
  Interrupt& interrupt;
  // Of the phase, never beyond the session's.
  TimePoint deadline;
  // Set when the session is to end: the text says why.
  std::function<std::optional<std::string>()> ending;
  // Asked now and then while a link is being filled; empty result = go on.
  std::function<std::optional<Refusal>()> busy;
  RateLimiter& agent_rate;
  RateLimiter& order_rate;
};

// What a session runs a phase with, at the side that posts ...
class ActiveSide {
 public:
  virtual ~ActiveSide() = default;
  virtual void Arm() = 0;
  virtual v1::PhaseResult Run() = 0;
};

// ... and at the other. Between Arm and Close, where it needs service, Serve is called whenever the
// connection has completions.
class PassiveSide {
 public:
  virtual ~PassiveSide() = default;
  virtual absl::Status Arm() = 0;
  virtual bool NeedsService() const = 0;
  virtual void Serve() = 0;
  virtual v1::PhaseResult Close() = 0;
};

// Waits for completions: first by polling, for a wake-up costs more than most messages take, then
// by sleeping until the device has something.
class CompletionWait {
 public:
  explicit CompletionWait(const PhaseContext& context) : context_(context) {}

  // Returns 0 when `until` has come or the session is ending.
  absl::StatusOr<size_t> Next(std::span<Completion> into, TimePoint until);

 private:
  static constexpr nanoseconds kSpin = std::chrono::milliseconds(2);
  // The clock is looked at once in so many empty polls.
  static constexpr uint32_t kPollsPerLook = 32;

  const PhaseContext& context_;
};

// Sleeps until then, or until something wakes the thread.
void SleepUntil(const PhaseContext& context, TimePoint until);

// Says why a phase did not end well; the first reason given stays.
void SetCompletionError(v1::PhaseResult& result, const Completion& completion);
void SetOutcome(v1::PhaseResult& result, v1::PhaseOutcome outcome, int error, std::string detail);
void SetLocalError(v1::PhaseResult& result, const absl::Status& status);
// Out of time, or the session is ending.
void SetStopped(const PhaseContext& context, v1::PhaseResult& result, const std::string& detail);

// The bytes moved, time, rates.
void SetRates(v1::PhaseResult& result, uint64_t messages, uint32_t message_bytes,
              nanoseconds elapsed);

bool IsVerified(const v1::ProbePhase& phase);
bool IsRead(const v1::ProbePhase& phase);

}  // namespace roceready::probe
