// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "agent/probe/datagram.h"

namespace roceready::probe {
namespace {

constexpr uint64_t kDefaultMemoryBytes = 64U << 20;
constexpr uint32_t kDefaultSessions = 4;
constexpr uint32_t kDefaultQueuePairs = 8;
constexpr int64_t kDefaultSessionSeconds = 60;

// An idempotent answer is kept for every phase.
constexpr int kMaxPhases = 256;
// rxe (6.1) and others take 7 as "for ever".
constexpr uint32_t kMaxRetryCount = 6;
// 3-bit, 5-bit and 20-bit fields of the queue pair's attributes.
constexpr uint32_t kMaxRnrRetryCount = 7;
constexpr uint32_t kMaxTimeoutExponent = 31;
constexpr uint32_t kMaxFlowLabel = 0xfffff;
constexpr uint32_t kMaxServiceLevel = 15;
constexpr uint32_t kMaxByte = 255;
constexpr uint32_t kMaxPort = 255;
// Each has two slots of memory at either side.
constexpr uint32_t kMaxDatagrams = 4096;

template <typename... Args>
Refusal Invalid(fmt::format_string<Args...> format, Args&&... args) {
  return {v1::REFUSAL_REASON_INVALID, fmt::format(format, std::forward<Args>(args)...), EINVAL};
}

template <typename... Args>
Refusal OverLimit(fmt::format_string<Args...> format, Args&&... args) {
  return {v1::REFUSAL_REASON_LIMIT, fmt::format(format, std::forward<Args>(args)...), 0};
}

std::optional<Refusal> CheckTransport(const v1::TransportParameters& transport) {
  constexpr std::array<uint32_t, 5> kMtus{256, 512, 1024, 2048, 4096};
  if (std::find(kMtus.begin(), kMtus.end(), transport.path_mtu_bytes()) == kMtus.end()) {
    return Invalid("path MTU {} is none of 256, 512, 1024, 2048, 4096", transport.path_mtu_bytes());
  }
  if (transport.retry_count() > kMaxRetryCount) {
    return OverLimit("retry_count {} is above {}: some devices retry for ever with 7",
                     transport.retry_count(), kMaxRetryCount);
  }
  if (transport.rnr_retry_count() > kMaxRnrRetryCount) {
    return Invalid("rnr_retry_count {} is above {}", transport.rnr_retry_count(),
                   kMaxRnrRetryCount);
  }
  // The exponent 0 means no timeout at all: a lost packet is never asked for again.
  if (transport.ack_timeout_exponent() == 0 ||
      transport.ack_timeout_exponent() > kMaxTimeoutExponent) {
    return Invalid("ack_timeout_exponent {} is not within 1 to {}",
                   transport.ack_timeout_exponent(), kMaxTimeoutExponent);
  }
  if (transport.traffic_class() > kMaxByte || transport.hop_limit() > kMaxByte ||
      transport.service_level() > kMaxServiceLevel || transport.flow_label() > kMaxFlowLabel) {
    return Invalid("traffic class {}, hop limit {}, service level {} or flow label {} is too large",
                   transport.traffic_class(), transport.hop_limit(), transport.service_level(),
                   transport.flow_label());
  }
  return std::nullopt;
}

std::optional<Refusal> CheckDatagrams(const v1::ProbeSpec& spec, const v1::ProbePhase& phase) {
  if (spec.datagram_flows() == 0) {
    return Invalid("phase {} is of datagrams, and the order has no flow of them", phase.index());
  }
  if (phase.measure() != v1::PROBE_MEASURE_INTEGRITY) {
    return Refusal{v1::REFUSAL_REASON_UNSUPPORTED,
                   fmt::format("phase {}: this agent does not know measure {} of datagrams",
                               phase.index(), static_cast<int>(phase.measure())),
                   EOPNOTSUPP};
  }
  if (phase.iterations() == 0 || phase.iterations() > kMaxDatagrams ||
      phase.duration().seconds() != 0 || phase.duration().nanos() != 0) {
    return Invalid("phase {}: say how many datagrams, 1 to {}, and not how long", phase.index(),
                   kMaxDatagrams);
  }
  if (phase.message_bytes() < kDatagramBytesLeast ||
      phase.message_bytes() > spec.transport().path_mtu_bytes()) {
    return Invalid("phase {}: datagrams of {} bytes are not within {} and the path MTU",
                   phase.index(), phase.message_bytes(), kDatagramBytesLeast);
  }
  return std::nullopt;
}

std::optional<Refusal> CheckPhase(const v1::ProbeSpec& spec, int position) {
  const v1::ProbePhase& phase = spec.phases(position);
  if (phase.index() != static_cast<uint32_t>(position)) {
    return Invalid("phase {} stands at place {}", phase.index(), position);
  }
  switch (phase.operation()) {
    case v1::PROBE_OPERATION_WRITE:
    case v1::PROBE_OPERATION_READ:
    case v1::PROBE_OPERATION_WRITE_WITH_IMMEDIATE:
    case v1::PROBE_OPERATION_SEND:
    case v1::PROBE_OPERATION_UD_PING:
      break;
    default:
      return Refusal{v1::REFUSAL_REASON_UNSUPPORTED,
                     fmt::format("phase {}: this agent does not know operation {}", position,
                                 static_cast<int>(phase.operation())),
                     EOPNOTSUPP};
  }
  switch (phase.measure()) {
    case v1::PROBE_MEASURE_INTEGRITY:
    case v1::PROBE_MEASURE_LATENCY:
    case v1::PROBE_MEASURE_BANDWIDTH:
      break;
    default:
      return Refusal{v1::REFUSAL_REASON_UNSUPPORTED,
                     fmt::format("phase {}: this agent does not know measure {}", position,
                                 static_cast<int>(phase.measure())),
                     EOPNOTSUPP};
  }
  if (phase.active_side() != v1::PROBE_SIDE_A && phase.active_side() != v1::PROBE_SIDE_B) {
    return Invalid("phase {} has no active side", position);
  }
  if (IsDatagrams(phase)) return CheckDatagrams(spec, phase);
  const uint64_t message_bytes = phase.message_bytes();
  if (message_bytes == 0 || message_bytes * QueuePairsOf(spec) > spec.buffer_bytes()) {
    return Invalid(
        "phase {}: a buffer of {} bytes does not hold a message of {} for each of {} "
        "queue pairs",
        position, spec.buffer_bytes(), message_bytes, QueuePairsOf(spec));
  }
  if (phase.queue_depth() > kMaxQueueDepth) {
    return Invalid("phase {}: queue depth {} is above {}", position, phase.queue_depth(),
                   kMaxQueueDepth);
  }
  const auto duration = ToNanoseconds(phase.duration());
  if (duration.count() < 0 || ToNanoseconds(phase.deadline()).count() < 0) {
    return Invalid("phase {} has a negative time", position);
  }
  if (phase.iterations() == 0 && duration.count() == 0) {
    return Invalid("phase {} says neither how many messages nor how long", position);
  }
  if (phase.measure() == v1::PROBE_MEASURE_INTEGRITY && phase.iterations() == 0) {
    return Invalid("phase {} verifies its messages, so it must say how many", position);
  }
  const bool uses_receives = phase.operation() == v1::PROBE_OPERATION_SEND ||
                             phase.operation() == v1::PROBE_OPERATION_WRITE_WITH_IMMEDIATE;
  if (uses_receives && (phase.iterations() == 0 || duration.count() != 0)) {
    return Invalid(
        "phase {}: the other side posts a receive for each message, so say how many and "
        "not how long",
        position);
  }
  return std::nullopt;
}

}  // namespace

v1::ProbeLimits LimitsInForce(const v1::AgentProbeLimits& configured) {
  v1::ProbeLimits limits;
  limits.set_rate_bps(configured.rate_bps());
  limits.set_memory_bytes(configured.has_memory_bytes() ? configured.memory_bytes()
                                                        : kDefaultMemoryBytes);
  limits.set_queue_pairs(configured.has_queue_pairs() ? configured.queue_pairs()
                                                      : kDefaultQueuePairs);
  limits.mutable_session()->set_seconds(kDefaultSessionSeconds);
  if (configured.has_session()) *limits.mutable_session() = configured.session();
  const bool enabled = !configured.has_enabled() || configured.enabled();
  if (enabled) {
    limits.set_sessions(configured.has_sessions() ? configured.sessions() : kDefaultSessions);
    limits.set_incast(configured.incast());
  }
  return limits;
}

std::optional<Refusal> CheckSpec(const v1::ProbeSpec& spec, v1::ProbeSide side,
                                 const v1::ProbeLimits& limits) {
  if (side != v1::PROBE_SIDE_A && side != v1::PROBE_SIDE_B) {
    return Invalid("the order does not say which side this is");
  }
  if (limits.sessions() == 0) return OverLimit("this agent's configuration takes no probes");
  if (spec.has_incast() && !limits.incast()) {
    return Refusal{v1::REFUSAL_REASON_DENIED,
                   fmt::format("an incast of {} senders ordered: this agent's configuration does "
                               "not allow it (probes.incast)",
                               spec.incast().senders()),
                   EPERM};
  }
  const uint64_t queue_pairs = uint64_t{QueuePairsOf(spec)} + spec.datagram_flows();
  if (queue_pairs > limits.queue_pairs()) {
    return OverLimit("{} queue pairs ordered, {} allowed here", queue_pairs, limits.queue_pairs());
  }
  if (spec.buffer_bytes() == 0) return Invalid("the order has no buffer");
  if (spec.buffer_bytes() > limits.memory_bytes()) {
    return OverLimit("{} bytes of memory ordered, {} allowed here", spec.buffer_bytes(),
                     limits.memory_bytes());
  }
  if (limits.rate_bps() != 0 && spec.rate_limit_bps() > limits.rate_bps()) {
    return OverLimit("{} bit/s ordered, {} allowed here", spec.rate_limit_bps(), limits.rate_bps());
  }
  const auto deadline = ToNanoseconds(spec.deadline());
  if (deadline.count() <= 0) return Invalid("the order has no session deadline");
  if (deadline > ToNanoseconds(limits.session())) {
    return OverLimit("a session of {} ms ordered, {} ms allowed here", deadline.count() / 1'000'000,
                     ToNanoseconds(limits.session()).count() / 1'000'000);
  }
  const v1::ProbeEnd& end = EndOf(spec, side);
  if (end.rdma_device_id().empty() || end.port() == 0 || end.port() > kMaxPort) {
    return Invalid("the order names no device or no port (ports count from 1)");
  }
  if (auto refusal = CheckTransport(spec.transport())) return refusal;
  if (spec.phases_size() == 0 || spec.phases_size() > kMaxPhases) {
    return Invalid("{} phases are not within 1 to {}", spec.phases_size(), kMaxPhases);
  }
  for (int position = 0; position < spec.phases_size(); ++position) {
    if (auto refusal = CheckPhase(spec, position)) return refusal;
  }
  for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
    // Receives of an earlier phase would be taken by the datagrams of a later one.
    if (std::count_if(spec.phases().begin(), spec.phases().end(), [&](const auto& phase) {
          return IsDatagrams(phase) && phase.active_side() == active;
        }) > 1) {
      return Invalid("more than one phase of datagrams from one side");
    }
  }
  // Only now is each phase known to be small.
  if (MemoryOf(spec) > limits.memory_bytes()) {
    return OverLimit("{} bytes of memory ordered, {} of them for datagrams, {} allowed here",
                     MemoryOf(spec), MemoryOf(spec) - spec.buffer_bytes(), limits.memory_bytes());
  }
  return std::nullopt;
}

