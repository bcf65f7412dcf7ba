// SPDX-License-Identifier: Apache-2.0
// What a phase measures and verifies, and how it ends when something is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/latency_histogram.h"
#include "tests/support/probe_pair.h"

namespace roceready::probe::testing {
namespace {

using ::testing::HasSubstr;

constexpr auto kA = v1::PROBE_SIDE_A;
constexpr auto kB = v1::PROBE_SIDE_B;

class Phases : public ::testing::Test {
 protected:
  // Connects and runs the only phase of `spec_`.
  ProbePair::Results Only() {
    if (!pair_.Connect(spec_)) return {};
    return pair_.RunPhase(spec_, 0);
  }
  v1::ProbePhase& Add(v1::ProbeOperation operation, v1::ProbeMeasure measure,
                      v1::ProbeSide active = kA) {
    return ProbePair::AddPhase(spec_, operation, measure, active);
  }

  v1::ProbeSpec spec_ = ProbePair::Spec();
  ProbePair pair_;
};

TEST_F(Phases, WriteIsVerifiedByThePassiveSideAfterItsClosingMessage) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(active.bytes_moved(), 16U * 4096);
  EXPECT_EQ(active.bytes_verified(), 0U);
  EXPECT_EQ(passive.outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(passive.bytes_verified(), 16U * 4096);
  EXPECT_EQ(passive.verified_by(), v1::VERIFY_METHOD_IMMEDIATE);
}

TEST_F(Phases, ReadIsVerifiedByTheActiveSide) {
  Add(v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_INTEGRITY);
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(active.bytes_verified(), 16U * 4096);
  EXPECT_EQ(active.verified_by(), v1::VERIFY_METHOD_LOCAL);
  EXPECT_EQ(passive.outcome(), v1::PHASE_OUTCOME_DONE);
}

TEST_F(Phases, EveryOperationRunsInBothDirectionsOverOneConnection) {
  spec_.set_queue_pairs(3);
  for (const auto operation :
       {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ,
        v1::PROBE_OPERATION_WRITE_WITH_IMMEDIATE, v1::PROBE_OPERATION_SEND}) {
    for (const auto side : {kA, kB}) Add(operation, v1::PROBE_MEASURE_INTEGRITY, side);
  }
  ASSERT_TRUE(pair_.Connect(spec_));
  for (const v1::ProbePhase& phase : spec_.phases()) {
    const auto [active, passive] = pair_.RunPhase(spec_, phase.index());
    SCOPED_TRACE(phase.ShortDebugString());
    EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE) << active.ShortDebugString();
    EXPECT_EQ(passive.outcome(), v1::PHASE_OUTCOME_DONE) << passive.ShortDebugString();
    // 16 slots of 4096 bytes, in a multiple of three.
    EXPECT_EQ(active.bytes_verified() + passive.bytes_verified(), 15U * 4096);
  }
}

TEST_F(Phases, MoreMessagesThanTheBufferHoldsGoRoundIt) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY).set_iterations(1000);
  const auto [active, passive] = Only();
  EXPECT_EQ(active.bytes_moved(), 1000U * 4096);
  EXPECT_EQ(passive.bytes_verified(), 16U * 4096);
}

TEST_F(Phases, ReceivesAreGivenBackWhileMessagesKeepComing) {
  Add(v1::PROBE_OPERATION_SEND, v1::PROBE_MEASURE_INTEGRITY).set_iterations(500);
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE) << active.ShortDebugString();
  EXPECT_EQ(passive.bytes_moved(), 500U * 4096);
  EXPECT_EQ(passive.bytes_verified(), 16U * 4096);
}

TEST_F(Phases, LatencyIsOneMeasurementPerMessage) {
  Add(v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_LATENCY).set_iterations(200);
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE);
  const auto histogram = LatencyHistogram::FromProto(active.latency());
  ASSERT_TRUE(histogram.ok());
  EXPECT_EQ(histogram->count(), 200U);
  EXPECT_GT(histogram->min_ns(), 0U);
  EXPECT_FALSE(passive.has_latency());
}

TEST_F(Phases, BandwidthByDurationEndsWithEveryMessageCompleted) {
  spec_.set_queue_pairs(2);
  auto& phase = Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  phase.set_iterations(0);
  phase.mutable_duration()->set_nanos(20'000'000);
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE) << active.ShortDebugString();
  EXPECT_EQ(active.bytes_moved(), pair_.fabric->messages_posted() * 4096);
  const double seconds = static_cast<double>(active.elapsed().nanos()) / 1e9;
  EXPECT_GE(seconds, 0.015);
  EXPECT_NEAR(active.bandwidth_bps(), static_cast<double>(active.bytes_moved()) * 8 / seconds, 1.0);
  EXPECT_NEAR(active.messages_per_second() * 4096 * 8, active.bandwidth_bps(), 1.0);
}

