// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/datagram_sender.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

// Nobody tells a sender of datagrams to wait: bursts so far apart fill no queue, not even one of an
// emulated guest, so that what is lost is lost by the way.
constexpr nanoseconds kPause = std::chrono::milliseconds(4);
constexpr uint64_t kMostOutstanding = kDatagramBurst;

}  // namespace

DatagramSender::DatagramSender(const PhaseContext& context, DatagramEnd& end)
    : context_(context), end_(end) {
  result_.set_index(context.phase.index());
  result_.set_outcome(v1::PHASE_OUTCOME_DONE);
  for (uint32_t flow = 0; flow < end.flows(); ++flow) result_.add_flows();
}

void DatagramSender::Arm() {
  for (uint32_t datagram = 0; datagram < context_.phase.iterations(); ++datagram) {
    const uint64_t offset = end_.slots().OffsetOf(context_.phase, datagram);
    WriteDatagram(end_.SlotAt(context_.phase, offset).subspan(kDatagramHeader), context_.phase,
                  datagram);
  }
}

v1::PhaseResult DatagramSender::Run() {
  const nanoseconds processor_before = context_.clock.ThreadProcessorTime();
  started_ = context_.clock.Now();
  for (uint32_t datagram = 0; datagram < context_.phase.iterations(); ++datagram) {
    if (!AwaitTurn(datagram)) break;
    if (const absl::Status status = Send(datagram); !status.ok()) {
      SetLocalError(result_, status);
      break;
    }
    if (!Collect(kMostOutstanding)) break;
  }
  if (result_.outcome() == v1::PHASE_OUTCOME_DONE) Collect(0);
  SetRates(result_, completed_, context_.phase.message_bytes(), context_.clock.Now() - started_);
  *result_.mutable_cpu_time() = ToDuration(context_.clock.ThreadProcessorTime() - processor_before);
  return std::move(result_);
}

bool DatagramSender::AwaitTurn(uint32_t datagram) {
  TimePoint now = context_.clock.Now();
  const uint64_t bytes = context_.phase.message_bytes();
  // After the burst before, however late that was.
  const bool begins_burst = datagram % kDatagramBurst == 0;
  const TimePoint turn =
      std::max({begins_burst ? last_sent_ + kPause : now, context_.agent_rate.Take(bytes, now),
                context_.order_rate.Take(bytes, now)});
  while (now < turn && now < context_.deadline && !context_.ending()) {
    SleepUntil(context_, std::min(turn, context_.deadline));
    now = context_.clock.Now();
  }
  if (now < context_.deadline && !context_.ending()) return true;
  SetStopped(
      context_, result_,
      fmt::format("there was time for {} of {} datagrams", datagram, context_.phase.iterations()));
  return false;
}

absl::Status DatagramSender::Send(uint32_t datagram) {
  const SendRequest request{
      .id = datagram,
      .opcode = Opcode::kSend,
      .offset = end_.slots().OffsetOf(context_.phase, datagram) + kDatagramHeader,
      .length = context_.phase.message_bytes()};
  RETURN_IF_ERROR(end_.queue_pair(FlowOf(context_.spec, datagram)).Post({&request, 1}));
  last_sent_ = context_.clock.Now();
  ++posted_;
  return absl::OkStatus();
}

bool DatagramSender::Collect(uint64_t outstanding) {
  std::array<Completion, 32> completions;
  while (posted_ - completed_ > outstanding) {
    const auto count = end_.completions().Poll(completions);
    if (!count.ok()) {
      SetLocalError(result_, count.status());
      return false;
    }
    for (const Completion& completion : std::span(completions).first(*count)) {
      // Receives belong to the passive role of another phase.
      if (completion.receive) continue;
      ++completed_;
      if (completion.status != 0) {
        SetCompletionError(result_, completion);
        return false;
      }
      v1::DatagramFlow& flow = *result_.mutable_flows(
          static_cast<int>(FlowOf(context_.spec, static_cast<uint32_t>(completion.id))));
      flow.set_sent(flow.sent() + 1);
    }
    if (*count > 0) continue;
    if (context_.clock.Now() >= context_.deadline || context_.ending()) {
      SetStopped(context_, result_, "datagrams did not leave in time");
      return false;
    }
    const absl::Status status =
        end_.completions().Wait(context_.clock, context_.interrupt, context_.deadline);
    if (!status.ok()) {
      SetLocalError(result_, status);
      return false;
    }
    context_.interrupt.Clear();
  }
  return true;
}

}  // namespace roceready::probe
