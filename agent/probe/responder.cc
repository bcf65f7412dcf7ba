// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/responder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

constexpr size_t kPollBatch = 32;
constexpr size_t kReceiveBatch = 64;
// The closing messages were acknowledged before the controller orders ClosePhase; their completions
// are here or about to be.
constexpr nanoseconds kCloseWait = std::chrono::milliseconds(500);
// A mismatch is looked at so many times, so far apart, before it is called one.
constexpr int kLooksAgain = 3;
constexpr nanoseconds kLookInterval = std::chrono::milliseconds(2);

}  // namespace

Responder::Responder(const PhaseContext& context)
    : context_(context),
      connection_(context.connection),
      plan_(context.spec, context.phase),
      pattern_{context.phase.pattern_seed(), context.phase.index()},
      lanes_(plan_.lanes()) {
  result_.set_index(context.phase.index());
  result_.set_outcome(v1::PHASE_OUTCOME_DONE);
}

bool Responder::NeedsService() const { return UsesReceives(context_.phase.operation()); }

bool Responder::AwaitsClosing() const {
  return IsVerified(context_.phase) && !IsRead(context_.phase);
}

uint64_t Responder::ReceivesOf(uint32_t lane) const {
  return (NeedsService() ? plan_.MessagesOf(lane) : 0) + (AwaitsClosing() ? 1 : 0);
}

absl::Status Responder::Arm() {
  processor_before_ = context_.clock.ThreadProcessorTime();
  if (IsVerified(context_.phase)) {
    const auto covered = connection_.buffer().first(plan_.covered_bytes());
    if (IsRead(context_.phase)) {
      Fill(covered, pattern_);
    } else {
      FillWithOpposite(covered, pattern_);
    }
  }
  if (!NeedsService() && !AwaitsClosing()) return absl::OkStatus();
  if (connection_.receives_left()) {
    return FailedPrecondition("receives of an earlier phase that did not run are still posted");
  }
  connection_.set_receives_left(true);
  for (uint32_t lane = 0; lane < plan_.lanes(); ++lane) {
    RETURN_IF_ERROR(PostReceives(lane, ReceiveDepthOf(context_.phase)));
  }
  return absl::OkStatus();
}

void Responder::Serve() {
  std::array<Completion, kPollBatch> completions;
  for (;;) {
    const auto count = connection_.completions().Poll(completions);
    if (!count.ok()) return SetLocalError(result_, count.status());
    for (size_t i = 0; i < *count; ++i) Account(completions[i]);
    if (*count < completions.size()) return;
  }
}

v1::PhaseResult Responder::Close() {
  Serve();
  // Not the phase's deadline: the active side's ran from a later start.
  const TimePoint until = context_.clock.Now() + kCloseWait;
  while (AwaitsClosing() && !AllClosed() && result_.outcome() == v1::PHASE_OUTCOME_DONE) {
    if (context_.clock.Now() >= until || context_.ending()) {
      const auto closed =
          std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.closed; });
      SetOutcome(
          result_, v1::PHASE_OUTCOME_DEADLINE, ETIMEDOUT,
          fmt::format("the closing message came on {} of {} queue pairs", closed, lanes_.size()));
      break;
    }
    if (const auto status =
            connection_.completions().Wait(context_.clock, context_.interrupt, until);
        !status.ok()) {
      SetLocalError(result_, status);
      break;
    }
    context_.interrupt.Clear();
    Serve();
  }
  if (AwaitsClosing() && AllClosed()) Verify();
  if (AllUsed()) connection_.set_receives_left(false);
  if (NeedsService()) result_.set_bytes_moved(messages_received_ * plan_.message_bytes());
  *result_.mutable_cpu_time() =
      ToDuration(context_.clock.ThreadProcessorTime() - processor_before_);
  return std::move(result_);
}

absl::Status Responder::PostReceives(uint32_t index, uint64_t count) {
  Lane& lane = lanes_[index];
  count = std::min(count, ReceivesOf(index) - lane.posted);
  while (count > 0) {
    std::array<ReceiveRequest, kReceiveBatch> requests;
    const size_t batch = std::min<uint64_t>(count, requests.size());
    for (size_t i = 0; i < batch; ++i) {
      const uint64_t message = plan_.MessageOf(index, lane.posted + i);
      requests[i] = {
          .id = message, .offset = plan_.OffsetOf(message), .length = plan_.message_bytes()};
    }
    RETURN_IF_ERROR(connection_.queue_pair(index).PostReceives({requests.data(), batch}));
    lane.posted += batch;
    count -= batch;
  }
  return absl::OkStatus();
}

void Responder::Account(const Completion& completion) {
  if (!completion.receive) return;
  if (completion.status != 0) {
    // Flushed receives only say that the peer or this end gave the queue pair up.
    SetCompletionError(result_, completion);
    return;
  }
  const uint32_t index = plan_.LaneOf(completion.id);
  Lane& lane = lanes_[index];
  ++lane.used;
  if (completion.immediate == kClosingImmediate) {
    lane.closed = true;
    return;
  }
  ++messages_received_;
  if (const auto status = PostReceives(index, 1); !status.ok()) SetLocalError(result_, status);
}

bool Responder::AllClosed() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.closed; });
}

bool Responder::AllUsed() const {
  for (uint32_t lane = 0; lane < plan_.lanes(); ++lane) {
    if (lanes_[lane].used < ReceivesOf(lane)) return false;
  }
  return true;
}

void Responder::Verify() {
  const auto covered = connection_.buffer().first(plan_.covered_bytes());
  result_.set_verified_by(v1::VERIFY_METHOD_IMMEDIATE);
  Comparison comparison = Compare(covered, pattern_);
  for (int look = 0; comparison.first_mismatch && look < kLooksAgain; ++look) {
    const TimePoint until = context_.clock.Now() + kLookInterval;
    while (context_.clock.Now() < until && !context_.ending()) SleepUntil(context_, until);
    comparison = Compare(covered, pattern_);
  }
  result_.set_bytes_verified(comparison.matching_bytes);
  if (!comparison.first_mismatch) return;
  result_.set_first_mismatch_offset(*comparison.first_mismatch);
  SetOutcome(result_, v1::PHASE_OUTCOME_MISMATCH, 0,
             fmt::format("{} of {} bytes are wrong, the first at {}, also when looked at again",
                         covered.size() - comparison.matching_bytes, covered.size(),
                         *comparison.first_mismatch));
}

}  // namespace roceready::probe
