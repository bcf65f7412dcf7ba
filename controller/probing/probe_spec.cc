// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/probe_spec.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "proto/process/durations.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Defaults where neither the policy's probes nor its job say anything.
constexpr std::uint32_t kPathMtuBytes = 1024;      // fits every Ethernet MTU from 1500 on
constexpr std::uint32_t kAckTimeoutExponent = 14;  // 4.096 us x 2^14 = 67 ms
constexpr std::uint32_t kMaxRetryCount = 6;        // 7 means "for ever" on some devices
constexpr std::uint32_t kSmallBytes = 512;
constexpr std::uint32_t kSmallMessages = 32;
constexpr std::uint32_t kLargeBytes = 64 << 10;
constexpr std::uint32_t kLargeMessages = 64;
constexpr std::uint32_t kLatencyBytes = 64;
constexpr std::uint32_t kLatencyMessages = 500;
constexpr std::uint32_t kBandwidthMessages = 1000;
constexpr milliseconds kMeasureTime{500};
// So many show reordering and duplicates, and loss of one path of several; how little loss there is
// is for the counters of the phases that move more.
constexpr std::uint32_t kDatagramFlows = 4;
// For packets that the policy wants counted: at most, as far as the deadline allows.
constexpr seconds kLossTime{5};
// "Rule of three": of so many times 1 / rate packets, 95 of 100 probes meet a loss of that rate.
constexpr std::uint64_t kRuleOfThree = 3'000'000;
// Agents begin within some milliseconds of each other; the rest of it they send together.
constexpr seconds kIncastTime{2};
// An end that has armed its phase waits for the others.
constexpr seconds kIncastArming{5};
// Of one sender: more than a link's bandwidth times its delay, so that two fill the queue of a
// switch port; no more, as all of it has to arrive after the time is over.
constexpr std::uint32_t kIncastBytesOnTheWay = 1 << 20;
constexpr seconds kPhaseDeadline{5};
constexpr seconds kSessionDeadline{30};
// Both directions of one pair share it; registered at each side.
constexpr std::uint64_t kMaxBufferBytes = 4 << 20;
// A path MTU cut in half on the way must still cut a large message.
constexpr std::uint32_t kMinPacketsOfLarge = 4;

// RFC 3168: the two lowest bits of the traffic class; ECT(0) lets switches mark instead of drop.
constexpr std::uint32_t kEct0 = 2;

std::uint32_t TrafficClass(const EffectivePolicy& policy) {
  if (policy.job.has_traffic_class()) return policy.job.traffic_class();
  if (policy.intent.has_roce_dscp()) return policy.intent.roce_dscp() << 2 | kEct0;
  return 0;
}

std::uint32_t ServiceLevel(const EffectivePolicy& policy) {
  if (policy.job.has_service_level()) return policy.job.service_level();
  return policy.intent.service_level();
}

v1::TransportParameters Transport(const EffectivePolicy& policy) {
  v1::TransportParameters transport;
  transport.set_path_mtu_bytes(policy.intent.has_rdma_mtu_bytes() ? policy.intent.rdma_mtu_bytes()
                                                                  : kPathMtuBytes);
  transport.set_traffic_class(TrafficClass(policy));
  transport.set_service_level(ServiceLevel(policy));
  transport.set_ack_timeout_exponent(
      policy.probes.has_ack_timeout_exponent() ? policy.probes.ack_timeout_exponent()
      : policy.job.has_ack_timeout_exponent()  ? policy.job.ack_timeout_exponent()
                                               : kAckTimeoutExponent);
  const std::uint32_t retries = policy.probes.has_retry_count() ? policy.probes.retry_count()
                                : policy.job.has_retry_count()  ? policy.job.retry_count()
                                                                : kMaxRetryCount;
  transport.set_retry_count(std::min(retries, kMaxRetryCount));
  transport.set_rnr_retry_count(kMaxRetryCount);
  return transport;
}

class PhaseList {
 public:
  PhaseList(v1::ProbeSpec* spec, Duration deadline) : spec_(spec), deadline_(deadline) {}