uint64_t MemoryOf(const v1::ProbeSpec& spec) {
  return spec.buffer_bytes() + DatagramSlots(spec).bytes();
}

const v1::ProbeEnd& EndOf(const v1::ProbeSpec& spec, v1::ProbeSide side) {
  return side == v1::PROBE_SIDE_A ? spec.a() : spec.b();
}

bool HasBandwidthPhase(const v1::ProbeSpec& spec) {
  for (const v1::ProbePhase& phase : spec.phases()) {
    if (phase.measure() == v1::PROBE_MEASURE_BANDWIDTH) return true;
  }
  return false;
}

uint32_t QueuePairsOf(const v1::ProbeSpec& spec) { return std::max(1U, spec.queue_pairs()); }

std::chrono::nanoseconds ToNanoseconds(const google::protobuf::Duration& duration) {
  // Far beyond any deadline, far below what 64 bits of nanoseconds hold.
  constexpr int64_t kMaxSeconds = 1'000'000'000;
  return std::chrono::seconds(std::clamp(duration.seconds(), -kMaxSeconds, kMaxSeconds)) +
         std::chrono::nanoseconds(duration.nanos());
}

google::protobuf::Duration ToDuration(std::chrono::nanoseconds time) {
  google::protobuf::Duration duration;
  duration.set_seconds(time.count() / 1'000'000'000);
  duration.set_nanos(static_cast<int32_t>(time.count() % 1'000'000'000));
  return duration;
}

}  // namespace roceready::probe
