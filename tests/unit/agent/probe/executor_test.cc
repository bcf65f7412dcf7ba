// SPDX-License-Identifier: Apache-2.0
// The life of a probe at one agent: orders, refusals, repeats, and every way to end.
#include "agent/probe/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <thread>

#include "tests/support/probe_pair.h"

namespace roceready::probe::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExecutorOrders : public ::testing::Test {
 protected:
  ExecutorOrders() {
    ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  }
  ~ExecutorOrders() override {
    pair_.a.Stop();
    pair_.b.Stop();
    EXPECT_EQ(pair_.fabric->objects(), 0U);
  }
  v1::ProbeRefused RefusalOf(const v1::ProbeSpec& spec) {
    const auto answer = pair_.a.Prepare(spec);
    EXPECT_TRUE(answer.has_probe_refused()) << answer.ShortDebugString();
    EXPECT_EQ(pair_.fabric->objects(), 0U);
    return answer.probe_refused();
  }
  v1::EndReport EndOf(ProbeSideUnderTest& side) {
    const auto answer = side.Next();
    EXPECT_TRUE(answer.has_end_report()) << answer.ShortDebugString();
    return answer.end_report();
  }

  v1::ProbeSpec spec_ = ProbePair::Spec();
  ProbePair pair_;
};

TEST_F(ExecutorOrders, ProbeEndsWithAReportOfAllItsPhasesAndNothingHeld) {
  ASSERT_TRUE(pair_.Connect(spec_));
  EXPECT_GT(pair_.fabric->objects(), 0U);
  pair_.RunPhase(spec_, 0);
  for (ProbeSideUnderTest* side : {&pair_.a, &pair_.b}) {
    const v1::EndReport report = side->Release(spec_).end_report();
    EXPECT_EQ(report.probe_id(), "p1");
    EXPECT_EQ(report.attempt(), 1U);
    ASSERT_EQ(report.phases_size(), 1);
    EXPECT_EQ(report.phases(0).outcome(), v1::PHASE_OUTCOME_DONE);
    EXPECT_EQ(report.resources_left(), 0U);
    EXPECT_EQ(report.used().gid(), "::ffff:10.0.0.1");
    EXPECT_EQ(report.used().mac(), "52:54:00:00:00:03");
    EXPECT_EQ(report.detail(), "released");
    EXPECT_EQ(side->executor().live_sessions(), 0U);
  }
  EXPECT_EQ(pair_.fabric->objects(), 0U);
}

TEST_F(ExecutorOrders, SequenceNumbersAreNotAlwaysTheSame) {
  const auto first = pair_.a.Prepare(spec_).probe_prepared().endpoint();
  pair_.a.Release(spec_);
  spec_.set_attempt(2);
  const auto second = pair_.a.Prepare(spec_).probe_prepared().endpoint();
  EXPECT_NE(first.queue_pairs(0).packet_sequence_number(),
            second.queue_pairs(0).packet_sequence_number());
  EXPECT_LT(first.queue_pairs(0).packet_sequence_number(), 1U << 24);
}

TEST_F(ExecutorOrders, RepeatedOrderGetsTheStoredAnswerAndDoesNotRunAgain) {
  const auto first = pair_.a.Prepare(spec_);
  EXPECT_EQ(pair_.a.Prepare(spec_).SerializeAsString(), first.SerializeAsString());
  EXPECT_EQ(pair_.a.executor().live_sessions(), 1U);

  const auto peer = pair_.b.Prepare(spec_).probe_prepared().endpoint();
  pair_.a.Connect(spec_, peer);
  pair_.b.Connect(spec_, first.probe_prepared().endpoint());
  EXPECT_TRUE(pair_.a.Connect(spec_, peer).has_probe_connected());

  pair_.b.Arm(spec_, 0);
  const auto ran = pair_.a.Run(spec_, 0);
  const uint64_t posted = pair_.fabric->messages_posted();
  EXPECT_EQ(pair_.a.Run(spec_, 0).SerializeAsString(), ran.SerializeAsString());
  EXPECT_EQ(pair_.fabric->messages_posted(), posted);

  const auto ended = pair_.a.Release(spec_);
  EXPECT_EQ(pair_.a.Release(spec_).SerializeAsString(), ended.SerializeAsString());
  // Whatever is repeated after the end, the end is the answer.
  EXPECT_EQ(pair_.a.Prepare(spec_).SerializeAsString(), ended.SerializeAsString());
  EXPECT_EQ(pair_.a.Run(spec_, 0).SerializeAsString(), ended.SerializeAsString());
}