TEST_F(Phases, RateOfTheOrderIsKept) {
  spec_.set_rate_limit_bps(4096 * 8 * 1000);
  // The clock moves a microsecond a look, a message is due each millisecond.
  auto& phase = Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  phase.set_iterations(50);
  ASSERT_TRUE(pair_.Connect(spec_));
  pair_.b.Arm(spec_, 0);
  pair_.a.executor().Execute(pair_.a.RunOrder(spec_, 0));
  const v1::PhaseResult result =
      pair_.a.NextAfter(std::chrono::microseconds(250)).phase_done().result();
  EXPECT_EQ(result.outcome(), v1::PHASE_OUTCOME_DONE) << result.ShortDebugString();
  EXPECT_EQ(result.bytes_moved(), 50U * 4096);
  EXPECT_LE(result.bandwidth_bps(), 4096 * 8 * 1000 * 1.1);
}

TEST_F(Phases, CountersMoveAtBothEnds) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  const auto [active, passive] = Only();
  for (const v1::PhaseResult& result : {active, passive}) {
    ASSERT_EQ(result.counters_size(), 1);
    EXPECT_EQ(result.counters(0).samples(0).delta(), 10U);
    EXPECT_GT(result.counters(0).window().nanos(), 0);
  }
}

TEST_F(Phases, WriteCorruptionIsAMismatchWithItsPlace) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) {
    a.corruptions = 1;
    a.corrupt_offset = 5000;
  });
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(passive.outcome(), v1::PHASE_OUTCOME_MISMATCH);
  EXPECT_EQ(passive.first_mismatch_offset(), 5000U);
  EXPECT_EQ(passive.bytes_verified(), 16U * 4096 - 1);
}

TEST_F(Phases, ReadThatIsRightWhenReadAgainIsNoMismatch) {
  Add(v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_INTEGRITY);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) {
    a.corruptions = 1;
    a.corrupt_offset = 5000;
  });
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(active.bytes_verified(), 16U * 4096);
}

TEST_F(Phases, ReadThatIsWrongAgainIsAMismatchAndTheConnectionGoesOn) {
  Add(v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_INTEGRITY);
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) {
    a.corruptions = 2;
    a.corrupt_offset = 5000;
  });
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_MISMATCH);
  EXPECT_EQ(active.first_mismatch_offset(), 5000U);
  EXPECT_EQ(pair_.RunPhase(spec_, 1).passive.outcome(), v1::PHASE_OUTCOME_DONE);
}

TEST_F(Phases, LostClosingMessageLeavesNothingVerified) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.loses_closing = true; });
  ASSERT_TRUE(pair_.Connect(spec_));
  pair_.b.Arm(spec_, 0);
  EXPECT_EQ(pair_.a.Run(spec_, 0).phase_done().result().outcome(), v1::PHASE_OUTCOME_DONE);
  v1::ConnectResponse close;
  *close.mutable_close_phase()->mutable_order() = pair_.b.RunOrder(spec_, 0).run_phase().order();
  pair_.b.executor().Execute(close);
  const v1::PhaseResult passive =
      pair_.b.NextAfter(std::chrono::milliseconds(10)).phase_done().result();
  EXPECT_EQ(passive.outcome(), v1::PHASE_OUTCOME_DEADLINE);
  EXPECT_EQ(passive.bytes_verified(), 0U);
  EXPECT_THAT(passive.detail(), HasSubstr("0 of 1 queue pairs"));
}

TEST_F(Phases, CompletionErrorNamesStatusAndMessageAndEndsTheQueuePairs) {
  // Message 3 has no completion of its own: queue depth 8 asks for every second.
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.failing_message = 2; });
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_COMPLETION_ERROR);
  EXPECT_EQ(active.completion_error().status(), 12U);
  EXPECT_EQ(active.completion_error().status_name(), "IBV_WC_RETRY_EXC_ERR");
  EXPECT_EQ(active.completion_error().message_index(), 2U);
  EXPECT_EQ(active.bytes_moved(), 2U * 4096);
  const auto next = pair_.RunPhase(spec_, 1);
  EXPECT_EQ(next.active.outcome(), v1::PHASE_OUTCOME_NOT_RUN);
}

