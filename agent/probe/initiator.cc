// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/initiator.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "agent/probe/pattern.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

// Requests of one doorbell.
constexpr size_t kBatch = 16;
// A completion for every so many requests at most: each costs the device and us a little.
constexpr uint32_t kMaxSignalInterval = 32;
constexpr size_t kPollBatch = 32;
constexpr nanoseconds kBusyLook = std::chrono::seconds(1);
// For the flushed requests of a failed queue pair to come back.
constexpr nanoseconds kDrain = std::chrono::milliseconds(500);
// Slots read again at most; when more are wrong, they are.
constexpr uint32_t kMaxReadAgain = 64;

Opcode OpcodeOf(v1::ProbeOperation operation) {
  switch (operation) {
    case v1::PROBE_OPERATION_READ:
      return Opcode::kRead;
    case v1::PROBE_OPERATION_WRITE_WITH_IMMEDIATE:
      return Opcode::kWriteWithImmediate;
    case v1::PROBE_OPERATION_SEND:
      return Opcode::kSend;
    default:
      return Opcode::kWrite;
  }
}

}  // namespace

Initiator::Initiator(const PhaseContext& context)
    : context_(context),
      connection_(context.connection),
      plan_(context.spec, context.phase),
      depth_(QueueDepthOf(context.phase)),
      signal_interval_(std::clamp(depth_ / 4, 1U, kMaxSignalInterval)),
      wait_(context),
      lanes_(plan_.lanes()) {
  result_.set_index(context.phase.index());
  result_.set_outcome(v1::PHASE_OUTCOME_DONE);
}

void Initiator::Arm() {
  if (!IsVerified(context_.phase)) return;
  const Pattern pattern{context_.phase.pattern_seed(), context_.phase.index()};
  const auto covered = connection_.buffer().first(plan_.covered_bytes());
  if (IsRead(context_.phase)) {
    FillWithOpposite(covered, pattern);
  } else {
    Fill(covered, pattern);
  }
}

v1::PhaseResult Initiator::Run() {
  const nanoseconds processor_before = context_.clock.ThreadProcessorTime();
  started_ = last_completion_ = context_.clock.Now();
  const nanoseconds duration = ToNanoseconds(context_.phase.duration());
  const bool timed = duration.count() > 0 && !IsVerified(context_.phase);
  time_up_ = timed ? started_ + duration : TimePoint::max();

  if (context_.phase.measure() == v1::PROBE_MEASURE_LATENCY) {
    MeasureLatency();
  } else {
    Stream();
  }
  uint64_t succeeded = 0;
  for (const Lane& lane : lanes_) succeeded += lane.succeeded;
  SetRates(result_, succeeded, plan_.message_bytes(), last_completion_ - started_);
  *result_.mutable_cpu_time() = ToDuration(context_.clock.ThreadProcessorTime() - processor_before);
  if (latency_.count() > 0) *result_.mutable_latency() = latency_.ToProto();

  if (!Failed() && IsVerified(context_.phase)) {
    if (IsRead(context_.phase)) {
      VerifyReads();
    } else {
      Close();
    }
  }
  const bool usable = result_.outcome() == v1::PHASE_OUTCOME_DONE ||
                      result_.outcome() == v1::PHASE_OUTCOME_MISMATCH ||
                      result_.outcome() == v1::PHASE_OUTCOME_NOT_RUN;
  if (!usable || !AllDone()) Abandon();
  return std::move(result_);
}

void Initiator::MeasureLatency() {
  std::array<Completion, 1> completion;
  for (uint64_t message = 0; plan_.messages() == 0 || message < plan_.messages(); ++message) {
    if (!TakeRate(1)) return;
    const uint32_t index = plan_.LaneOf(message);
    const SendRequest request = RequestFor(message, /*signaled=*/true);
    const TimePoint before = context_.clock.Now();
    if (const auto status = connection_.queue_pair(index).Post({&request, 1}); !status.ok()) {
      return SetLocalError(result_, status);
    }
    ++lanes_[index].posted;
    const auto count = wait_.Next(completion, context_.deadline);
    const TimePoint after = context_.clock.Now();
    if (!count.ok()) return SetLocalError(result_, count.status());
    if (*count == 0)
      return SetStopped(context_, result_,
                        fmt::format("message {} did not complete in time", message));
    last_completion_ = after;
    if (!Account(completion)) return;
    latency_.Record(static_cast<uint64_t>(nanoseconds(after - before).count()));
  }
}

