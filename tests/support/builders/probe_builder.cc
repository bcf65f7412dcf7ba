// SPDX-License-Identifier: Apache-2.0
#include "tests/support/builders/probe_builder.h"

#include <fmt/core.h>

#include <cstdlib>

#include "proto/contract/ids.h"
#include "proto/contract/latency_histogram.h"
#include "tests/support/builders/facts_builder.h"

namespace roceready::builders {
namespace {

constexpr uint32_t kMessages = 100;
constexpr uint32_t kLatencyBytes = 8;
// DSCP 26 with ECT(0), as the policies order it.
constexpr uint32_t kTrafficClass = 26 << 2 | 2;

void SetCounters(v1::PhaseResult& side, const v1::ProbeEnd& end,
                 const ProbeBuilder::Deltas& deltas) {
  side.clear_counters();
  v1::PortCounters& counters = *side.add_counters();
  counters.set_owner_id(RdmaPortOwnerId(end.rdma_device_id(), end.port()));
  *counters.mutable_reading() = Answered(v1::SOURCE_RDMA_NETLINK);
  const auto add = [&](v1::CounterId id, uint64_t delta) {
    v1::CounterSample& sample = *counters.add_samples();
    sample.set_id(id);
    sample.set_total(5000 + delta);
    sample.set_delta(delta);
  };
  add(v1::COUNTER_ID_TX_PACKETS, deltas.sent);
  add(v1::COUNTER_ID_RX_PACKETS, deltas.received);
  add(v1::COUNTER_ID_OUT_OF_SEQUENCE, deltas.gaps);
  add(v1::COUNTER_ID_DUPLICATE_REQUESTS, deltas.duplicates);
  add(v1::COUNTER_ID_RETRANSMITS, deltas.repeats);
}

// Requests and replies, sent and received, all as ordered.
void ShowPackets(v1::EndReport& report) {
  *report.mutable_wire()->mutable_reading() = Answered(v1::SOURCE_PACKET_SOCKET);
  for (const bool received : {false, true}) {
    for (const v1::WireRole role : {v1::WIRE_ROLE_REQUEST, v1::WIRE_ROLE_REPLY}) {
      v1::WirePackets& packets = *report.mutable_wire()->add_packets();
      packets.set_received(received);
      packets.set_protocol(v1::WIRE_PROTOCOL_ROCE_V2);
      packets.set_role(role);
      packets.set_traffic_class(kTrafficClass);
      packets.set_packets(40);
      packets.set_largest_ip_bytes(role == v1::WIRE_ROLE_REQUEST ? 4156 : 48);
      packets.add_source_ports(0xc123);
    }
  }
}

void TakeReceived(v1::EndReport& report, v1::WireRole role) {
  auto& packets = *report.mutable_wire()->mutable_packets();
  for (auto one = packets.begin(); one != packets.end();) {
    one = one->received() && one->role() == role ? packets.erase(one) : one + 1;
  }
}

}  // namespace

v1::ProbeEnd EndOf(const v1::HostFacts& facts, int rail) {
  v1::ProbeEnd end;
  end.set_host(facts.identity().host());
  end.set_rdma_device_id(facts.rdma_devices(rail).id());
  end.set_port(1);
  end.set_gid_type(v1::GID_TYPE_ROCE_V2);
  end.set_gid_family(v1::IP_FAMILY_V4);
  end.set_net_device_id(facts.rdma_devices(rail).ports(0).net_device_id());
  return end;
}

ProbeBuilder::ProbeBuilder(const v1::ProbeEnd& a, const v1::ProbeEnd& b) {
  v1::ProbeSpec& spec = *result_.mutable_spec();
  spec.set_probe_id(fmt::format("probe-{}-{}", a.host(), b.host()));
  spec.set_attempt(1);
  *spec.mutable_a() = a;
  *spec.mutable_b() = b;
  spec.mutable_transport()->set_path_mtu_bytes(4096);
  spec.mutable_transport()->set_traffic_class(kTrafficClass);
  uint32_t index = 0;
  for (const v1::ProbeOperation operation : {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ}) {
    for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
      for (const uint32_t bytes : {kSmallBytes, kLargeBytes}) {
        v1::ProbePhase& phase = *spec.add_phases();
        phase.set_index(index);
        phase.set_operation(operation);
        phase.set_active_side(active);
        phase.set_measure(v1::PROBE_MEASURE_INTEGRITY);
        phase.set_message_bytes(bytes);
        phase.set_iterations(kMessages);
        for (v1::EndReport* report : {result_.mutable_a(), result_.mutable_b()}) {
          v1::PhaseResult& side = *report->add_phases();
          side.set_index(index);
          side.set_outcome(v1::PHASE_OUTCOME_DONE);
        }
        v1::PhaseResult& side = Active(operation, active, bytes);
        side.set_bytes_moved(uint64_t{bytes} * kMessages);
        side.set_bytes_verified(bytes);
        Counts(operation, active, bytes, {.sent = 200, .received = 200},
               {.sent = 200, .received = 200});
        ++index;
      }
    }
  }
  for (v1::EndReport* report : {result_.mutable_a(), result_.mutable_b()}) ShowPackets(*report);
}

