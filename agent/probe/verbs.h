// SPDX-License-Identifier: Apache-2.0
// What a session needs of RDMA verbs: a device that is opened for its life, one registered buffer,
// one completion queue, RC queue pairs. ibverbs.h is the real one; tests have one of memory.
//
// Every object gives itself back in its destructor; a failed call is a Status that names the call,
// the device and the errno. Destroy in the reverse order of making.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <roceready/v1/facts.pb.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/probe/clock.h"
#include "agent/probe/interrupt.h"

namespace roceready::probe {

// Objects that exist in the kernel for one session. An object whose destruction failed stays in.
using ResourceCount = std::atomic<uint32_t>;

using GidBytes = std::array<uint8_t, 16>;

struct GidRow {
  uint32_t index = 0;
  GidBytes gid{};
  v1::GidType type = v1::GID_TYPE_UNSPECIFIED;
  // ifindex of the net device that the GID belongs to (a VLAN device or a bond for theirs).
  uint32_t net_device_index = 0;
};

struct PortNow {
  bool active = false;
  bool ethernet = false;
  uint32_t active_mtu_bytes = 0;
};

struct DeviceCapabilities {
  uint32_t work_requests_per_queue = 0;
  uint32_t completion_queue_entries = 0;
  // READs answered and READs started at the same time, per queue pair.
  uint32_t responder_reads = 0;
  uint32_t initiator_reads = 0;
};

// The registered buffer. Zeroed at first.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::span<uint8_t> bytes() = 0;
  virtual uint64_t address() const = 0;
  virtual uint32_t remote_key() const = 0;
};

// `status` and `status_name` are those of enum ibv_wc_status; 0 = success.
struct Completion {
  uint64_t id = 0;
  uint32_t status = 0;
  uint32_t vendor_error = 0;
  uint32_t queue_pair = 0;
  bool receive = false;
  std::optional<uint32_t> immediate;
  // Of a datagram: bytes received, with the kDatagramHeader before the payload.
  uint32_t received_bytes = 0;
  bool has_header = false;
};
std::string_view CompletionStatusName(uint32_t status);
// IBV_WC_WR_FLUSH_ERR: the request was discarded because its queue pair is in error.
constexpr uint32_t kStatusFlushed = 5;

class CompletionQueue {
 public:
  virtual ~CompletionQueue() = default;
  // Takes what is there, without waiting; returns how many.
  virtual absl::StatusOr<size_t> Poll(std::span<Completion> into) = 0;
  // Waits until there is something to poll, `interrupt` is set, or `until` has come. May return
  // early.
  virtual absl::Status Wait(Clock& clock, const Interrupt& interrupt, TimePoint until) = 0;
};

enum class Opcode { kWrite, kWriteWithImmediate, kRead, kSend };

struct SendRequest {
  // Given back in the completion.
  uint64_t id = 0;
  Opcode opcode = Opcode::kWrite;
  uint64_t offset = 0;
  uint32_t length = 0;
  uint64_t remote_address = 0;
  uint32_t remote_key = 0;
  uint32_t immediate = 0;
  // Only these complete when all goes well; a failed request always does.
  bool signaled = true;
};

// A datagram is received with this much before its payload: a GRH, or what the device puts in its
// place (InfiniBand specification 11.4.2.1; agent/wire/grh.h).
constexpr uint32_t kDatagramHeader = 40;

struct ReceiveRequest {
  uint64_t id = 0;
  uint64_t offset = 0;
  uint32_t length = 0;
};

// Everything that the steps INIT -> RTR -> RTS are given, used exactly as it is here. A datagram
// queue pair has no use for sequence numbers, MTU, timeout, retries and reads.
struct Path {
  uint32_t port = 1;
  uint32_t gid_index = 0;
  GidBytes peer_gid{};
  uint32_t peer_queue_pair = 0;
  uint32_t peer_sequence_number = 0;
  uint32_t own_sequence_number = 0;
  uint32_t mtu_bytes = 0;
  uint8_t traffic_class = 0;
  uint8_t service_level = 0;
  uint32_t flow_label = 0;
  uint8_t hop_limit = 64;
  uint8_t ack_timeout_exponent = 0;
  uint8_t retry_count = 0;
  uint8_t rnr_retry_count = 0;
  uint8_t responder_reads = 1;
  uint8_t initiator_reads = 1;
};

class QueuePair {
 public:
  virtual ~QueuePair() = default;
  virtual uint32_t number() const = 0;
  // From INIT, where a queue pair is made, to RTS. May take a second (neighbour resolution).
  virtual absl::Status Connect(const Path& path) = 0;
  // To ERR: what is posted comes back as flushed.
  virtual absl::Status Fail() = 0;
  // One doorbell for all.
  virtual absl::Status Post(std::span<const SendRequest> requests) = 0;
  virtual absl::Status PostReceives(std::span<const ReceiveRequest> requests) = 0;
};

enum class Transport { kConnected, kDatagram };

struct QueuePairSettings {
  Transport transport = Transport::kConnected;
  uint32_t port = 1;
  uint32_t send_depth = 1;
  uint32_t receive_depth = 1;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual absl::StatusOr<DeviceCapabilities> Capabilities() = 0;
  virtual absl::StatusOr<PortNow> Port(uint32_t port) = 0;
  virtual absl::StatusOr<std::vector<GidRow>> Gids(uint32_t port) = 0;
  virtual absl::StatusOr<std::unique_ptr<Memory>> Register(uint64_t bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<CompletionQueue>> MakeCompletionQueue(
      uint32_t entries) = 0;
  // In INIT, with remote WRITE and READ allowed on `memory`.
  virtual absl::StatusOr<std::unique_ptr<QueuePair>> MakeQueuePair(
      CompletionQueue& completions, Memory& memory, const QueuePairSettings& settings) = 0;
};

class Verbs {
 public:
  virtual ~Verbs() = default;
  // "uverbsN" of an RDMA device, without opening it.
  virtual absl::StatusOr<std::string> NodeOf(std::string_view rdma_name) = 0;
  virtual absl::StatusOr<std::unique_ptr<Device>> Open(std::string_view rdma_name,
                                                       std::shared_ptr<ResourceCount> count) = 0;
};

}  // namespace roceready::probe