void Initiator::Stream() {
  TimePoint next_busy_look = started_ + kBusyLook;
  for (;;) {
    const TimePoint now = context_.clock.Now();
    if (IsOver(now)) return SetStopped(context_, result_, "the phase did not complete in time");
    if (now >= next_busy_look && !stopping_) {
      next_busy_look = now + kBusyLook;
      if (const auto refusal = context_.busy()) {
        SetOutcome(result_, v1::PHASE_OUTCOME_NOT_RUN, refusal->error, refusal->detail);
        stopping_ = true;
      }
    }
    stopping_ = stopping_ || now >= time_up_;
    bool fed = false;
    for (uint32_t lane = 0; lane < plan_.lanes(); ++lane) fed |= Feed(lane);
    if (Failed() && !stopping_) return;
    if (AllDone() && (stopping_ || AllPosted())) return;
    // While there is more to post only look; else there is nothing to do but wait.
    const bool good = fed || AllDone() ? Look() : Collect();
    if (!good) return;
  }
}

bool Initiator::Feed(uint32_t index) {
  Lane& lane = lanes_[index];
  const uint64_t in_flight = lane.posted - lane.completed;
  const bool limited = context_.agent_rate.limited() || context_.order_rate.limited();
  uint64_t count = std::min<uint64_t>(limited ? 1 : kBatch, depth_ - in_flight);
  if (stopping_) {
    // A tail that would not complete by itself needs one more that does.
    count = lane.tail_signaled ? 0 : std::min<uint64_t>(count, 1);
  } else if (plan_.messages() != 0) {
    count = std::min(count, plan_.MessagesOf(index) - lane.posted);
  }
  if (count == 0 || !TakeRate(count)) return false;

  std::array<SendRequest, kBatch> requests;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t place = lane.posted + i;
    const bool is_last = plan_.messages() != 0 && place + 1 == plan_.MessagesOf(index);
    const bool signaled = stopping_ || is_last || (place + 1) % signal_interval_ == 0;
    requests[i] = RequestFor(plan_.MessageOf(index, place), signaled);
    lane.tail_signaled = signaled;
  }
  if (const auto status = connection_.queue_pair(index).Post({requests.data(), count});
      !status.ok()) {
    SetLocalError(result_, status);
    stopping_ = false;
    return false;
  }
  lane.posted += count;
  return true;
}

bool Initiator::TakeRate(uint64_t messages) {
  const uint64_t bytes = messages * plan_.message_bytes();
  TimePoint now = context_.clock.Now();
  const TimePoint allowed =
      std::max(context_.agent_rate.Take(bytes, now), context_.order_rate.Take(bytes, now));
  const TimePoint time_up = stopping_ ? TimePoint::max() : time_up_;
  while (now < allowed && now < time_up && !IsOver(now)) {
    SleepUntil(context_, std::min({allowed, context_.deadline, time_up}));
    now = context_.clock.Now();
  }
  if (now >= time_up) return false;
  if (now >= allowed && !IsOver(now)) return true;
  SetStopped(context_, result_, "the rate limit left no time for all messages");
  return false;
}

bool Initiator::Collect() {
  std::array<Completion, kPollBatch> completions;
  const auto count = wait_.Next(completions, context_.deadline);
  if (!count.ok()) {
    SetLocalError(result_, count.status());
    return false;
  }
  return Account({completions.data(), *count});
}

bool Initiator::Look() {
  std::array<Completion, kPollBatch> completions;
  const auto count = connection_.completions().Poll(completions);
  if (!count.ok()) {
    SetLocalError(result_, count.status());
    return false;
  }
  return Account({completions.data(), *count});
}

bool Initiator::Account(std::span<const Completion> completions) {
  if (!completions.empty()) last_completion_ = context_.clock.Now();
  bool all_good = true;
  for (const Completion& completion : completions) {
    // Receives belong to the passive role of another phase.
    if (completion.receive) continue;
    Lane& lane = lanes_[plan_.LaneOf(completion.id)];
    const uint64_t place = plan_.PlaceInLane(completion.id);
    lane.completed = std::max(lane.completed, place + 1);
    // Requests of one queue pair complete in order: all before this one have succeeded.
    const bool good = completion.status == 0;
    if (good || completion.status != kStatusFlushed) {
      lane.succeeded = std::max(lane.succeeded, good ? place + 1 : place);
    }
    if (!good) SetCompletionError(result_, completion);
    all_good = all_good && good;
  }
  return all_good;
}

