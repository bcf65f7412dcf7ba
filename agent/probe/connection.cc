// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/connection.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "agent/probe/gid.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

constexpr uint32_t kDefaultHopLimit = 64;
constexpr uint32_t kMaxReads = 255;

// 24 bits; random, so that a packet of an earlier connection is never taken for one of this.
uint32_t RandomSequenceNumber() {
  std::random_device source;
  return source() & 0xffffff;
}

}  // namespace

uint32_t QueueDepthOf(const v1::ProbePhase& phase) {
  if (phase.measure() == v1::PROBE_MEASURE_LATENCY) return 1;
  return phase.queue_depth() == 0 ? kDefaultQueueDepth : phase.queue_depth();
}

bool UsesReceives(v1::ProbeOperation operation) {
  return operation == v1::PROBE_OPERATION_SEND ||
         operation == v1::PROBE_OPERATION_WRITE_WITH_IMMEDIATE;
}

uint32_t ReceiveDepthOf(const v1::ProbePhase& phase) {
  const uint32_t closing = 1;
  // Twice what can be on its way: a request is acknowledged before its receive is posted again.
  return UsesReceives(phase.operation()) ? 2 * QueueDepthOf(phase) + closing : closing;
}

Refusal RefusalOf(const absl::Status& status) {
  Refusal refusal{v1::REFUSAL_REASON_RESOURCES, std::string(Message(status)),
                  ErrnoOf(status).value_or(0)};
  switch (status.code()) {
    case absl::StatusCode::kPermissionDenied:
      refusal.reason = v1::REFUSAL_REASON_DENIED;
      break;
    case absl::StatusCode::kNotFound:
      refusal.reason = v1::REFUSAL_REASON_NO_DEVICE;
      break;
    case absl::StatusCode::kUnimplemented:
      refusal.reason = v1::REFUSAL_REASON_UNSUPPORTED;
      break;
    default:
      break;
  }
  return refusal;
}

Connection::Connection(const Environment& environment, const v1::ProbeSpec& spec,
                       v1::ProbeSide side, std::string rdma_name)
    : environment_(environment),
      spec_(spec),
      side_(side),
      end_(EndOf(spec, side)),
      rdma_name_(std::move(rdma_name)) {}

std::optional<Refusal> Connection::Prepare(std::shared_ptr<ResourceCount> count) {
  auto device = environment_.verbs->Open(rdma_name_, std::move(count));
  if (!device.ok()) return RefusalOf(device.status());
  device_ = *std::move(device);
  const auto capabilities = device_->Capabilities();
  if (!capabilities.ok()) return RefusalOf(capabilities.status());
  capabilities_ = *capabilities;
  if (auto refusal = ChoosePort(*capabilities)) return refusal;
  if (auto refusal = ChooseGidRow()) return refusal;
  if (const absl::Status status = MakeObjects(*capabilities); !status.ok()) {
    return RefusalOf(status);
  }
  if (spec_.datagram_flows() > 0) MakeDatagrams(*capabilities);
  return std::nullopt;
}

void Connection::MakeDatagrams(const DeviceCapabilities& capabilities) {
  auto datagrams = DatagramEnd::Make(*device_, capabilities, spec_, side_);
  if (!datagrams.ok()) return GiveUpDatagrams(datagrams.status());
  datagrams_ = *std::move(datagrams);
  for (uint32_t flow = 0; flow < datagrams_->flows(); ++flow) {
    endpoint_.add_datagram_queue_pairs(datagrams_->queue_pair(flow).number());
  }
}

void Connection::GiveUpDatagrams(const absl::Status& status) {
  datagrams_.reset();
  why_no_datagrams_ =
      fmt::format("no queue pairs for datagrams on {}: {}", rdma_name_, Message(status));
}

std::optional<Refusal> Connection::ChoosePort(const DeviceCapabilities& capabilities) {
  const auto port = device_->Port(end_.port());
  if (!port.ok()) return RefusalOf(port.status());
  if (!port->active) {
    return Refusal{v1::REFUSAL_REASON_NO_DEVICE,
                   fmt::format("port {} of {} is not active", end_.port(), rdma_name_), ENETDOWN};
  }
  if (!port->ethernet) {
    return Refusal{v1::REFUSAL_REASON_UNSUPPORTED,
                   fmt::format("port {} of {} is not Ethernet", end_.port(), rdma_name_),
                   EOPNOTSUPP};
  }
  const uint32_t wanted_mtu = spec_.transport().path_mtu_bytes();
  if (port->active_mtu_bytes < wanted_mtu) {
    return Refusal{v1::REFUSAL_REASON_MTU,
                   fmt::format("active MTU of {} port {} is {}, path MTU {} is ordered", rdma_name_,
                               end_.port(), port->active_mtu_bytes, wanted_mtu),
                   EMSGSIZE};
  }
  endpoint_.set_active_mtu_bytes(port->active_mtu_bytes);
  endpoint_.set_responder_resources(std::min(capabilities.responder_reads, kMaxReads));
  return std::nullopt;
}