TEST_F(ExecutorOrders, OrderBeingWorkedOnIsAnsweredOnce) {
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.blocked = "register"; });
  pair_.a.executor().Execute(pair_.a.PrepareOrder(spec_));
  pair_.fabric->AwaitBlocked();
  pair_.a.executor().Execute(pair_.a.PrepareOrder(spec_));
  pair_.fabric->Unblock();
  EXPECT_TRUE(pair_.a.Next().has_probe_prepared());
  EXPECT_TRUE(pair_.a.Release(spec_).has_end_report());
}

TEST_F(ExecutorOrders, OrdersOfAnOlderEpochOrAnotherSessionAreStale) {
  v1::ConnectResponse order = pair_.a.PrepareOrder(spec_);
  order.mutable_prepare_probe()->mutable_order()->set_epoch(ProbeSideUnderTest::kEpoch - 1);
  pair_.a.executor().Execute(order);
  EXPECT_EQ(pair_.a.Next().probe_refused().reason(), v1::REFUSAL_REASON_STALE_EPOCH);

  order = pair_.a.PrepareOrder(spec_);
  order.mutable_prepare_probe()->mutable_order()->set_session("of before");
  pair_.a.executor().Execute(order);
  const auto refused = pair_.a.Next().probe_refused();
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_STALE_EPOCH);
  EXPECT_EQ(refused.step(), "prepare");

  // A stale release ends nothing.
  pair_.a.Prepare(spec_);
  order = pair_.a.ReleaseOrder(spec_);
  order.mutable_release_probe()->mutable_order()->set_epoch(1);
  pair_.a.executor().Execute(order);
  EXPECT_TRUE(pair_.a.Next().has_probe_refused());
  EXPECT_EQ(pair_.a.executor().live_sessions(), 1U);
}

TEST_F(ExecutorOrders, HigherEpochIsRememberedAcrossSessions) {
  v1::ConnectResponse order = pair_.a.PrepareOrder(spec_);
  order.mutable_prepare_probe()->mutable_order()->set_epoch(9);
  pair_.a.executor().Execute(order);
  EXPECT_TRUE(pair_.a.Next().has_probe_prepared());
  EXPECT_EQ(pair_.a.executor().highest_epoch(), 9U);
  pair_.a.executor().BeginSession(8, "session");
  EXPECT_EQ(pair_.a.executor().highest_epoch(), 9U);
  EXPECT_EQ(pair_.a.Release(spec_).probe_refused().reason(), v1::REFUSAL_REASON_STALE_EPOCH);
}

TEST_F(ExecutorOrders, OtherBodiesAreNotOrders) {
  v1::ConnectResponse ping;
  ping.mutable_ping()->set_nonce(1);
  EXPECT_FALSE(pair_.a.executor().Execute(ping));
}

TEST_F(ExecutorOrders, ReleaseOfAnUnknownProbeReportsThatNothingIsHeld) {
  const auto answer = pair_.a.Release(spec_);
  EXPECT_EQ(answer.end_report().resources_left(), 0U);
  EXPECT_THAT(pair_.a.executor().UnacceptedReports(), IsEmpty());
  // A prepare that was overtaken does not run.
  EXPECT_TRUE(pair_.a.Prepare(spec_).has_end_report());
}

TEST_F(ExecutorOrders, StepsOutOfPlaceAreInvalidAndTheProbeGoesOn) {
  EXPECT_EQ(pair_.a.Run(spec_, 0).probe_refused().reason(), v1::REFUSAL_REASON_INVALID);
  ASSERT_TRUE(pair_.Connect(spec_));
  EXPECT_EQ(pair_.a.Arm(spec_, 0).probe_refused().reason(), v1::REFUSAL_REASON_INVALID);
  EXPECT_EQ(pair_.b.Run(spec_, 0).probe_refused().reason(), v1::REFUSAL_REASON_INVALID);
  EXPECT_EQ(pair_.a.Run(spec_, 1).probe_refused().reason(), v1::REFUSAL_REASON_INVALID);
  EXPECT_EQ(pair_.b.Close(spec_, 0).probe_refused().step(), "close/0");
  const auto refused = pair_.a.Arm(spec_, 0);
  EXPECT_EQ(refused.probe_refused().probe_id(), "p1");
  EXPECT_EQ(pair_.a.executor().live_sessions(), 1U);
}

TEST_F(ExecutorOrders, SmallerActiveMtuIsRefusedAndNeverNegotiated) {
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.active_mtu_bytes = 1024; });
  const auto refused = RefusalOf(spec_);
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_MTU);
  EXPECT_THAT(refused.detail(), HasSubstr("is 1024, path MTU 4096 is ordered"));
}

