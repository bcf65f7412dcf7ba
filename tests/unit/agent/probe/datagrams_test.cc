// SPDX-License-Identifier: Apache-2.0
// What phases of numbered datagrams count, of each flow, and what they say of the headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "agent/probe/datagram.h"
#include "agent/probe/limits.h"
#include "tests/support/probe_pair.h"

namespace roceready::probe::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kFlows = 4;
// Two bursts of each flow.
constexpr uint32_t kDatagrams = 2 * kFlows * kDatagramBurst;

class Datagrams : public ::testing::Test {
 protected:
  Datagrams() {
    spec_.set_datagram_flows(kFlows);
    Add(v1::PROBE_SIDE_A);
  }
  v1::ProbePhase& Add(v1::ProbeSide active) {
    v1::ProbePhase& phase = ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_UD_PING,
                                                v1::PROBE_MEASURE_INTEGRITY, active);
    phase.set_message_bytes(1024);
    phase.set_iterations(kDatagrams);
    return phase;
  }
  void Change(const std::function<void(Behaviour&)>& change) {
    pair_.fabric->Change("rdma-a", change);
  }
  // The passive side waits for what is missing: time has to pass.
  ProbePair::Results Run(uint32_t phase = 0) {
    ProbePair::Results results;
    pair_.b.Arm(spec_, phase);
    pair_.a.executor().Execute(pair_.a.RunOrder(spec_, phase));
    results.active = pair_.a.NextAfter(std::chrono::microseconds(200)).phase_done().result();
    v1::ConnectResponse close;
    *close.mutable_close_phase()->mutable_order() =
        pair_.b.RunOrder(spec_, phase).run_phase().order();
    close.mutable_close_phase()->set_phase(phase);
    pair_.b.executor().Execute(close);
    results.passive = pair_.b.NextAfter(std::chrono::milliseconds(10)).phase_done().result();
    return results;
  }
  ProbePair::Results Only() { return pair_.Connect(spec_) ? Run() : ProbePair::Results{}; }

  v1::ProbeSpec spec_ = ProbePair::Spec();
  ProbePair pair_;
};

uint64_t Sent(const v1::PhaseResult& result) {
  uint64_t sent = 0;
  for (const v1::DatagramFlow& flow : result.flows()) sent += flow.sent();
  return sent;
}

TEST_F(Datagrams, AreSpreadOverTheFlowsAndAllArrive) {
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE) << active.ShortDebugString();
  EXPECT_EQ(active.bytes_moved(), kDatagrams * 1024U);
  ASSERT_EQ(active.flows_size(), static_cast<int>(kFlows));
  ASSERT_EQ(passive.flows_size(), static_cast<int>(kFlows));
  for (int flow = 0; flow < static_cast<int>(kFlows); ++flow) {
    EXPECT_EQ(active.flows(flow).sent(), kDatagrams / kFlows);
    EXPECT_EQ(passive.flows(flow).ShortDebugString(), "received: 16");
  }
}

TEST_F(Datagrams, ArriveWithTheClassThatTheFabricLeavesThem) {
  Change([](Behaviour& a) { a.traffic_class_on_arrival = 3; });
  const auto [active, passive] = Only();
  ASSERT_EQ(passive.arrived_size(), 1) << passive.ShortDebugString();
  EXPECT_TRUE(passive.arrived(0).received());
  EXPECT_EQ(passive.arrived(0).protocol(), v1::WIRE_PROTOCOL_ROCE_V2);
  EXPECT_EQ(passive.arrived(0).traffic_class(), 3U);
  EXPECT_EQ(passive.arrived(0).packets(), kDatagrams);
  EXPECT_EQ(passive.arrived(0).largest_ip_bytes(), 20U + 8 + 12 + 8 + 1024 + 4);
}