std::optional<Refusal> Connection::ChooseGidRow() {
  GidWish wish{.type = end_.gid_type(), .family = end_.gid_family(), .net_device_index = {}};
  if (!end_.net_device_id().empty()) {
    const auto net_device = environment_.devices->NetDevice(end_.net_device_id());
    if (!net_device.ok()) {
      Refusal refusal = RefusalOf(net_device.status());
      refusal.reason = v1::REFUSAL_REASON_NO_GID;
      return refusal;
    }
    wish.net_device_index = net_device->index;
    endpoint_.set_mac(net_device->mac);
  }
  const auto table = device_->Gids(end_.port());
  if (!table.ok()) return RefusalOf(table.status());
  const auto row = ChooseGid(*table, wish);
  if (!row.ok()) {
    return Refusal{v1::REFUSAL_REASON_NO_GID,
                   fmt::format("{} port {}: {}", rdma_name_, end_.port(), Message(row.status())),
                   ENODATA};
  }
  endpoint_.set_gid(GidText(row->gid));
  endpoint_.set_gid_index(row->index);
  return std::nullopt;
}

absl::Status Connection::MakeObjects(const DeviceCapabilities& capabilities) {
  QueuePairSettings settings{.port = end_.port(), .send_depth = 1, .receive_depth = 1};
  for (const v1::ProbePhase& phase : spec_.phases()) {
    if (IsDatagrams(phase)) continue;
    if (phase.active_side() == side_) {
      settings.send_depth = std::max(settings.send_depth, QueueDepthOf(phase));
    } else {
      settings.receive_depth = std::max(settings.receive_depth, ReceiveDepthOf(phase));
    }
  }
  const uint32_t deepest = std::max(settings.send_depth, settings.receive_depth);
  if (deepest > capabilities.work_requests_per_queue) {
    return ErrnoError(ENOMEM,
                      fmt::format("{} holds {} work requests in a queue, {} are needed", rdma_name_,
                                  capabilities.work_requests_per_queue, deepest));
  }
  const uint32_t lanes = QueuePairsOf(spec_);
  const uint32_t completions = lanes * (settings.send_depth + settings.receive_depth);
  if (completions > capabilities.completion_queue_entries) {
    return ErrnoError(ENOMEM,
                      fmt::format("{} holds {} completions in a queue, {} are needed", rdma_name_,
                                  capabilities.completion_queue_entries, completions));
  }
  ASSIGN_OR_RETURN(memory_, device_->Register(spec_.buffer_bytes()));
  ASSIGN_OR_RETURN(completions_, device_->MakeCompletionQueue(completions));
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    ASSIGN_OR_RETURN(auto queue_pair, device_->MakeQueuePair(*completions_, *memory_, settings));
    v1::QueuePairAddress& address = *endpoint_.add_queue_pairs();
    address.set_qp_number(queue_pair->number());
    address.set_packet_sequence_number(RandomSequenceNumber());
    queue_pairs_.push_back(std::move(queue_pair));
  }
  endpoint_.set_remote_address(memory_->address());
  endpoint_.set_remote_key(memory_->remote_key());
  endpoint_.set_remote_bytes(spec_.buffer_bytes());
  return absl::OkStatus();
}

absl::Status Connection::Connect(const v1::ProbeEndpoint& peer) {
  if (peer.queue_pairs_size() != endpoint_.queue_pairs_size()) {
    return ErrnoError(EINVAL, fmt::format("the peer has {} queue pairs, this end {}",
                                          peer.queue_pairs_size(), endpoint_.queue_pairs_size()));
  }
  if (peer.remote_bytes() < spec_.buffer_bytes()) {
    return ErrnoError(EINVAL, fmt::format("the peer's buffer has {} bytes, {} are ordered",
                                          peer.remote_bytes(), spec_.buffer_bytes()));
  }
  const v1::TransportParameters& transport = spec_.transport();
  Path path;
  ASSIGN_OR_RETURN(path.peer_gid, ParseGid(peer.gid()));
  path.port = end_.port();
  path.gid_index = endpoint_.gid_index();
  path.mtu_bytes = transport.path_mtu_bytes();
  path.traffic_class = static_cast<uint8_t>(transport.traffic_class());
  path.service_level = static_cast<uint8_t>(transport.service_level());
  path.flow_label = transport.flow_label();
  path.hop_limit =
      static_cast<uint8_t>(transport.hop_limit() == 0 ? kDefaultHopLimit : transport.hop_limit());
  path.ack_timeout_exponent = static_cast<uint8_t>(transport.ack_timeout_exponent());
  path.retry_count = static_cast<uint8_t>(transport.retry_count());
  path.rnr_retry_count = static_cast<uint8_t>(transport.rnr_retry_count());
  path.responder_reads = static_cast<uint8_t>(endpoint_.responder_resources());
  path.initiator_reads = static_cast<uint8_t>(std::min(
      {capabilities_.initiator_reads, std::max(1U, peer.responder_resources()), kMaxReads}));
  for (uint32_t lane = 0; lane < lanes(); ++lane) {
    const v1::QueuePairAddress& remote = peer.queue_pairs(static_cast<int>(lane));
    const v1::QueuePairAddress& own = endpoint_.queue_pairs(static_cast<int>(lane));
    path.peer_queue_pair = remote.qp_number();
    path.peer_sequence_number = remote.packet_sequence_number();
    path.own_sequence_number = own.packet_sequence_number();
    RETURN_IF_ERROR(queue_pairs_[lane]->Connect(path));
  }
  if (datagrams_ != nullptr) {
    if (const absl::Status status = datagrams_->Connect(path, peer); !status.ok()) {
      GiveUpDatagrams(status);
    }
  }
  peer_ = peer;
  connected_ = true;
  return absl::OkStatus();
}

void Connection::Fail() {
  failed_ = true;
  // A queue pair that refuses (its device is gone) moves nothing either.
  for (auto& queue_pair : queue_pairs_) (void)queue_pair->Fail();
}

}  // namespace roceready::probe
