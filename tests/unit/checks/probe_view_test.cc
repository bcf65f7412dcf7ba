// SPDX-License-Identifier: Apache-2.0
#include "checks/probe_view.h"

#include "proto/contract/latency_histogram.h"
#include "tests/unit/checks/audit.h"
#include "tests/unit/checks/rail_changes.h"

namespace roceready::checks {
namespace {

using builders::EndOf, builders::HostBuilder, builders::kLargeBytes, builders::kSmallBytes,
    builders::ProbeBuilder;
using ::testing::HasSubstr;

constexpr auto kWrite = v1::PROBE_OPERATION_WRITE;
constexpr auto kRead = v1::PROBE_OPERATION_READ;
constexpr auto kSideA = v1::PROBE_SIDE_A;
constexpr auto kSideB = v1::PROBE_SIDE_B;

class ProbeViewTest : public ::testing::Test {
 protected:
  ProbedPair View() { return ViewProbe(probe.Planned(), &probe.result()); }
  // The small phase measures latency with a timeout of 67 ms and finds these.
  void MeasuresLatency(v1::ProbeOperation operation, v1::ProbeSide active,
                       std::initializer_list<uint64_t> nanoseconds) {
    v1::ProbeSpec& spec = *probe.result().mutable_spec();
    spec.mutable_transport()->set_ack_timeout_exponent(14);
    v1::PhaseResult& side = probe.Active(operation, active, kSmallBytes);
    spec.mutable_phases(static_cast<int>(side.index()))->set_measure(v1::PROBE_MEASURE_LATENCY);
    LatencyHistogram histogram;
    for (const uint64_t value : nanoseconds) histogram.Record(value);
    *side.mutable_latency() = histogram.ToProto();
  }
  const VerbVerdict WriteFromA() { return *View().Find(Verb::kWrite, Path::kAToB); }