v1::WirePackets& ProbeBuilder::Packets(v1::ProbeSide side, bool received, v1::WireRole role) {
  v1::EndReport& report = side == v1::PROBE_SIDE_A ? *result_.mutable_a() : *result_.mutable_b();
  for (v1::WirePackets& packets : *report.mutable_wire()->mutable_packets()) {
    if (packets.received() == received && packets.role() == role) return packets;
  }
  std::abort();  // A test took them away before.
}

checks::PlannedProbe ProbeBuilder::Planned() const {
  return {.a = result_.spec().a(),
          .b = result_.spec().b(),
          .missing_reason = {},
          .incast_group = result_.spec().incast().group()};
}

v1::PhaseResult& ProbeBuilder::Phase(bool active_end, v1::ProbeOperation operation,
                                     v1::ProbeSide active, uint32_t bytes) {
  for (const v1::ProbePhase& phase : result_.spec().phases()) {
    if (phase.operation() != operation || phase.active_side() != active ||
        phase.message_bytes() != bytes) {
      continue;
    }
    v1::EndReport& report =
        (active == v1::PROBE_SIDE_A) == active_end ? *result_.mutable_a() : *result_.mutable_b();
    for (v1::PhaseResult& side : *report.mutable_phases()) {
      if (side.index() == phase.index()) return side;
    }
  }
  std::abort();  // A test asks for a phase that the builder has not made.
}

v1::PhaseResult& ProbeBuilder::Active(v1::ProbeOperation operation, v1::ProbeSide active,
                                      uint32_t bytes) {
  return Phase(true, operation, active, bytes);
}

v1::PhaseResult& ProbeBuilder::Passive(v1::ProbeOperation operation, v1::ProbeSide active,
                                       uint32_t bytes) {
  return Phase(false, operation, active, bytes);
}

ProbeBuilder& ProbeBuilder::Counts(v1::ProbeOperation operation, v1::ProbeSide active,
                                   uint32_t bytes, const Deltas& active_deltas,
                                   const Deltas& passive_deltas) {
  const bool by_a = active == v1::PROBE_SIDE_A;
  const v1::ProbeSpec& spec = result_.spec();
  SetCounters(Active(operation, active, bytes), by_a ? spec.a() : spec.b(), active_deltas);
  SetCounters(Passive(operation, active, bytes), by_a ? spec.b() : spec.a(), passive_deltas);
  return *this;
}

ProbeBuilder& ProbeBuilder::Fails(v1::ProbeOperation operation, v1::ProbeSide active,
                                  uint32_t bytes, const Deltas& active_deltas,
                                  const Deltas& passive_deltas) {
  v1::PhaseResult& side = Active(operation, active, bytes);
  side.set_outcome(v1::PHASE_OUTCOME_COMPLETION_ERROR);
  side.set_bytes_moved(0);
  side.set_bytes_verified(0);
  side.mutable_completion_error()->set_status(12);
  side.mutable_completion_error()->set_status_name("IBV_WC_RETRY_EXC_ERR");
  Passive(operation, active, bytes).set_outcome(v1::PHASE_OUTCOME_DEADLINE);
  return Counts(operation, active, bytes, active_deltas, passive_deltas);
}