TEST_F(ExecutorOrders, MissingGidIsRefusedWithWhatThereIs) {
  spec_.mutable_a()->set_gid_family(v1::IP_FAMILY_V6);
  const auto refused = RefusalOf(spec_);
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_NO_GID);
  EXPECT_THAT(refused.detail(), HasSubstr("::ffff:10.0.0.1"));
}

TEST_F(ExecutorOrders, PortThatIsDownIsRefused) {
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.port_active = false; });
  EXPECT_EQ(RefusalOf(spec_).reason(), v1::REFUSAL_REASON_NO_DEVICE);
}

TEST_F(ExecutorOrders, UnknownDeviceIsRefused) {
  spec_.mutable_a()->set_rdma_device_id("rdma-gone");
  const auto refused = RefusalOf(spec_);
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_NO_DEVICE);
  EXPECT_EQ(refused.error(), ENODEV);
}

TEST_F(ExecutorOrders, QueuesDeeperThanTheDeviceHoldsAreRefused) {
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.capabilities.work_requests_per_queue = 4; });
  EXPECT_EQ(RefusalOf(spec_).reason(), v1::REFUSAL_REASON_RESOURCES);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) {
    a.capabilities.work_requests_per_queue = 4096;
    a.capabilities.completion_queue_entries = 4;
  });
  spec_.set_attempt(2);
  EXPECT_EQ(RefusalOf(spec_).reason(), v1::REFUSAL_REASON_RESOURCES);
}

TEST_F(ExecutorOrders, RefusedProbeAnswersRepeatsAndReleases) {
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.failing["register"] = ENOMEM; });
  RefusalOf(spec_);
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.failing.clear(); });
  EXPECT_TRUE(pair_.a.Prepare(spec_).has_probe_refused());
  EXPECT_EQ(pair_.a.Release(spec_).end_report().resources_left(), 0U);
  EXPECT_THAT(pair_.a.executor().UnacceptedReports(), IsEmpty());
}

TEST_F(ExecutorOrders, ReleaseThatComesBeforeTheRefusalIsAnsweredToo) {
  pair_.fabric->Change("rdma-a", [](Behaviour& a) {
    a.blocked = "register";
    a.failing["register"] = ENOMEM;
  });
  pair_.a.executor().Execute(pair_.a.PrepareOrder(spec_));
  pair_.fabric->AwaitBlocked();
  pair_.a.executor().Execute(pair_.a.ReleaseOrder(spec_));
  pair_.fabric->Unblock();
  EXPECT_TRUE(pair_.a.Next().has_probe_refused());
  EXPECT_EQ(EndOf(pair_.a).resources_left(), 0U);
}

class EveryCall : public ExecutorOrders, public ::testing::WithParamInterface<const char*> {};

TEST_P(EveryCall, FailedPreparationIsRefusedWithItsErrnoAndLeavesNothing) {
  const std::string call = GetParam();
  pair_.fabric->Change("rdma-a", [&](Behaviour& a) { a.failing[call] = EACCES; });
  const auto refused = RefusalOf(spec_);
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_DENIED);
  EXPECT_EQ(refused.error(), EACCES);
  EXPECT_EQ(refused.step(), "prepare");
  EXPECT_THAT(refused.detail(), HasSubstr(call));
}

TEST_P(EveryCall, StuckInTheKernelIsReportedAndItsDeviceTakesNothingElse) {
  const std::string call = GetParam();
  pair_.fabric->Change("rdma-a", [&](Behaviour& a) { a.blocked = call; });
  pair_.a.executor().Execute(pair_.a.PrepareOrder(spec_));
  pair_.fabric->AwaitBlocked();
  pair_.a.executor().Execute(pair_.a.ReleaseOrder(spec_));
  const v1::EndReport report = pair_.a.NextAfter(std::chrono::milliseconds(100)).end_report();
  EXPECT_GE(report.resources_left(), 1U);
  EXPECT_THAT(report.detail(), HasSubstr("stuck in the kernel while prepare"));

  v1::ProbeSpec other = spec_;
  other.set_probe_id("p2");
  EXPECT_EQ(pair_.a.Prepare(other).probe_refused().reason(), v1::REFUSAL_REASON_RESOURCES);
  pair_.fabric->Unblock();
  while (pair_.a.executor().live_sessions() > 0) std::this_thread::yield();
  EXPECT_EQ(pair_.fabric->objects(), 0U);
  other.set_probe_id("p3");
  EXPECT_TRUE(pair_.a.Prepare(other).has_probe_prepared());
}

INSTANTIATE_TEST_SUITE_P(OfPreparation, EveryCall,
                         ::testing::Values("open", "capabilities", "port", "gids", "register",
                                           "completion queue", "queue pair"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, ' ');
                           return name;
                         });