TEST_F(Datagrams, ThatAreLostAreMissingFromTheirFlowAlone) {
  // 8 to 15 and 40 to 47 are of the flow 1.
  Change([](Behaviour& a) { a.lost = {8, 15, 40}; });
  const auto [active, passive] = Only();
  EXPECT_EQ(Sent(active), kDatagrams);
  EXPECT_EQ(passive.outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(passive.flows(0).received(), 16U);
  EXPECT_EQ(passive.flows(1).received(), 13U);
  EXPECT_EQ(passive.flows(1).out_of_order(), 0U);
}

TEST_F(Datagrams, ThatComeTwiceOrLateAreSo) {
  Change([](Behaviour& a) {
    // Each of the flow 2 twice: its last ones still find a receive.
    for (uint64_t datagram = 16; datagram < 24; ++datagram) {
      a.sent_twice.insert({datagram, datagram + kDatagrams / 2});
    }
    a.late = {1, 4};
  });
  const auto [active, passive] = Only();
  EXPECT_EQ(passive.flows(2).received(), 16U);
  EXPECT_EQ(passive.flows(2).duplicates(), 16U);
  EXPECT_EQ(passive.flows(2).out_of_order(), 0U);
  EXPECT_EQ(passive.flows(0).received(), 16U);
  EXPECT_EQ(passive.flows(0).out_of_order(), 2U);
}

TEST_F(Datagrams, ThatAreDamagedAreNeitherReceivedNorSilent) {
  Change([](Behaviour& a) { a.damaged = {30}; });
  const auto [active, passive] = Only();
  EXPECT_EQ(passive.flows(3).received(), 15U);
  EXPECT_EQ(passive.flows(3).corrupt(), 1U);
}

TEST_F(Datagrams, GoOnWhereTheConnectionIsDead) {
  spec_.clear_phases();
  ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  Add(v1::PROBE_SIDE_A);
  Change([](Behaviour& a) { a.failing_message = 2; });
  ASSERT_TRUE(pair_.Connect(spec_));
  EXPECT_EQ(pair_.RunPhase(spec_, 0).active.outcome(), v1::PHASE_OUTCOME_COMPLETION_ERROR);
  Change([](Behaviour& a) { a.failing_message.reset(); });
  EXPECT_EQ(Run(1).passive.flows(0).received(), 16U);
}

TEST_F(Datagrams, ADeviceWithoutRoomForThemProbesTheRestAndSaysWhy) {
  ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  // A's receives are for the closing messages; B would need twice sixteen for each flow.
  pair_.fabric->Change("rdma-b", [](Behaviour& b) { b.capabilities.work_requests_per_queue = 16; });
  ASSERT_TRUE(pair_.Connect(spec_));
  const v1::PhaseResult armed = pair_.b.Arm(spec_, 0).phase_done().result();
  EXPECT_EQ(armed.outcome(), v1::PHASE_OUTCOME_NOT_RUN);
  EXPECT_THAT(armed.detail(), HasSubstr("holds 16 work requests"));
  const v1::PhaseResult active = pair_.a.Run(spec_, 0).phase_done().result();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_NOT_RUN);
  EXPECT_THAT(active.detail(), HasSubstr("the peer has 0 datagram queue pairs"));
  EXPECT_EQ(pair_.RunPhase(spec_, 1).passive.outcome(), v1::PHASE_OUTCOME_DONE);
}

TEST_F(Datagrams, LeaveNothingBehind) {
  Add(v1::PROBE_SIDE_B);
  ASSERT_TRUE(pair_.Connect(spec_));
  Run(0);
  EXPECT_EQ(pair_.a.Release(spec_).end_report().resources_left(), 0U);
  EXPECT_EQ(pair_.b.Release(spec_).end_report().resources_left(), 0U);
  EXPECT_EQ(pair_.fabric->objects(), 0U);
}

TEST_F(Datagrams, AreRefusedBeyondTheAgentsLimits) {
  const v1::ProbeLimits limits = LimitsInForce({});
  const auto check = [&] { return CheckSpec(spec_, v1::PROBE_SIDE_A, limits); };
  EXPECT_FALSE(check());
  spec_.mutable_phases(0)->set_message_bytes(8192);
  EXPECT_EQ(check()->reason, v1::REFUSAL_REASON_INVALID);
  spec_.mutable_phases(0)->set_message_bytes(4096);
  // Two slots each of 4160 bytes.
  spec_.set_buffer_bytes(limits.memory_bytes() - 2 * kDatagrams * 4160);
  EXPECT_FALSE(check());
  spec_.set_buffer_bytes(spec_.buffer_bytes() + 1);
  EXPECT_EQ(check()->reason, v1::REFUSAL_REASON_LIMIT);
  spec_.set_buffer_bytes(1 << 20);
  spec_.set_datagram_flows(limits.queue_pairs());
  EXPECT_EQ(check()->reason, v1::REFUSAL_REASON_LIMIT);
  spec_.set_datagram_flows(0);
  EXPECT_EQ(check()->reason, v1::REFUSAL_REASON_INVALID);
  spec_.set_datagram_flows(kFlows);
  Add(v1::PROBE_SIDE_B);
  EXPECT_FALSE(check());
  Add(v1::PROBE_SIDE_A);
  EXPECT_EQ(check()->reason, v1::REFUSAL_REASON_INVALID) << "the earlier one's receives are left";
}

TEST_F(Datagrams, TakePartInWhatAllProbesTogetherMayHold) {
  // Two slots of 4160 bytes for each of 4096 datagrams.
  spec_.mutable_phases(0)->set_message_bytes(4096);
  spec_.mutable_phases(0)->set_iterations(4096);
  ASSERT_TRUE(pair_.a.Prepare(spec_).has_probe_prepared());
  spec_.set_probe_id("another");
  const v1::ConnectRequest second = pair_.a.Prepare(spec_);
  EXPECT_EQ(second.probe_refused().reason(), v1::REFUSAL_REASON_LIMIT) << second.ShortDebugString();
}

TEST(Datagram, IsToldByItsLabelAndNotTakenForAnother) {
  v1::ProbePhase phase;
  phase.set_index(3);
  phase.set_pattern_seed(99);
  phase.set_message_bytes(kDatagramBytesLeast);
  phase.set_iterations(10);
  std::array<uint8_t, kDatagramBytesLeast> payload{};
  EXPECT_FALSE(TellDatagram(payload, phase));
  WriteDatagram(payload, phase, 7);
  EXPECT_EQ(TellDatagram(payload, phase)->number, 7U);
  EXPECT_TRUE(TellDatagram(payload, phase)->intact);
  EXPECT_FALSE(TellDatagram(std::span(payload).first(60), phase)->intact) << "cut";
  EXPECT_FALSE(TellDatagram(std::span(payload).first(15), phase));
  v1::ProbePhase other = phase;
  other.set_index(4);
  EXPECT_FALSE(TellDatagram(payload, other));
}

}  // namespace
}  // namespace roceready::probe::testing
