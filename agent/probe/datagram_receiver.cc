// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/datagram_receiver.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/wire/grh.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

// The last datagram was sent before the controller ordered ClosePhase. When nothing has come for so
// long, nothing will: many times what packets wait in queues of a fabric.
constexpr nanoseconds kQuiet = std::chrono::milliseconds(100);
static_assert(wire::kGrhBytes == kDatagramHeader);

}  // namespace

DatagramReceiver::DatagramReceiver(const PhaseContext& context, DatagramEnd& end)
    : context_(context),
      end_(end),
      has_come_(context.phase.iterations(), false),
      last_of_flow_(end.flows()) {
  result_.set_index(context.phase.index());
  result_.set_outcome(v1::PHASE_OUTCOME_DONE);
  for (uint32_t flow = 0; flow < end.flows(); ++flow) result_.add_flows();
}

absl::Status DatagramReceiver::Arm() {
  processor_before_ = context_.clock.ThreadProcessorTime();
  const v1::ProbePhase& phase = context_.phase;
  for (uint32_t flow = 0; flow < end_.flows(); ++flow) {
    std::vector<ReceiveRequest> receives;
    for (uint32_t slot = 0; slot < 2 * phase.iterations(); ++slot) {
      if (FlowOf(context_.spec, slot % phase.iterations()) != flow) continue;
      const uint64_t offset = end_.slots().OffsetOf(phase, slot);
      receives.push_back(
          {.id = offset, .offset = offset, .length = kDatagramHeader + phase.message_bytes()});
    }
    RETURN_IF_ERROR(end_.queue_pair(flow).PostReceives(receives));
  }
  return absl::OkStatus();
}

v1::PhaseResult DatagramReceiver::Close() {
  TimePoint quiet_at = context_.clock.Now() + kQuiet;
  while (!HasAll() && result_.outcome() == v1::PHASE_OUTCOME_DONE && !context_.ending()) {
    const TimePoint now = context_.clock.Now();
    if (Look()) {
      quiet_at = now + kQuiet;
      continue;
    }
    if (now >= quiet_at) break;
    if (const absl::Status status =
            end_.completions().Wait(context_.clock, context_.interrupt, quiet_at);
        !status.ok()) {
      SetLocalError(result_, status);
    }
    context_.interrupt.Clear();
  }
  if (!HasAll() && context_.ending()) SetStopped(context_, result_, "");
  // Behind the last one there may be second ones.
  while (result_.outcome() == v1::PHASE_OUTCOME_DONE && Look()) {
  }
  for (const auto& [kind, seen] : headers_) {
    v1::WirePackets& packets = *result_.add_arrived();
    packets.set_received(true);
    packets.set_protocol(kind.first);
    packets.set_role(v1::WIRE_ROLE_REQUEST);
    packets.set_traffic_class(kind.second);
    packets.set_packets(seen.packets);
    packets.set_largest_ip_bytes(seen.largest_ip_bytes);
  }
  *result_.mutable_cpu_time() =
      ToDuration(context_.clock.ThreadProcessorTime() - processor_before_);
  return std::move(result_);
}

bool DatagramReceiver::Look() {
  std::array<Completion, 32> completions;
  const auto count = end_.completions().Poll(completions);
  if (!count.ok()) {
    SetLocalError(result_, count.status());
    return false;
  }
  for (const Completion& completion : std::span(completions).first(*count)) Take(completion);
  return *count > 0;
}

void DatagramReceiver::Take(const Completion& completion) {
  if (!completion.receive) return;
  if (completion.status != 0) return SetCompletionError(result_, completion);
  const std::optional<uint32_t> index = end_.FlowOf(completion.queue_pair);
  if (!index || completion.received_bytes < kDatagramHeader) return;
  const auto slot = end_.SlotAt(context_.phase, completion.id);
  const auto received = slot.first(std::min<size_t>(slot.size(), completion.received_bytes));
  const auto datagram = TellDatagram(received.subspan(kDatagramHeader), context_.phase);
  v1::DatagramFlow& flow = *result_.mutable_flows(static_cast<int>(*index));
  if (!datagram || !datagram->intact) return flow.set_corrupt(flow.corrupt() + 1);

  if (has_come_[datagram->number]) {
    flow.set_duplicates(flow.duplicates() + 1);
    return;
  }
  has_come_[datagram->number] = true;
  ++came_;
  flow.set_received(flow.received() + 1);
  std::optional<uint32_t>& last = last_of_flow_[*index];
  if (last && datagram->number < *last) {
    flow.set_out_of_order(flow.out_of_order() + 1);
  } else {
    last = datagram->number;
  }
  if (!completion.has_header) return;
  const auto header = wire::DecodeNetworkHeader(received.first<wire::kGrhBytes>());
  if (!header) return;
  Seen& seen = headers_[{header->protocol, header->traffic_class}];
  ++seen.packets;
  seen.largest_ip_bytes = std::max(seen.largest_ip_bytes, header->ip_bytes);
}

}  // namespace roceready::probe