  // One phase each for WRITE and READ with A and with B active.
  void Add(v1::ProbeMeasure measure, std::uint32_t message_bytes, std::uint32_t iterations,
           std::optional<Duration> at_most) {
    Add({v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ}, measure, message_bytes, iterations,
        at_most);
  }

  void AddDatagrams(std::uint32_t flows, std::uint32_t message_bytes) {
    spec_->set_datagram_flows(flows);
    Add({v1::PROBE_OPERATION_UD_PING}, v1::PROBE_MEASURE_INTEGRITY, message_bytes,
        flows * kDatagramsOfFlow, std::nullopt);
  }

 private:
  void Add(std::initializer_list<v1::ProbeOperation> operations, v1::ProbeMeasure measure,
           std::uint32_t message_bytes, std::uint32_t iterations, std::optional<Duration> at_most) {
    for (v1::ProbeOperation operation : operations) {
      for (v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
        v1::ProbePhase* phase = spec_->add_phases();
        phase->set_index(spec_->phases_size() - 1);
        phase->set_operation(operation);
        phase->set_measure(measure);
        phase->set_active_side(active);
        phase->set_message_bytes(message_bytes);
        phase->set_iterations(iterations);
        if (at_most) *phase->mutable_duration() = ToProto(*at_most);
        // Any number will do as long as two phases do not write the same bytes.
        phase->set_pattern_seed(0x9e3779b97f4a7c15ULL * (phase->index() + 1));
        *phase->mutable_deadline() = ToProto(deadline_);
      }
    }
  }

  v1::ProbeSpec* spec_;
  Duration deadline_;
};

Duration PhaseDeadline(const EffectivePolicy& policy) {
  return policy.probes.has_phase_deadline() ? FromProto(policy.probes.phase_deadline())
                                            : Duration(kPhaseDeadline);
}

std::uint32_t DatagramFlows(const EffectivePolicy& policy, std::uint32_t room) {
  const std::uint32_t wanted =
      policy.probes.has_datagram_flows() ? policy.probes.datagram_flows() : kDatagramFlows;
  return std::min(wanted, room);
}

// Where the policy says how little loss is to be seen: messages that carry so many packets, and how
// long that may take.
struct EnoughForLoss {
  std::uint32_t messages = 0;
  Duration at_most{};
};

std::optional<EnoughForLoss> EnoughFor(const EffectivePolicy& policy, std::uint32_t large) {
  if (!policy.probes.has_loss_to_see_ppm()) return std::nullopt;
  const std::uint64_t packets = kRuleOfThree / policy.probes.loss_to_see_ppm() + 1;
  const std::uint64_t of_a_message = large / Transport(policy).path_mtu_bytes();
  const auto messages = static_cast<std::uint32_t>(packets / of_a_message + 1);
  return EnoughForLoss{std::max({messages, kBandwidthMessages, policy.probes.iterations()}),
                       std::min<Duration>(kLossTime, PhaseDeadline(policy) / 2)};
}

v1::ProbeSpec WithoutPhases(const std::string& probe_id, const v1::ProbeEnd& a,
                            const v1::ProbeEnd& b, const EffectivePolicy& policy) {
  v1::ProbeSpec spec;
  spec.set_probe_id(probe_id);
  spec.set_attempt(1);
  *spec.mutable_a() = a;
  *spec.mutable_b() = b;
  *spec.mutable_transport() = Transport(policy);
  spec.set_queue_pairs(1);
  spec.set_rate_limit_bps(policy.probes.rate_limit_bps());
  spec.set_busy_rule(v1::BUSY_RULE_REFUSE);
  *spec.mutable_background_processes() = policy.background.processes();
  spec.set_background_kernel(policy.background.kernel());
  *spec.mutable_deadline() = policy.probes.has_session_deadline() ? policy.probes.session_deadline()
                                                                  : ToProto(kSessionDeadline);
  return spec;
}

// In full packets: what of a smaller last one arrives would say nothing of the path MTU.
std::uint32_t LargeMessage(const EffectivePolicy& policy) {
  const std::uint32_t mtu = Transport(policy).path_mtu_bytes();
  const std::uint32_t asked =
      policy.probes.has_message_bytes() ? policy.probes.message_bytes() : kLargeBytes;
  return std::max((asked + mtu - 1) / mtu, kMinPacketsOfLarge) * mtu;
}

}  // namespace