  HostBuilder host1{"host1", 1}, host2{"host2", 2};
  ProbeBuilder probe{EndOf(host1.facts()), EndOf(host2.facts())};
};

TEST_F(ProbeViewTest, PassesWhenEveryPhaseIsVerified) {
  for (const VerbVerdict& verdict : View().verbs) {
    EXPECT_EQ(verdict.status, v1::CHECK_STATUS_PASS) << verdict.text;
    EXPECT_TRUE(verdict.verified);
  }
}

TEST_F(ProbeViewTest, DoesNotTakeACompletionForAVerifiedPayload) {
  probe.Active(kWrite, kSideA, kLargeBytes).set_bytes_verified(0);

  EXPECT_EQ(WriteFromA().status, v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(WriteFromA().text, "done, but the payload was not verified");
}

TEST_F(ProbeViewTest, BlamesTheWayThereWhenNothingArrives) {
  probe.Fails(kWrite, kSideA, kSmallBytes, {.sent = 7, .repeats = 7}, {});

  EXPECT_EQ(WriteFromA().lost, Lost::kRequests);
  EXPECT_EQ(WriteFromA().lost_path, Path::kAToB);
  EXPECT_THAT(WriteFromA().text, HasSubstr("nothing from host1 arrives at host2"));
}

TEST_F(ProbeViewTest, BlamesTheWayBackWhenRequestsComeTwice) {
  probe.Fails(kWrite, kSideA, kSmallBytes, {.sent = 256, .repeats = 3},
              {.sent = 4, .received = 256, .duplicates = 192});

  EXPECT_EQ(WriteFromA().lost, Lost::kReplies);
  EXPECT_EQ(WriteFromA().lost_path, Path::kBToA);
}

TEST_F(ProbeViewTest, BlamesTheSenderThatSendsNothing) {
  probe.Fails(kWrite, kSideA, kSmallBytes, {}, {});

  EXPECT_EQ(WriteFromA().lost, Lost::kNotSent);
  EXPECT_THAT(WriteFromA().text, HasSubstr("host1 sent nothing"));
}

TEST_F(ProbeViewTest, BlamesNobodyWithoutCountersOfTheResponder) {
  probe.Fails(kWrite, kSideA, kSmallBytes, {.sent = 7, .repeats = 7}, {});
  v1::PortCounters& counters = *probe.Passive(kWrite, kSideA, kSmallBytes).mutable_counters(0);
  counters.mutable_reading()->set_outcome(v1::OUTCOME_TIMED_OUT);

  EXPECT_EQ(WriteFromA().lost, Lost::kUnknown);
  EXPECT_FALSE(WriteFromA().lost_path);
  EXPECT_THAT(WriteFromA().text, HasSubstr("cannot be told: no counters of host2"));
}

TEST_F(ProbeViewTest, BlamesNobodyWhenRequestsArriveAndAreNotRepeated) {
  probe.Fails(kWrite, kSideA, kSmallBytes, {.sent = 7, .repeats = 7}, {.received = 3});

  EXPECT_EQ(WriteFromA().lost, Lost::kUnknown);
}

TEST_F(ProbeViewTest, TakesNoOtherErrorForLoss) {
  probe.Fails(kWrite, kSideA, kSmallBytes, {.sent = 7}, {});
  v1::CompletionError& error =
      *probe.Active(kWrite, kSideA, kSmallBytes).mutable_completion_error();
  error.set_status(10);
  error.set_status_name("IBV_WC_REM_ACCESS_ERR");

  EXPECT_EQ(WriteFromA().lost, Lost::kNothing);
  EXPECT_EQ(WriteFromA().text, "WRITE of 64 bytes failed, status 10 IBV_WC_REM_ACCESS_ERR");
}

TEST_F(ProbeViewTest, DoesNotBlameTheFabricForAHostsOwnError) {
  v1::PhaseResult& side = probe.Active(kWrite, kSideA, kSmallBytes);
  side.set_outcome(v1::PHASE_OUTCOME_LOCAL_ERROR);
  side.set_detail("ibv_post_send: Cannot allocate memory");

  EXPECT_EQ(WriteFromA().status, v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(WriteFromA().text, "host1 could not run it: ibv_post_send: Cannot allocate memory");
}

TEST_F(ProbeViewTest, NamesTheAgentThatIsLost) {
  probe.result().clear_a();
  probe.result().set_detail("its stream closed");

  EXPECT_EQ(WriteFromA().text, "agent lost on host1: its stream closed");
}

TEST_F(ProbeViewTest, SaysOnlyOnceThatAnAgentIsLost) {
  probe.result().clear_a();
  probe.result().set_detail("agent lost on host1: its stream closed");

  EXPECT_EQ(WriteFromA().text, "agent lost on host1: its stream closed");
}

TEST_F(ProbeViewTest, DoesNotBlameTheFabricForAStepWithoutAnAnswer) {
  probe.result().set_failed_step("connect");
  probe.result().set_detail("no answer from host2 to connect");
  probe.result().mutable_a()->clear_phases();
  probe.result().mutable_b()->clear_phases();

  EXPECT_EQ(WriteFromA().status, v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(WriteFromA().text, "stopped at connect: no answer from host2 to connect");
}

TEST_F(ProbeViewTest, NamesWhoRefusedAndWhy) {
  probe.result().set_refusal(v1::REFUSAL_REASON_BUSY);
  probe.result().set_refused_by(kSideB);
  probe.result().set_detail("process python3 has 12 queue pairs");

  EXPECT_EQ(WriteFromA().text, "refused by host2, BUSY: process python3 has 12 queue pairs");
}

TEST_F(ProbeViewTest, SaysWhyAPairWasNotProbed) {
  PlannedProbe planned = probe.Planned();
  planned.missing_reason = "out of budget";

  const ProbedPair view = ViewProbe(planned, nullptr);

  EXPECT_EQ(view.Find(Verb::kRead, Path::kBToA)->text, "out of budget");
}

TEST_F(ProbeViewTest, FindsNoBlackHoleWhereSmallMessagesFailToo) {
  probe.DropsFromAToB();

  EXPECT_EQ(View().black_holes[0].status, v1::CHECK_STATUS_UNSPECIFIED);
}

TEST_F(ProbeViewTest, FindsNoBlackHoleWhereSomeLargeMessagesPass) {
  probe.Fails(kWrite, kSideA, kLargeBytes, {.sent = 90}, {.received = 70, .gaps = 3});
  probe.Active(kWrite, kSideA, kLargeBytes).set_bytes_moved(14 * kLargeBytes);

  EXPECT_NE(View().black_holes[0].status, v1::CHECK_STATUS_FAIL);
}

TEST_F(ProbeViewTest, FindsTheBlackHoleOnTheWayOfAReadsReplies) {
  probe.Fails(kRead, kSideA, kLargeBytes, {.sent = 8},
              {.sent = 700, .received = 8, .duplicates = 7});

  EXPECT_EQ(View().black_holes[1].status, v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(View().black_holes[0].status, v1::CHECK_STATUS_PASS);
}

// What 5 % of loss towards host2 looks like where a transfer of 64 KiB is given up at last.
TEST_F(ProbeViewTest, FindsNoBlackHoleWhereFullPacketsArrive) {
  probe.Fails(kWrite, kSideA, kLargeBytes, {.sent = 120, .repeats = 7},
              {.received = 110, .gaps = 6});
  probe.Fails(kRead, kSideB, kLargeBytes, {.sent = 8, .received = 97},
              {.sent = 700, .received = 8, .duplicates = 7});

  const ProbedPair view = View();

  EXPECT_NE(view.black_holes[0].status, v1::CHECK_STATUS_FAIL);
  EXPECT_TRUE(view.Find(Verb::kWrite, Path::kAToB)->given_up);
  EXPECT_TRUE(view.Find(Verb::kRead, Path::kBToA)->given_up);
  EXPECT_EQ(view.losses[0].events, 6u + 1u);
}

TEST_F(ProbeViewTest, FindsNoBlackHoleWhereALargeWriteCameTwice) {
  probe.Fails(kWrite, kSideA, kLargeBytes, {.sent = 120, .repeats = 7},
              {.gaps = 1, .duplicates = 16});

  EXPECT_NE(View().black_holes[0].status, v1::CHECK_STATUS_FAIL);
}

TEST_F(ProbeViewTest, FindsTheBlackHoleBehindAFewStrayPackets) {
  probe.SwallowsLargeFromAToB();
  probe.Fails(kWrite, kSideA, kLargeBytes, {.sent = 700, .repeats = 7}, {.received = 2});

  EXPECT_EQ(View().black_holes[0].status, v1::CHECK_STATUS_FAIL);
}

TEST_F(ProbeViewTest, BlamesTheWayThereWhereGapsAndDuplicatesAreSeen) {
  probe.Fails(kWrite, kSideA, kLargeBytes, {.sent = 120, .repeats = 7},
              {.received = 110, .gaps = 6, .duplicates = 30});

  EXPECT_EQ(WriteFromA().lost_path, Path::kAToB);
}

TEST_F(ProbeViewTest, CallsAWayThatNothingComesThroughNotLossy) {
  probe.DropsFromAToB();

  for (const VerbVerdict& verdict : View().verbs) EXPECT_FALSE(verdict.given_up);
}

TEST_F(ProbeViewTest, StatesTheLossThatItWouldHaveNoticed) {
  const PathLoss loss = View().losses[0];

  // 100 messages of 16 packets and 100 of one, WRITE there and READ back.
  EXPECT_EQ(loss.packets, 3400u);
  EXPECT_EQ(loss.events, 0u);
  EXPECT_DOUBLE_EQ(loss.UpperBound(), 3.0 / 3400);
}

TEST_F(ProbeViewTest, ChargesReadRepliesToTheWayTheyTake) {
  probe.Counts(kRead, kSideA, kLargeBytes, {.sent = 120, .received = 1600, .repeats = 3},
               {.sent = 1700, .received = 120, .duplicates = 5});

  EXPECT_EQ(View().losses[1].events, 3u);
  EXPECT_EQ(View().losses[0].events, 0u);
}

TEST_F(ProbeViewTest, ChargesARepeatThatNobodySawTwiceToTheRequest) {
  probe.Counts(kRead, kSideB, kSmallBytes, {.sent = 101, .received = 100, .repeats = 1},
               {.sent = 100, .received = 100});

  EXPECT_EQ(View().losses[1].events, 1u);
  EXPECT_EQ(View().losses[0].events, 0u);
}

TEST_F(ProbeViewTest, LeavesOpenWhatDuplicatesOfAWriteMean) {
  probe.Counts(kWrite, kSideA, kLargeBytes, {.sent = 1632, .repeats = 2},
               {.received = 1632, .duplicates = 32});

  EXPECT_EQ(View().losses[0].ambiguous, 2u);
  EXPECT_EQ(View().losses[0].events, 0u);
  EXPECT_EQ(View().losses[1].events, 0u);
}

TEST_F(ProbeViewTest, TakesARepeatThatNobodyWaitedForAsAStrayTimer) {
  MeasuresLatency(kWrite, kSideA, {500'000, 700'000});
  probe.Counts(kWrite, kSideA, kSmallBytes, {.sent = 101, .repeats = 1},
               {.received = 101, .duplicates = 1});
  MeasuresLatency(kRead, kSideB, {500'000, 700'000});
  probe.Counts(kRead, kSideB, kSmallBytes, {.sent = 101, .repeats = 1},
               {.received = 101, .duplicates = 1});

  for (const PathLoss& loss : View().losses) {
    EXPECT_TRUE(loss.counted);
    EXPECT_EQ(loss.events + loss.ambiguous, 0u);
    EXPECT_TRUE(loss.evidence.empty());
  }
}

TEST_F(ProbeViewTest, CountsAsManyRepeatsAsMessagesWaitedForTheTimer) {
  // Exponent 14 is 67 ms.
  MeasuresLatency(kRead, kSideA, {500'000, 40'000'000, 67'000'000});
  probe.Counts(kRead, kSideA, kSmallBytes, {.sent = 103, .repeats = 3},
               {.received = 103, .duplicates = 3});

  EXPECT_EQ(View().losses[1].events, 2u);
}

TEST_F(ProbeViewTest, CountsGapsWhateverTheLatencies) {
  MeasuresLatency(kWrite, kSideA, {500'000});
  probe.Counts(kWrite, kSideA, kSmallBytes, {.sent = 101, .repeats = 1},
               {.received = 101, .gaps = 1});

  EXPECT_EQ(View().losses[0].events, 1u);
}

TEST_F(ProbeViewTest, CountsNothingWithoutCounters) {
  for (const uint32_t bytes : {kSmallBytes, kLargeBytes}) {
    probe.Passive(kWrite, kSideA, bytes).clear_counters();
    probe.Passive(kRead, kSideB, bytes).clear_counters();
  }

  EXPECT_FALSE(View().losses[0].counted);
  EXPECT_EQ(View().losses[0].unknown, "no sequence counters of host1");
}

TEST(ProbedPairs, AreUnknownWhereAPlannedOneHasNoResult) {
  AuditOf audit = HealthyLab();
  ProbeBuilder probe(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  audit.fleet.probes.asked = true;
  audit.fleet.probes.planned.push_back(probe.Planned());
  audit.fleet.probes.planned[0].missing_reason = "out of budget";

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(report.verdict().coverage().pairs_planned(), 1u);
  EXPECT_EQ(report.verdict().coverage().pairs_probed(), 0u);
  EXPECT_EQ(report.verdict().blocking_unknown(), 1u);
}

TEST(ProbedPairs, OfTheSamePortsInTwoSubnetsAreTwo) {
  AuditOf audit = HealthyLab();
  ProbeBuilder untagged(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  ProbeBuilder on_vlan(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  on_vlan.result().mutable_spec()->set_probe_id("on the VLAN");

  const v1::AuditReport report = audit.Probed(untagged).Probed(on_vlan).Report();
  EXPECT_EQ(TallyOf(report, "probe.write").pass(), 4u);
  EXPECT_EQ(TallyOf(report, "probe.write").unknown(), 0u);

  // A failure of one is not lost behind the other.
  untagged.DropsFromAToB();
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(ProbedPairs, AreJudgedByTheLastAttempt) {
  AuditOf audit = HealthyLab();
  ProbeBuilder first(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  ProbeBuilder second(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  second.result().mutable_spec()->set_attempt(2);
  first.DropsFromAToB();
  audit.Probed(first);
  for (const bool reversed : {false, true}) {
    auto& results = audit.fleet.probes.results;
    results = {&first.result(), &second.result()};
    if (reversed) std::swap(results.front(), results.back());
    const v1::AuditReport report = audit.Report();
    EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY) << reversed;
    EXPECT_EQ(TallyOf(report, "probe.write").pass(), 2u) << reversed;
  }
}

TEST(ProbedPairs, AreUnknownWhereProbesWereAskedForAndNoRailIsShared) {
  AuditOf audit({HostBuilder("host1", 1), HostBuilder("host2", 2)});
  RouteEachCable(audit.hosts);
  audit.fleet.probes.asked = true;

  EXPECT_THAT(RootsOf(audit.Report()), ::testing::ElementsAre("UNKNOWN probe.write all hosts"));
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_UNDETERMINED);
}

TEST(ProbedPairs, OfASingleHostAreNoneAndNoFault) {
  AuditOf audit({HostBuilder("host1", 1)});
  audit.fleet.probes.asked = true;

  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(audit.Report().verdict().coverage().not_audited(),
              ::testing::Contains("transfers (no pair to probe)"));
}

TEST(ProbedPairs, CountInTheCoverage) {
  AuditOf audit = HealthyLab();
  ProbeBuilder first(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  ProbeBuilder second(EndOf(audit.host(1).facts()), EndOf(audit.host(2).facts()));

  const v1::AuditReport report = audit.Probed(first).Probed(second).Report();
  const v1::Coverage& coverage = report.verdict().coverage();

  EXPECT_EQ(coverage.pairs_possible(), 3u);
  EXPECT_EQ(coverage.pairs_planned(), 2u);
  EXPECT_EQ(coverage.pairs_probed(), 2u);
  EXPECT_EQ(coverage.writes_verified(), 4u);
  EXPECT_EQ(coverage.reads_verified(), 4u);
  EXPECT_NEAR(coverage.loss_below_percent(), 100 * 3.0 / 3400, 1e-9);
}

TEST(HostsBlocked, AreTheHostThatMostPairsHaveInCommon) {
  AuditOf audit = HealthyLab();
  ProbeBuilder first(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  ProbeBuilder second(EndOf(audit.host(2).facts()), EndOf(audit.host(1).facts()));
  first.DropsFromAToB();
  second.DropsFromAToB();

  EXPECT_THAT(audit.Probed(first).Probed(second).Report().verdict().hosts_blocked(),
              ::testing::ElementsAre("host2"));
}

TEST(HostsBlocked, AreBothEndsWhereNothingTellsThemApart) {
  AuditOf audit = HealthyLab();
  ProbeBuilder first(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  first.DropsFromAToB();

  EXPECT_THAT(audit.Probed(first).Report().verdict().hosts_blocked(),
              ::testing::ElementsAre("host1", "host2"));
}

TEST(BothWaysDead, AreTwoRootCauses) {
  AuditOf audit = HealthyLab();
  ProbeBuilder probe(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  for (const auto operation : {kWrite, kRead}) {
    for (const auto side : {kSideA, kSideB}) {
      for (const uint32_t bytes : {kSmallBytes, kLargeBytes}) {
        probe.Fails(operation, side, bytes, {.sent = 7, .repeats = 7}, {});
      }
    }
  }

  const v1::AuditReport report = audit.Probed(probe).Report();

  EXPECT_THAT(RootsOf(report), ::testing::UnorderedElementsAre("FAIL probe.write host1>host2",
                                                               "FAIL probe.write host2>host1"));
}

TEST(SmallMtuAndADeadWay, AreTwoRootCauses) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithMtu(1500, 1024);
  ProbeBuilder probe(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  probe.DropsFromAToB();

  EXPECT_THAT(
      RootsOf(audit.Probed(probe).Report()),
      ::testing::UnorderedElementsAre("FAIL mtu.netdev host2", "FAIL probe.write host1>host2"));
}

}  // namespace
}  // namespace roceready::checks