TEST_F(ExecutorOrders, FailedConnectIsRefusedAndEndsTheProbe) {
  pair_.a.Prepare(spec_);
  const auto peer = pair_.b.Prepare(spec_).probe_prepared().endpoint();
  pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.failing["connect"] = ETIMEDOUT; });
  const auto refused = pair_.a.Connect(spec_, peer).probe_refused();
  EXPECT_EQ(refused.step(), "connect");
  EXPECT_EQ(refused.error(), ETIMEDOUT);
  EXPECT_THAT(EndOf(pair_.a).detail(), HasSubstr("connecting failed"));
}

TEST_F(ExecutorOrders, PeerWithASmallerBufferIsRefused) {
  pair_.a.Prepare(spec_);
  auto peer = pair_.b.Prepare(spec_).probe_prepared().endpoint();
  peer.set_remote_bytes(4096);
  EXPECT_EQ(pair_.a.Connect(spec_, peer).probe_refused().error(), EINVAL);
  EndOf(pair_.a);
}

// How far the probe has come when its end comes from outside.
enum class Stage { kPrepared, kConnected, kArmed, kRunning };

class EveryStage : public ExecutorOrders, public ::testing::WithParamInterface<Stage> {
 protected:
  void Reach() {
    if (GetParam() == Stage::kRunning) {
      pair_.fabric->Change("rdma-a", [](Behaviour& a) { a.silent = true; });
    }
    if (GetParam() == Stage::kPrepared) {
      pair_.a.Prepare(spec_);
      pair_.b.Prepare(spec_);
      return;
    }
    ASSERT_TRUE(pair_.Connect(spec_));
    if (GetParam() == Stage::kConnected) return;
    pair_.b.Arm(spec_, 0);
    if (GetParam() == Stage::kArmed) return;
    pair_.a.executor().Execute(pair_.a.RunOrder(spec_, 0));
  }
  // A running phase is answered before the probe's end is.
  v1::EndReport EndOfRunning() {
    auto answer = pair_.a.Next();
    if (answer.has_phase_done()) {
      EXPECT_EQ(answer.phase_done().result().error(), ECANCELED);
      answer = pair_.a.Next();
    }
    EXPECT_TRUE(answer.has_end_report()) << answer.ShortDebugString();
    return answer.end_report();
  }
};

TEST_P(EveryStage, RemovedDeviceEndsItsSessions) {
  Reach();
  pair_.a.executor().NodeGone("uverbs-rdma-a");
  const v1::EndReport report = EndOfRunning();
  EXPECT_EQ(report.resources_left(), 0U);
  EXPECT_THAT(report.detail(), HasSubstr("device gone: uverbs-rdma-a"));
}

TEST_F(ExecutorOrders, RemovalOfAnotherDeviceEndsNothing) {
  pair_.a.Prepare(spec_);
  pair_.a.executor().NodeGone("uverbs-other");
  EXPECT_EQ(pair_.a.executor().live_sessions(), 1U);
  EXPECT_EQ(pair_.a.Release(spec_).end_report().detail(), "released");
}

TEST_P(EveryStage, LostLeaseEndsAllSessions) {
  Reach();
  pair_.a.executor().EndAll("lease lost");
  const v1::EndReport report = EndOfRunning();
  EXPECT_EQ(report.detail(), "lease lost");
  EXPECT_EQ(report.resources_left(), 0U);
}

TEST_P(EveryStage, SessionDeadlineEndsASessionThatNobodyReleases) {
  Reach();
  pair_.clock->Advance(std::chrono::seconds(31));
  EXPECT_EQ(EndOf(pair_.b).detail(), "session deadline");
}

TEST_P(EveryStage, StoppingAgentGivesEverythingBack) {
  Reach();
  pair_.a.Stop();
  const v1::EndReport report = EndOfRunning();
  EXPECT_EQ(report.detail(), "the agent stops");
  EXPECT_EQ(report.resources_left(), 0U);
}

