// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/datagram_end.h"

#include <algorithm>
#include <cerrno>

#include "agent/probe/limits.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

constexpr uint32_t kFlowLabelMask = 0xfffff;
// mlx5 makes the UDP source port of a flow label's lower 14 bits, folded with the upper six
// (rdma_flow_label_to_udp_sport, include/rdma/ib_verbs.h): so far apart, all are different.
// Soft-RoCE makes it of the queue pair's number.
constexpr uint32_t kLabelStep = 0x2f1d;

}  // namespace

absl::StatusOr<std::unique_ptr<DatagramEnd>> DatagramEnd::Make(
    Device& device, const DeviceCapabilities& capabilities, const v1::ProbeSpec& spec,
    v1::ProbeSide side) {
  std::unique_ptr<DatagramEnd> end(new DatagramEnd(spec));
  const QueuePairSettings settings{.transport = Transport::kDatagram,
                                   .port = EndOf(spec, side).port(),
                                   .send_depth = std::max(1U, end->slots_.SendsOf(side)),
                                   .receive_depth = std::max(1U, end->slots_.ReceivesOf(side))};
  const uint32_t deepest = std::max(settings.send_depth, settings.receive_depth);
  const uint32_t entries = spec.datagram_flows() * (settings.send_depth + settings.receive_depth);
  if (deepest > capabilities.work_requests_per_queue) {
    return ErrnoError(ENOMEM,
                      fmt::format("a queue holds {} work requests, {} datagrams are ordered",
                                  capabilities.work_requests_per_queue, deepest));
  }
  if (entries > capabilities.completion_queue_entries) {
    return ErrnoError(ENOMEM,
                      fmt::format("a queue holds {} completions, {} are needed for datagrams",
                                  capabilities.completion_queue_entries, entries));
  }
  ASSIGN_OR_RETURN(end->memory_, device.Register(end->slots_.bytes()));
  ASSIGN_OR_RETURN(end->completions_, device.MakeCompletionQueue(entries));
  for (uint32_t flow = 0; flow < spec.datagram_flows(); ++flow) {
    ASSIGN_OR_RETURN(auto queue_pair,
                     device.MakeQueuePair(*end->completions_, *end->memory_, settings));
    end->queue_pairs_.push_back(std::move(queue_pair));
  }
  return end;
}

absl::Status DatagramEnd::Connect(Path path, const v1::ProbeEndpoint& peer) {
  if (peer.datagram_queue_pairs_size() != static_cast<int>(flows())) {
    return ErrnoError(EINVAL, fmt::format("the peer has {} datagram queue pairs, this end {}",
                                          peer.datagram_queue_pairs_size(), flows()));
  }
  const uint32_t first_label = path.flow_label;
  for (uint32_t flow = 0; flow < flows(); ++flow) {
    path.peer_queue_pair = peer.datagram_queue_pairs(static_cast<int>(flow));
    path.flow_label = (first_label + kLabelStep * (flow + 1)) & kFlowLabelMask;
    RETURN_IF_ERROR(queue_pairs_[flow]->Connect(path));
  }
  return absl::OkStatus();
}

std::optional<uint32_t> DatagramEnd::FlowOf(uint32_t queue_pair) const {
  for (uint32_t flow = 0; flow < flows(); ++flow) {
    if (queue_pairs_[flow]->number() == queue_pair) return flow;
  }
  return std::nullopt;
}

std::span<uint8_t> DatagramEnd::SlotAt(const v1::ProbePhase& phase, uint64_t offset) {
  return memory_->bytes().subspan(offset, kDatagramHeader + phase.message_bytes());
}

}  // namespace roceready::probe