ProbeBuilder& ProbeBuilder::DropsFromAToB() {
  for (const v1::ProbeOperation operation : {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ}) {
    for (const uint32_t bytes : {kSmallBytes, kLargeBytes}) {
      Fails(operation, v1::PROBE_SIDE_A, bytes, {.sent = 700, .repeats = 7}, {});
      Fails(operation, v1::PROBE_SIDE_B, bytes, {.sent = 700, .repeats = 7},
            {.sent = 700, .received = 700, .duplicates = 600});
    }
  }
  LosesDatagramsFrom(v1::PROBE_SIDE_A).LeavesOutLatency();
  TakeReceived(*result_.mutable_b(), v1::WIRE_ROLE_REQUEST);
  TakeReceived(*result_.mutable_b(), v1::WIRE_ROLE_REPLY);
  // Nothing that B could reply to has come.
  TakeReceived(*result_.mutable_a(), v1::WIRE_ROLE_REPLY);
  return *this;
}

ProbeBuilder& ProbeBuilder::SwallowsLargeFromAToB() {
  Fails(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes, {.sent = 700, .repeats = 7}, {});
  Fails(v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_B, kLargeBytes, {.sent = 8, .repeats = 7},
        {.sent = 700, .received = 8, .duplicates = 7});
  return LosesDatagramsFrom(v1::PROBE_SIDE_A);
}

ProbeBuilder& ProbeBuilder::MeasuresLatency(uint64_t nanoseconds) {
  for (const v1::ProbeOperation operation : {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ}) {
    for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
      v1::ProbePhase& phase = *result_.mutable_spec()->add_phases();
      phase.set_index(static_cast<uint32_t>(result_.spec().phases_size()) - 1);
      phase.set_operation(operation);
      phase.set_active_side(active);
      phase.set_measure(v1::PROBE_MEASURE_LATENCY);
      phase.set_message_bytes(kLatencyBytes);
      phase.set_iterations(kMessages);
      for (v1::EndReport* report : {result_.mutable_a(), result_.mutable_b()}) {
        v1::PhaseResult& side = *report->add_phases();
        side.set_index(phase.index());
        side.set_outcome(v1::PHASE_OUTCOME_DONE);
      }
      Active(operation, active, kLatencyBytes).set_bytes_moved(uint64_t{kLatencyBytes} * kMessages);
      Counts(operation, active, kLatencyBytes, {.sent = kMessages, .received = kMessages},
             {.sent = kMessages, .received = kMessages});
    }
  }
  for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B})
    Takes(active, nanoseconds);
  return *this;
}

ProbeBuilder& ProbeBuilder::LeavesOutLatency() {
  for (const v1::ProbePhase& phase : result_.spec().phases()) {
    if (phase.measure() != v1::PROBE_MEASURE_LATENCY) continue;
    for (const bool at_active : {true, false}) {
      v1::PhaseResult& side =
          Phase(at_active, phase.operation(), phase.active_side(), kLatencyBytes);
      side.Clear();
      side.set_index(phase.index());
      side.set_outcome(v1::PHASE_OUTCOME_NOT_RUN);
    }
  }
  return *this;
}

ProbeBuilder& ProbeBuilder::Takes(v1::ProbeSide active, uint64_t nanoseconds) {
  LatencyHistogram latency;
  for (uint32_t i = 0; i < kMessages; ++i) latency.Record(nanoseconds);
  for (const v1::ProbeOperation operation : {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ}) {
    *Active(operation, active, kLatencyBytes).mutable_latency() = latency.ToProto();
  }
  return *this;
}

ProbeBuilder& ProbeBuilder::SendsDatagrams() {
  constexpr uint32_t kFlows = 4, kDatagrams = 256;
  result_.mutable_spec()->set_datagram_flows(kFlows);
  for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
    v1::ProbePhase& phase = *result_.mutable_spec()->add_phases();
    phase.set_index(static_cast<uint32_t>(result_.spec().phases_size()) - 1);
    phase.set_operation(v1::PROBE_OPERATION_UD_PING);
    phase.set_active_side(active);
    phase.set_measure(v1::PROBE_MEASURE_INTEGRITY);
    phase.set_message_bytes(kDatagramBytes);
    phase.set_iterations(kDatagrams);
    for (v1::EndReport* report : {result_.mutable_a(), result_.mutable_b()}) {
      v1::PhaseResult& side = *report->add_phases();
      side.set_index(phase.index());
      side.set_outcome(v1::PHASE_OUTCOME_DONE);
      for (uint32_t flow = 0; flow < kFlows; ++flow) side.add_flows();
    }
    v1::PhaseResult& passive = Passive(v1::PROBE_OPERATION_UD_PING, active, kDatagramBytes);
    v1::WirePackets& arrived = *passive.add_arrived();
    arrived.set_received(true);
    arrived.set_protocol(v1::WIRE_PROTOCOL_ROCE_V2);
    arrived.set_role(v1::WIRE_ROLE_REQUEST);
    arrived.set_traffic_class(kTrafficClass);
    arrived.set_packets(kDatagrams);
    for (int flow = 0; flow < static_cast<int>(kFlows); ++flow) {
      Active(v1::PROBE_OPERATION_UD_PING, active, kDatagramBytes)
          .mutable_flows(flow)
          ->set_sent(kDatagrams / kFlows);
      passive.mutable_flows(flow)->set_received(kDatagrams / kFlows);
    }
  }
  return *this;
}