v1::ProbeEnd MakeProbeEnd(const checks::RailPort& port, const EffectivePolicy& policy) {
  v1::ProbeEnd end;
  end.set_host(port.host);
  end.set_rdma_device_id(port.rdma_device_id);
  end.set_port(port.port);
  end.set_net_device_id(port.net_device_id);
  if (policy.job.has_gid_type()) {
    end.set_gid_type(policy.job.gid_type());
  } else {
    end.set_gid_type(policy.intent.roce_version() == "v1" ? v1::GID_TYPE_ROCE_V1
                                                          : v1::GID_TYPE_ROCE_V2);
  }
  if (policy.job.has_gid_family()) {
    end.set_gid_family(policy.job.gid_family());
  } else {
    end.set_gid_family(policy.intent.ip_family() == "ipv6" ? v1::IP_FAMILY_V6 : v1::IP_FAMILY_V4);
  }
  return end;
}

v1::ProbeSpec MakeProbeSpec(const std::string& probe_id, const v1::ProbeEnd& a,
                            const v1::ProbeEnd& b, const EffectivePolicy& policy,
                            std::uint32_t datagram_room) {
  v1::ProbeSpec spec = WithoutPhases(probe_id, a, b, policy);
  const std::uint32_t large = LargeMessage(policy);
  const std::uint32_t messages =
      policy.probes.has_iterations() ? policy.probes.iterations() : kLargeMessages;
  spec.set_buffer_bytes(std::max<std::uint64_t>(
      large, std::min<std::uint64_t>(std::uint64_t{large} * messages, kMaxBufferBytes)));

  PhaseList phases(&spec, PhaseDeadline(policy));
  phases.Add(v1::PROBE_MEASURE_INTEGRITY, kSmallBytes, kSmallMessages, std::nullopt);
  phases.Add(v1::PROBE_MEASURE_INTEGRITY, large, messages, std::nullopt);
  if (const std::uint32_t flows = DatagramFlows(policy, datagram_room); flows > 0) {
    phases.AddDatagrams(flows, spec.transport().path_mtu_bytes());
  }
  phases.Add(v1::PROBE_MEASURE_LATENCY, kLatencyBytes, kLatencyMessages, kMeasureTime);
  if (const auto enough = EnoughFor(policy, large)) {
    phases.Add(v1::PROBE_MEASURE_BANDWIDTH, large, enough->messages, enough->at_most);
  } else if (policy.probes.has_iterations()) {
    // What the policy counts is sent whatever time it takes, up to the phase's deadline.
    phases.Add(v1::PROBE_MEASURE_BANDWIDTH, large, policy.probes.iterations(), std::nullopt);
  } else {
    phases.Add(v1::PROBE_MEASURE_BANDWIDTH, large, kBandwidthMessages, kMeasureTime);
  }
  return spec;
}

v1::ProbeSpec MakeIncastSpec(const std::string& probe_id, const v1::ProbeEnd& a,
                             const v1::ProbeEnd& b, const EffectivePolicy& policy,
                             v1::Incast incast) {
  v1::ProbeSpec spec = WithoutPhases(probe_id, a, b, policy);
  *spec.mutable_incast() = std::move(incast);
  const std::uint32_t large = LargeMessage(policy);
  spec.set_buffer_bytes(std::max<std::uint64_t>(large, kMaxBufferBytes));
  v1::ProbePhase* phase = spec.add_phases();
  phase->set_operation(v1::PROBE_OPERATION_WRITE);
  phase->set_measure(v1::PROBE_MEASURE_BANDWIDTH);
  phase->set_active_side(v1::PROBE_SIDE_A);
  phase->set_message_bytes(large);
  phase->set_queue_depth(std::max(kIncastBytesOnTheWay / large, 1U));
  *phase->mutable_duration() = ToProto(kIncastTime);
  *phase->mutable_deadline() = ToProto(kIncastArming + kIncastTime + PhaseDeadline(policy));
  return spec;
}

}  // namespace roceready