void Initiator::Close() {
  for (uint32_t index = 0; index < plan_.lanes(); ++index) {
    SendRequest request = RequestFor(plan_.MessageOf(index, lanes_[index].posted), true);
    request.opcode = Opcode::kWriteWithImmediate;
    request.length = 0;
    request.immediate = kClosingImmediate;
    if (const auto status = connection_.queue_pair(index).Post({&request, 1}); !status.ok()) {
      return SetLocalError(result_, status);
    }
    ++lanes_[index].posted;
  }
  while (!AllDone()) {
    if (IsOver(context_.clock.Now())) {
      return SetStopped(context_, result_, "the closing message did not complete in time");
    }
    if (!Collect()) return result_.set_detail("the closing message failed");
  }
}

void Initiator::VerifyReads() {
  const Pattern pattern{context_.phase.pattern_seed(), context_.phase.index()};
  const auto covered = connection_.buffer().first(plan_.covered_bytes());
  result_.set_verified_by(v1::VERIFY_METHOD_LOCAL);
  Comparison comparison = Compare(covered, pattern);
  for (uint32_t again = 0; comparison.first_mismatch && again < kMaxReadAgain; ++again) {
    ReadAgain(*comparison.first_mismatch / plan_.message_bytes());
    if (Failed()) return;
    const Comparison next = Compare(covered, pattern);
    const bool same = next.first_mismatch == comparison.first_mismatch;
    comparison = next;
    if (same) break;
  }
  result_.set_bytes_verified(comparison.matching_bytes);
  if (!comparison.first_mismatch) return;
  result_.set_first_mismatch_offset(*comparison.first_mismatch);
  SetOutcome(result_, v1::PHASE_OUTCOME_MISMATCH, 0,
             fmt::format("{} of {} bytes are wrong, the first at {}, also when read again",
                         covered.size() - comparison.matching_bytes, covered.size(),
                         *comparison.first_mismatch));
}

void Initiator::ReadAgain(uint64_t slot) {
  // The slot's own queue pair; the id is the next in its lane, so that accounting goes on.
  const uint32_t index = plan_.LaneOf(slot);
  SendRequest request = RequestFor(slot, /*signaled=*/true);
  request.id = plan_.MessageOf(index, lanes_[index].posted);
  if (const auto status = connection_.queue_pair(index).Post({&request, 1}); !status.ok()) {
    return SetLocalError(result_, status);
  }
  ++lanes_[index].posted;
  while (!AllDone()) {
    if (IsOver(context_.clock.Now())) {
      return SetStopped(context_, result_, "reading a wrong slot again did not complete in time");
    }
    if (!Collect()) return;
  }
}

void Initiator::Abandon() {
  connection_.Fail();
  const TimePoint until = context_.clock.Now() + kDrain;
  std::array<Completion, kPollBatch> completions;
  // When the session ends the queue pairs go at once, and with them what they owe.
  while (!AllDone() && !context_.ending()) {
    const auto count = connection_.completions().Poll(completions);
    if (!count.ok()) return;
    for (size_t i = 0; i < *count; ++i) {
      if (completions[i].receive) continue;
      Lane& lane = lanes_[plan_.LaneOf(completions[i].id)];
      lane.completed = std::max(lane.completed, plan_.PlaceInLane(completions[i].id) + 1);
      // The real cause may come back only now, after the deadline or behind a flushed request.
      if (completions[i].status != 0 && completions[i].status != kStatusFlushed &&
          result_.has_completion_error() && result_.completion_error().status() == kStatusFlushed) {
        result_.set_outcome(v1::PHASE_OUTCOME_DONE);
        SetCompletionError(result_, completions[i]);
      }
    }
    if (*count > 0) continue;
    if (context_.clock.Now() >= until) return;
    if (!connection_.completions().Wait(context_.clock, context_.interrupt, until).ok()) return;
    context_.interrupt.Clear();
  }
}

bool Initiator::AllDone() const {
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.completed >= lane.posted; });
}

bool Initiator::AllPosted() const {
  for (uint32_t index = 0; index < plan_.lanes(); ++index) {
    if (plan_.messages() == 0 || lanes_[index].posted < plan_.MessagesOf(index)) return false;
  }
  return true;
}

bool Initiator::IsOver(TimePoint now) const {
  return now >= context_.deadline || context_.ending().has_value();
}

SendRequest Initiator::RequestFor(uint64_t message, bool signaled) const {
  SendRequest request;
  request.id = message;
  request.opcode = OpcodeOf(context_.phase.operation());
  request.offset = plan_.OffsetOf(message);
  request.length = plan_.message_bytes();
  request.remote_address = connection_.peer().remote_address() + request.offset;
  request.remote_key = connection_.peer().remote_key();
  request.immediate = static_cast<uint32_t>(message & 0x3fffffff);
  request.signaled = signaled;
  return request;
}

}  // namespace roceready::probe