v1::DatagramFlow& ProbeBuilder::DatagramsFrom(v1::ProbeSide active, int flow) {
  return *Passive(v1::PROBE_OPERATION_UD_PING, active, kDatagramBytes).mutable_flows(flow);
}

ProbeBuilder& ProbeBuilder::LosesDatagramsFrom(v1::ProbeSide active) {
  if (result_.spec().datagram_flows() == 0) return *this;
  v1::PhaseResult& passive = Passive(v1::PROBE_OPERATION_UD_PING, active, kDatagramBytes);
  passive.clear_arrived();
  for (v1::DatagramFlow& flow : *passive.mutable_flows()) flow.clear_received();
  return *this;
}

ProbeBuilder& ProbeBuilder::SendsInIncast(const std::string& group, double bandwidth_bps) {
  v1::ProbeSpec& spec = *result_.mutable_spec();
  spec.set_probe_id(fmt::format("{}-from-{}", group, spec.a().host()));
  spec.mutable_incast()->set_group(group);
  spec.mutable_incast()->set_senders(2);
  spec.clear_phases();
  v1::ProbePhase& phase = *spec.add_phases();
  phase.set_operation(v1::PROBE_OPERATION_WRITE);
  phase.set_active_side(v1::PROBE_SIDE_A);
  phase.set_measure(v1::PROBE_MEASURE_BANDWIDTH);
  phase.set_message_bytes(kLargeBytes);
  phase.mutable_duration()->set_seconds(2);
  for (v1::EndReport* report : {result_.mutable_a(), result_.mutable_b()}) {
    report->clear_wire();
    report->clear_phases();
    report->add_phases()->set_outcome(v1::PHASE_OUTCOME_DONE);
  }
  Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes, {.sent = 200'000},
         {.received = 400'000});
  v1::PhaseResult& active = *result_.mutable_a()->mutable_phases(0);
  active.set_bytes_moved(uint64_t{4096} * 200'000);
  active.set_bandwidth_bps(bandwidth_bps);
  v1::CounterSample& held_back = *active.mutable_counters(0)->add_samples();
  held_back.set_id(v1::COUNTER_ID_CNP_HANDLED);
  held_back.set_delta(900);
  return *this;
}

ProbeBuilder& ProbeBuilder::Measures(double bandwidth_bps) {
  for (const v1::ProbeOperation operation : {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ}) {
    for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
      v1::ProbePhase& phase = *result_.mutable_spec()->add_phases();
      phase.set_index(static_cast<uint32_t>(result_.spec().phases_size()) - 1);
      phase.set_operation(operation);
      phase.set_active_side(active);
      phase.set_measure(v1::PROBE_MEASURE_BANDWIDTH);
      phase.set_message_bytes(kLargeBytes);
      phase.set_iterations(1000);
      const bool by_a = active == v1::PROBE_SIDE_A;
      for (const bool at_a : {true, false}) {
        v1::PhaseResult& side = *(at_a ? result_.mutable_a() : result_.mutable_b())->add_phases();
        side.set_index(phase.index());
        side.set_outcome(v1::PHASE_OUTCOME_DONE);
        SetCounters(side, at_a ? result_.spec().a() : result_.spec().b(),
                    {.sent = 20'000, .received = 20'000});
        if (at_a != by_a) continue;
        side.set_bytes_moved(uint64_t{kLargeBytes} * 1000);
        side.set_bandwidth_bps(bandwidth_bps);
      }
    }
  }
  return *this;
}

}  // namespace roceready::builders