TEST_F(Phases, SilentFabricEndsAtThePhasesOwnDeadline) {
  Add(v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_LATENCY).mutable_deadline()->set_seconds(1);
  Add(v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_LATENCY);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.silent = true; });
  ASSERT_TRUE(pair_.Connect(spec_));
  pair_.b.Arm(spec_, 0);
  pair_.a.executor().Execute(pair_.a.RunOrder(spec_, 0));
  const v1::PhaseResult result =
      pair_.a.NextAfter(std::chrono::milliseconds(10)).phase_done().result();
  EXPECT_EQ(result.outcome(), v1::PHASE_OUTCOME_DEADLINE);
  EXPECT_EQ(result.bytes_moved(), 0U);
  EXPECT_EQ(pair_.a.executor().live_sessions(), 1U);
  EXPECT_EQ(pair_.a.Run(spec_, 1).phase_done().result().outcome(), v1::PHASE_OUTCOME_NOT_RUN);
}

TEST_F(Phases, RefusedPostIsALocalErrorWithItsErrno) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.failing["post"] = ENOMEM; });
  const auto [active, passive] = Only();
  EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_LOCAL_ERROR);
  EXPECT_EQ(active.error(), ENOMEM);
  EXPECT_THAT(active.detail(), HasSubstr("post"));
}

TEST_F(Phases, AdapterThatBecomesBusyIsLeftAlone) {
  auto& phase = Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  phase.set_iterations(0);
  phase.mutable_duration()->set_seconds(20);
  phase.mutable_deadline()->set_seconds(25);
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  ASSERT_TRUE(pair_.Connect(spec_));
  pair_.b.Arm(spec_, 0);
  pair_.a.executor().Execute(pair_.a.RunOrder(spec_, 0));
  pair_.a.use().Set(std::vector<QueuePairUser>{{.pid = 17, .name = "job", .type = "RC"}});
  const v1::PhaseResult result =
      pair_.a.NextAfter(std::chrono::milliseconds(2)).phase_done().result();
  EXPECT_EQ(result.outcome(), v1::PHASE_OUTCOME_NOT_RUN);
  EXPECT_EQ(result.error(), EBUSY);
  EXPECT_THAT(result.detail(), HasSubstr("job (pid 17)"));
  EXPECT_LT(result.elapsed().seconds(), 20);
  // The queue pairs still live.
  pair_.b.Close(spec_, 0);
  EXPECT_EQ(pair_.RunPhase(spec_, 1).passive.outcome(), v1::PHASE_OUTCOME_DONE);
}

TEST_F(Phases, AdapterThatIsBusyByNowIsNotFilledFromEitherSide) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  ASSERT_TRUE(pair_.Connect(spec_));
  const std::vector<QueuePairUser> job{{.pid = 17, .name = "job", .type = "RC"}};
  pair_.a.use().Set(job);
  pair_.b.use().Set(job);
  const auto armed = pair_.b.Arm(spec_, 0).phase_done();
  EXPECT_TRUE(armed.armed_only());
  EXPECT_EQ(armed.result().outcome(), v1::PHASE_OUTCOME_NOT_RUN);
  EXPECT_EQ(armed.result().error(), EBUSY);
  EXPECT_EQ(pair_.a.Run(spec_, 0).phase_done().result().outcome(), v1::PHASE_OUTCOME_NOT_RUN);
  EXPECT_EQ(pair_.fabric->messages_posted(), 0U);
}

TEST_F(Phases, PathIsUsedExactlyAsOrdered) {
  Add(v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  pair_.fabric->Change("rdma-b", [](Behaviour& b) { b.capabilities.responder_reads = 4; });
  ASSERT_TRUE(pair_.Connect(spec_));
  const Path path = *pair_.fabric->path("rdma-a");
  EXPECT_EQ(path.mtu_bytes, 4096U);
  EXPECT_EQ(path.traffic_class, 106);
  EXPECT_EQ(path.service_level, 3);
  EXPECT_EQ(path.flow_label, 0x12345U);
  EXPECT_EQ(path.hop_limit, 64);
  EXPECT_EQ(path.ack_timeout_exponent, 14);
  EXPECT_EQ(path.retry_count, 6);
  EXPECT_EQ(path.gid_index, 5U);
  // Never more READs than the other end answers.
  EXPECT_EQ(path.initiator_reads, 4);
}

}  // namespace
}  // namespace roceready::probe::testing
