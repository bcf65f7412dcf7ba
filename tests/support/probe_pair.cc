// SPDX-License-Identifier: Apache-2.0
#include "tests/support/probe_pair.h"

#include <gtest/gtest.h>

#include <utility>

#include "agent/probe/gid.h"

namespace roceready::probe::testing {
namespace {

constexpr uint32_t kOwnPid = 4242;

std::string DeviceOf(const std::string& name) { return "rdma-" + name; }

GidRow RowOf(uint32_t index, std::string_view gid, v1::GidType type, uint32_t net_device_index) {
  return {
      .index = index, .gid = *ParseGid(gid), .type = type, .net_device_index = net_device_index};
}

}  // namespace

ProbeSideUnderTest::ProbeSideUnderTest(const std::string& name, v1::ProbeSide side,
                                       std::shared_ptr<Fabric> fabric,
                                       std::shared_ptr<HandClock> clock,
                                       const v1::AgentProbeLimits& limits)
    : side_(side), clock_(clock) {
  fabric->Change(DeviceOf(name), [](Behaviour& behaviour) {
    behaviour.gids = {RowOf(0, "fe80::1", v1::GID_TYPE_ROCE_V1, 3),
                      RowOf(1, "fe80::1", v1::GID_TYPE_ROCE_V2, 3),
                      RowOf(2, "::ffff:10.0.0.9", v1::GID_TYPE_ROCE_V2, 8),
                      RowOf(5, "::ffff:10.0.0.1", v1::GID_TYPE_ROCE_V2, 3)};
  });
  const auto environment = std::make_shared<Environment>(Environment{
      .clock = std::move(clock),
      .verbs = fabric->VerbsOf(DeviceOf(name)),
      .devices = std::make_shared<FakeDirectory>(),
      .counters = std::make_shared<FakeCounters>(),
      .use = use_,
      .wire = wire_,
      .own_pid = kOwnPid,
  });
  executor_ = std::make_unique<Executor>(limits, environment, [this](v1::ConnectRequest answer) {
    {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
    }
    came_.notify_all();
  });
  executor_->BeginSession(kEpoch, "session");
}

v1::ConnectRequest ProbeSideUnderTest::Next() {
  std::unique_lock lock(mutex_);
  if (!came_.wait_for(lock, std::chrono::seconds(30), [this] { return !answers_.empty(); })) {
    ADD_FAILURE() << "no answer came";
    return {};
  }
  v1::ConnectRequest answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

v1::ConnectRequest ProbeSideUnderTest::NextAfter(nanoseconds step) {
  clock_->AdvanceUntil([this] { return HasAnswer(); }, step);
  return Next();
}

bool ProbeSideUnderTest::HasAnswer() {
  const std::lock_guard lock(mutex_);
  return !answers_.empty();
}

v1::Order ProbeSideUnderTest::OrderOf(const v1::ProbeSpec& spec) const {
  v1::Order order;
  order.set_epoch(kEpoch);
  order.set_session("session");
  order.set_probe_id(spec.probe_id());
  order.set_attempt(spec.attempt());
  return order;
}

v1::ConnectResponse ProbeSideUnderTest::PrepareOrder(const v1::ProbeSpec& spec) const {
  v1::ConnectResponse message;
  *message.mutable_prepare_probe()->mutable_order() = OrderOf(spec);
  *message.mutable_prepare_probe()->mutable_spec() = spec;
  message.mutable_prepare_probe()->set_side(side_);
  return message;
}

v1::ConnectResponse ProbeSideUnderTest::ConnectOrder(const v1::ProbeSpec& spec,
                                                     const v1::ProbeEndpoint& peer) const {
  v1::ConnectResponse message;
  *message.mutable_connect_probe()->mutable_order() = OrderOf(spec);
  *message.mutable_connect_probe()->mutable_peer() = peer;
  return message;
}

v1::ConnectResponse ProbeSideUnderTest::RunOrder(const v1::ProbeSpec& spec, uint32_t phase) const {
  v1::ConnectResponse message;
  *message.mutable_run_phase()->mutable_order() = OrderOf(spec);
  message.mutable_run_phase()->set_phase(phase);
  return message;
}

v1::ConnectResponse ProbeSideUnderTest::ReleaseOrder(const v1::ProbeSpec& spec) const {
  v1::ConnectResponse message;
  *message.mutable_release_probe()->mutable_order() = OrderOf(spec);
  return message;
}

v1::ConnectRequest ProbeSideUnderTest::Prepare(const v1::ProbeSpec& spec) {
  executor_->Execute(PrepareOrder(spec));
  return Next();
}

v1::ConnectRequest ProbeSideUnderTest::Connect(const v1::ProbeSpec& spec,
                                               const v1::ProbeEndpoint& peer) {
  executor_->Execute(ConnectOrder(spec, peer));
  return Next();
}

v1::ConnectRequest ProbeSideUnderTest::Arm(const v1::ProbeSpec& spec, uint32_t phase) {
  v1::ConnectResponse message;
  *message.mutable_arm_phase()->mutable_order() = OrderOf(spec);
  message.mutable_arm_phase()->set_phase(phase);
  executor_->Execute(message);
  return Next();
}

v1::ConnectRequest ProbeSideUnderTest::Run(const v1::ProbeSpec& spec, uint32_t phase) {
  executor_->Execute(RunOrder(spec, phase));
  return Next();
}

v1::ConnectRequest ProbeSideUnderTest::Close(const v1::ProbeSpec& spec, uint32_t phase) {
  v1::ConnectResponse message;
  *message.mutable_close_phase()->mutable_order() = OrderOf(spec);
  message.mutable_close_phase()->set_phase(phase);
  executor_->Execute(message);
  return Next();
}

v1::ConnectRequest ProbeSideUnderTest::Release(const v1::ProbeSpec& spec) {
  executor_->Execute(ReleaseOrder(spec));
  return Next();
}

ProbePair::ProbePair(const v1::AgentProbeLimits& limits)
    : a("a", v1::PROBE_SIDE_A, fabric, clock, limits),
      b("b", v1::PROBE_SIDE_B, fabric, clock, limits) {}

v1::ProbeSpec ProbePair::Spec() {
  v1::ProbeSpec spec;
  spec.set_probe_id("p1");
  spec.set_attempt(1);
  for (auto [end, name] : {std::pair(spec.mutable_a(), "a"), std::pair(spec.mutable_b(), "b")}) {
    end->set_host(name);
    end->set_rdma_device_id(DeviceOf(name));
    end->set_port(1);
    end->set_gid_type(v1::GID_TYPE_ROCE_V2);
    end->set_gid_family(v1::IP_FAMILY_V4);
    end->set_net_device_id("net");
  }
  v1::TransportParameters& transport = *spec.mutable_transport();
  transport.set_path_mtu_bytes(4096);
  transport.set_traffic_class(106);
  transport.set_service_level(3);
  transport.set_flow_label(0x12345);
  transport.set_ack_timeout_exponent(14);
  transport.set_retry_count(6);
  transport.set_rnr_retry_count(6);
  spec.set_queue_pairs(1);
  spec.set_buffer_bytes(64 * 1024);
  spec.mutable_deadline()->set_seconds(30);
  return spec;
}

v1::ProbePhase& ProbePair::AddPhase(v1::ProbeSpec& spec, v1::ProbeOperation operation,
                                    v1::ProbeMeasure measure, v1::ProbeSide active) {
  v1::ProbePhase& phase = *spec.add_phases();
  phase.set_index(static_cast<uint32_t>(spec.phases_size() - 1));
  phase.set_operation(operation);
  phase.set_measure(measure);
  phase.set_active_side(active);
  phase.set_message_bytes(4096);
  phase.set_iterations(16);
  phase.set_queue_depth(8);
  phase.set_pattern_seed(99);
  phase.mutable_deadline()->set_seconds(5);
  return phase;
}

bool ProbePair::Connect(const v1::ProbeSpec& spec) {
  const v1::ConnectRequest prepared_a = a.Prepare(spec);
  const v1::ConnectRequest prepared_b = b.Prepare(spec);
  EXPECT_TRUE(prepared_a.has_probe_prepared()) << prepared_a.ShortDebugString();
  EXPECT_TRUE(prepared_b.has_probe_prepared()) << prepared_b.ShortDebugString();
  const auto connected_a = a.Connect(spec, prepared_b.probe_prepared().endpoint());
  const auto connected_b = b.Connect(spec, prepared_a.probe_prepared().endpoint());
  EXPECT_TRUE(connected_a.has_probe_connected()) << connected_a.ShortDebugString();
  EXPECT_TRUE(connected_b.has_probe_connected()) << connected_b.ShortDebugString();
  return connected_a.has_probe_connected() && connected_b.has_probe_connected();
}

ProbePair::Results ProbePair::RunPhase(const v1::ProbeSpec& spec, uint32_t phase) {
  const bool a_is_active = spec.phases(static_cast<int>(phase)).active_side() == v1::PROBE_SIDE_A;
  ProbeSideUnderTest& active = a_is_active ? a : b;
  ProbeSideUnderTest& passive = a_is_active ? b : a;
  const auto armed = passive.Arm(spec, phase);
  EXPECT_TRUE(armed.phase_done().armed_only()) << armed.ShortDebugString();
  const auto ran = active.Run(spec, phase);
  EXPECT_TRUE(ran.has_phase_done()) << ran.ShortDebugString();
  const auto closed = passive.Close(spec, phase);
  EXPECT_TRUE(closed.has_phase_done()) << closed.ShortDebugString();
  return {ran.phase_done().result(), closed.phase_done().result()};
}

}  // namespace roceready::probe::testing