std::string NameOf(const ::testing::TestParamInfo<Stage>& info) {
  constexpr const char* kNames[]{"Prepared", "Connected", "Armed", "Running"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(OfAProbe, EveryStage,
                         ::testing::Values(Stage::kPrepared, Stage::kConnected, Stage::kArmed,
                                           Stage::kRunning),
                         NameOf);

TEST_F(ExecutorOrders, ReportsAreKeptUntilTheyAreAccepted) {
  pair_.a.Prepare(spec_);
  EXPECT_THAT(pair_.a.executor().OpenProbes(), ElementsAre("p1/1"));
  pair_.a.executor().EndAll("stream closed");
  EndOf(pair_.a);
  ASSERT_EQ(pair_.a.executor().UnacceptedReports().size(), 1U);
  EXPECT_THAT(pair_.a.executor().OpenProbes(), ElementsAre("p1/1"));
  v1::EndReportAccepted accepted;
  accepted.set_probe_id("p1");
  accepted.set_attempt(1);
  pair_.a.executor().Accepted(accepted);
  EXPECT_THAT(pair_.a.executor().UnacceptedReports(), IsEmpty());
  EXPECT_THAT(pair_.a.executor().OpenProbes(), IsEmpty());
}

TEST_F(ExecutorOrders, OldestUnacceptedReportsAreDroppedWithACount) {
  for (uint32_t attempt = 1; attempt <= 70; ++attempt) {
    spec_.set_attempt(attempt);
    ASSERT_TRUE(pair_.a.Prepare(spec_).has_probe_prepared());
    ASSERT_TRUE(pair_.a.Release(spec_).has_end_report());
  }
  const auto kept = pair_.a.executor().UnacceptedReports();
  ASSERT_EQ(kept.size(), Executor::kMaxUnacceptedReports);
  EXPECT_EQ(kept.front().attempt(), 7U);
  EXPECT_EQ(pair_.a.executor().dropped_reports(), 6U);
}

TEST_F(ExecutorOrders, BusyAdapterTakesNoBandwidthProbe) {
  ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  pair_.a.use().Set(std::vector<QueuePairUser>{{.pid = 17, .name = "job", .type = "RC"}});
  const auto refused = RefusalOf(spec_);
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_BUSY);
  EXPECT_THAT(refused.detail(), HasSubstr("job (pid 17)"));

  spec_.set_attempt(2);
  spec_.set_busy_rule(v1::BUSY_RULE_IGNORE);
  EXPECT_TRUE(pair_.a.Prepare(spec_).has_probe_prepared());
}

TEST_F(ExecutorOrders, BusyAdapterStillTakesAFewMessages) {
  pair_.a.use().Set(std::vector<QueuePairUser>{{.pid = 17, .name = "job", .type = "RC"}});
  EXPECT_TRUE(pair_.a.Prepare(spec_).has_probe_prepared());
}

TEST_F(ExecutorOrders, UnknownUseCountsAsBusy) {
  ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_BANDWIDTH);
  pair_.a.use().Set(absl::PermissionDeniedError("no"));
  EXPECT_EQ(RefusalOf(spec_).reason(), v1::REFUSAL_REASON_BUSY);
}

v1::AgentProbeLimits TwoSmallSessions() {
  v1::AgentProbeLimits limits;
  limits.set_sessions(2);
  limits.set_memory_bytes(100 * 1024);
  return limits;
}

TEST(ExecutorLimits, SessionsAndMemoryAreCountedOverAllProbes) {
  ProbePair pair(TwoSmallSessions());
  v1::ProbeSpec spec = ProbePair::Spec();
  ProbePair::AddPhase(spec, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  EXPECT_TRUE(pair.a.Prepare(spec).has_probe_prepared());
  v1::ProbeSpec second = spec;
  second.set_probe_id("p2");
  auto refused = pair.a.Prepare(second).probe_refused();
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_LIMIT);
  EXPECT_THAT(refused.detail(), HasSubstr("memory"));

  second.set_probe_id("p3");
  second.set_buffer_bytes(32 * 1024);
  EXPECT_TRUE(pair.a.Prepare(second).has_probe_prepared());
  second.set_probe_id("p4");
  second.set_buffer_bytes(4096);
  refused = pair.a.Prepare(second).probe_refused();
  EXPECT_EQ(refused.reason(), v1::REFUSAL_REASON_LIMIT);
  EXPECT_THAT(refused.detail(), HasSubstr("2 sessions run"));

  // What ends makes room.
  pair.a.Release(spec);
  second.set_probe_id("p5");
  EXPECT_TRUE(pair.a.Prepare(second).has_probe_prepared());
}

TEST(ExecutorLimits, AgentThatTakesNoProbesRefusesThem) {
  v1::AgentProbeLimits limits;
  limits.set_enabled(false);
  ProbePair pair(limits);
  v1::ProbeSpec spec = ProbePair::Spec();
  ProbePair::AddPhase(spec, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
  EXPECT_EQ(pair.a.Prepare(spec).probe_refused().reason(), v1::REFUSAL_REASON_LIMIT);
  EXPECT_EQ(pair.a.executor().limits().sessions(), 0U);
}

}  // namespace
}  // namespace roceready::probe::testing
