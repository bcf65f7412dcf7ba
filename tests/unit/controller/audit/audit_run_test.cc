// SPDX-License-Identifier: Apache-2.0
// One audit after another, on a controller in memory: what each state waits for, and each way an
// audit ends.
#include "controller/audit/audit_run.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "proto/contract/host_list.h"
#include "tests/support/controller_world.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class AuditRunTest : public testing::Test {
 protected:
  std::shared_ptr<AuditRun> Start(const v1::CreateAuditRequest& request) {
    auto audit = world_.Create(request, ExpandHostList(request.hosts()).value());
    EXPECT_TRUE(audit.ok()) << audit.status();
    return *audit;
  }

  void Finish(const std::shared_ptr<AuditRun>& audit) {
    for (int i = 0; i < 3000 && !audit->ended(); ++i) world_.Pass(milliseconds(100));
    ASSERT_TRUE(audit->ended()) << v1::AuditState_Name(audit->audit().state());
  }

  void ConnectThree() {
    for (std::uint32_t number : {1, 2, 3}) world_.Connect(fmt::format("h{}", number), number);
  }

  static std::vector<v1::AuditState> StatesOf(AuditRun& audit) {
    std::vector<v1::AuditState> states;
    for (const auto& event : audit.log().Read(0, 100'000).events) {
      if (states.empty() || states.back() != event.state()) states.push_back(event.state());
    }
    return states;
  }

  static std::vector<std::string> FindingsOf(const AuditRun& audit, v1::CheckStatus status) {
    std::vector<std::string> keys;
    for (const v1::Finding& finding : audit.findings()) {
      if (finding.status() == status) keys.push_back(finding.key());
    }
    return keys;
  }

  static const v1::Host* SilentRow(const AuditRun& audit, const std::string& host) {
    for (const v1::Host& row : audit.audit().silent_hosts()) {
      if (row.host() == host) return &row;
    }
    return nullptr;
  }

  ControllerWorld world_;
};

TEST_F(AuditRunTest, HealthyHostsAreReadyAfterSixVerifiedOrderedPairs) {
  ConnectThree();
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  const v1::Verdict& verdict = audit->audit().verdict();
  EXPECT_EQ(verdict.readiness(), v1::READINESS_READY)
      << testing::PrintToString(FindingsOf(*audit, v1::CHECK_STATUS_FAIL));
  EXPECT_EQ(verdict.coverage().writes_verified(), 6u);
  EXPECT_EQ(verdict.coverage().reads_verified(), 6u);
  EXPECT_THAT(audit->probe_results(), SizeIs(3));
  EXPECT_EQ(audit->audit().progress().probes_done(), 3u);
  EXPECT_EQ(audit->audit().progress().hosts_done(), 3u);
  EXPECT_THAT(audit->audit().silent_hosts(), IsEmpty());
  EXPECT_THAT(StatesOf(*audit),
              ElementsAre(v1::AUDIT_STATE_QUEUED, v1::AUDIT_STATE_REFRESHING,
                          v1::AUDIT_STATE_PROBING, v1::AUDIT_STATE_JUDGING, v1::AUDIT_STATE_DONE));
}

TEST_F(AuditRunTest, JudgesFactsReadAfterItWasAsked) {
  FakeAgent* h1 = world_.Connect("h1", 1);
  builders::HostBuilder broken("h1", 1);
  broken.WithPfc({});
  h1->facts = broken.facts();  // changed on the host, not pushed
  h1->facts.mutable_identity()->set_host("h1");
  const auto audit = Start(ControllerWorld::Ask("h1", v1::PLAN_KIND_NONE));
  Finish(audit);
  EXPECT_THAT(FindingsOf(*audit, v1::CHECK_STATUS_FAIL),
              Contains(HasSubstr("pfc.lossless-priority")));
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST_F(AuditRunTest, FactsYoungEnoughAreNotReadAgain) {
  FakeAgent* h1 = world_.Connect("h1", 1);
  world_.Pass(seconds(10));
  h1->answers_facts = false;
  auto request = ControllerWorld::Ask("h1", v1::PLAN_KIND_NONE);
  request.mutable_max_fact_age()->set_seconds(30);
  const auto audit = Start(request);
  world_.Pass(milliseconds(10));
  EXPECT_TRUE(audit->ended());
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_READY);
}

TEST_F(AuditRunTest, AHostTooLateIsJudgedOnWhatIsThereAndNamed) {
  ConnectThree();
  world_.Pass(seconds(10));
  world_.agents["h2"]->answers_facts = false;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]", v1::PLAN_KIND_NONE));
  world_.Pass(milliseconds(4900));
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_REFRESHING);
  EXPECT_EQ(audit->audit().progress().hosts_done(), 2u);
  Finish(audit);
  ASSERT_NE(SilentRow(*audit, "h2"), nullptr);
  EXPECT_EQ(SilentRow(*audit, "h2")->state(), v1::HOST_STATE_STALE);
  EXPECT_THAT(SilentRow(*audit, "h2")->state_reason(), HasSubstr("no fresh facts in time"));
  EXPECT_GE(SilentRow(*audit, "h2")->fact_age().seconds(), 10);
  EXPECT_EQ(audit->audit().silent_hosts_size(), 1);
  EXPECT_THAT(FindingsOf(*audit, v1::CHECK_STATUS_UNKNOWN),
              Contains(AllOf(HasSubstr("host.heard-from"), HasSubstr("h2"))));
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_UNDETERMINED)
      << "what was not read again is not known to be still so";
}

TEST_F(AuditRunTest, AHostThatIsSetAsideIsNeitherAskedNorProbedNorJudged) {
  ConnectThree();
  world_.agents["h2"]->answers_facts = false;
  v1::SetMaintenanceRequest request;
  request.set_hosts("h2,never-heard-of");
  request.set_reason("new optics");
  request.mutable_duration()->set_seconds(3600);
  const WallTime now = world_.clock.Wall();
  world_.fleet.maintenance().Put(*world_.fleet.maintenance().MarksOf(request, "ann", now), now);

  const auto audit = Start(ControllerWorld::Ask("h[1-3],never-heard-of"));
  Finish(audit);
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_READY);
  const v1::Coverage& coverage = audit->audit().verdict().coverage();
  EXPECT_THAT(coverage.hosts_in_maintenance(), ElementsAre("h2", "never-heard-of"));
  EXPECT_EQ(coverage.hosts_judged(), 2u);
  EXPECT_EQ(coverage.pairs_planned(), 1u) << "h1 with h3";
  EXPECT_THAT(audit->audit().silent_hosts(), IsEmpty());
  EXPECT_EQ(world_.agents["h2"]->Count(v1::ConnectResponse::kPrepareProbe), 0u);
}

TEST_F(AuditRunTest, AHostNeverHeardOfIsARowAndTheOthersAreAudited) {
  ConnectThree();
  const auto audit = Start(ControllerWorld::Ask("h[1-3],nobody"));
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_UNDETERMINED);
  ASSERT_NE(SilentRow(*audit, "nobody"), nullptr);
  EXPECT_EQ(SilentRow(*audit, "nobody")->state(), v1::HOST_STATE_UNKNOWN);
  EXPECT_THAT(audit->probe_results(), SizeIs(3));
  EXPECT_EQ(audit->audit().verdict().coverage().writes_verified(), 6u);
}

TEST_F(AuditRunTest, PairsOfASilentHostArePlannedAndUnknown) {
  ConnectThree();
  world_.agents["h2"]->HangUp();
  world_.Pass(seconds(1));
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);
  const v1::Coverage& coverage = audit->audit().verdict().coverage();
  EXPECT_GT(coverage.pairs_planned(), coverage.pairs_probed());
  EXPECT_THAT(audit->probe_results(), SizeIs(1)) << "h3 with h1";
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(FindingsOf(*audit, v1::CHECK_STATUS_FAIL), IsEmpty());
}

TEST_F(AuditRunTest, AnAgentKilledDuringItsProbeIsUnknownNotAFault) {
  ConnectThree();
  world_.agents["h2"]->reactions[ProbeStep::kRun] = Reaction::kHangUp;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);
  EXPECT_THAT(FindingsOf(*audit, v1::CHECK_STATUS_FAIL), IsEmpty());
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_UNDETERMINED);
  std::string reasons;
  for (const v1::Finding& finding : audit->findings()) reasons += finding.reason() + "\n";
  EXPECT_THAT(reasons, HasSubstr("agent lost on h2"));
}

TEST_F(AuditRunTest, FindingsAreShownBeforeTheProbesEnd) {
  ConnectThree();
  world_.agents["h1"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  builders::HostBuilder broken("h2", 2);
  broken.WithPfc({});
  world_.agents["h2"]->facts = broken.facts();
  world_.agents["h2"]->facts.mutable_identity()->set_host("h2");
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  world_.Pass(milliseconds(500));
  ASSERT_EQ(audit->audit().state(), v1::AUDIT_STATE_PROBING);
  bool shown = false;
  for (const auto& event : audit->log().Read(0, 1000).events) {
    shown |= event.finding().check_id() == "pfc.lossless-priority" &&
             event.finding().status() == v1::CHECK_STATUS_FAIL;
  }
  EXPECT_TRUE(shown);
}

TEST_F(AuditRunTest, TheLastEventHasTheFinalStateAndTheVerdict) {
  ConnectThree();
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);
  const auto batch = audit->log().Read(0, 100'000);
  ASSERT_TRUE(batch.end);
  EXPECT_EQ(batch.events.back().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(batch.events.back().verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(std::count_if(batch.events.begin(), batch.events.end(),
                          [](const auto& event) { return event.has_verdict(); }),
            1);
}

TEST_F(AuditRunTest, CancelDuringRefreshEndsWithThePartialReport) {
  ConnectThree();
  world_.agents["h2"]->answers_facts = false;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  world_.Pass(milliseconds(100));
  audit->Cancel("wrong hosts");
  world_.Pass(milliseconds(100));
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_CANCELLED);
  EXPECT_EQ(audit->audit().abort_reason(), "cancelled: wrong hosts");
  EXPECT_TRUE(audit->audit().has_verdict());
  EXPECT_THAT(audit->probe_results(), IsEmpty());
}

TEST_F(AuditRunTest, CancelDuringProbesReleasesThem) {
  ConnectThree();
  world_.agents["h1"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  world_.Pass(milliseconds(500));
  ASSERT_EQ(audit->audit().state(), v1::AUDIT_STATE_PROBING);
  audit->Cancel("");
  world_.Pass(milliseconds(100));
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_CANCELLED);
  EXPECT_NE(audit->audit().verdict().readiness(), v1::READINESS_READY);
  for (const auto& [host, agent] : world_.agents) EXPECT_EQ(agent->open_probes(), 0u) << host;
  EXPECT_THAT(world_.prober.BusyAdapters(), IsEmpty());
}

TEST_F(AuditRunTest, StoppedProbesAreReleasedAtOnceAndWhatWasMeasuredIsKept) {
  ConnectThree();
  world_.agents["h3"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  // Of the ring of three h1 and h2 are measured; h3 is at its first pair, and its second one waits.
  world_.Pass(milliseconds(500));
  ASSERT_THAT(audit->probe_results(), SizeIs(1));
  ASSERT_EQ(world_.prober.running_pairs(), 1u);

  bool over = false;
  const auto stop = audit->StopProbes("probes stopped by alice: storm", [&over] { over = true; });
  EXPECT_TRUE(stop.stopped);
  EXPECT_EQ(stop.pairs.ended, 1u);
  EXPECT_EQ(stop.pairs.not_begun, 1u);
  EXPECT_FALSE(over) << "the two ends have not answered";
  world_.Pass(milliseconds(10));
  EXPECT_TRUE(over);
  for (const auto& [host, agent] : world_.agents) {
    EXPECT_EQ(agent->open_probes(), 0u) << host;
    for (const v1::ConnectResponse& order : agent->Received(v1::ConnectResponse::kReleaseProbe)) {
      const std::string& reason = order.release_probe().reason();
      EXPECT_TRUE(reason == "probes stopped by alice: storm" || reason == "all phases were run");
    }
  }

  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_CANCELLED);
  EXPECT_EQ(audit->audit().abort_reason(), "probes stopped by alice: storm");
  EXPECT_THAT(audit->probe_results(), SizeIs(2)) << "one whole, one that was ended";
  EXPECT_NE(audit->audit().verdict().readiness(), v1::READINESS_READY) << "a pair was not probed";
  const auto unprobed = std::ranges::count_if(audit->findings(), [](const v1::Finding& finding) {
    return finding.check_id() == "probe.write" && finding.status() == v1::CHECK_STATUS_UNKNOWN &&
           finding.reason() == "probes stopped by alice: storm" && finding.evidence().empty();
  });
  EXPECT_EQ(unprobed, 2) << "both ways of the pair that did not begin";
}

TEST_F(AuditRunTest, ProbesThatAreStoppedBeforeTheyBeginNeverDo) {
  ConnectThree();
  world_.agents["h2"]->answers_facts = false;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  world_.Pass(milliseconds(100));
  ASSERT_EQ(audit->audit().state(), v1::AUDIT_STATE_REFRESHING);
  bool over = false;
  EXPECT_TRUE(audit->StopProbes("probes stopped by alice", [&over] { over = true; }).stopped);
  EXPECT_TRUE(over);
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_CANCELLED);
  for (const auto& [host, agent] : world_.agents) {
    EXPECT_EQ(agent->Count(v1::ConnectResponse::kPrepareProbe), 0u) << host;
  }
}

TEST_F(AuditRunTest, AStopOfProbesLeavesAnAuditWithoutThemAlone) {
  world_.Connect("h1", 1)->answers_facts = false;
  const auto audit = Start(ControllerWorld::Ask("h1", v1::PLAN_KIND_NONE));
  world_.Pass(milliseconds(100));
  bool over = false;
  EXPECT_FALSE(audit->StopProbes("probes stopped", [&over] { over = true; }).stopped);
  EXPECT_TRUE(over);
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
}

TEST_F(AuditRunTest, AStopDuringACancelWaitsForThePairsToo) {
  ConnectThree();
  world_.agents["h1"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  world_.Pass(milliseconds(500));
  ASSERT_EQ(audit->audit().state(), v1::AUDIT_STATE_PROBING);
  audit->Cancel("wrong hosts");
  bool over = false;
  EXPECT_FALSE(audit->StopProbes("probes stopped", [&over] { over = true; }).stopped);
  EXPECT_FALSE(over);
  world_.Pass(milliseconds(100));
  EXPECT_TRUE(over);
  EXPECT_EQ(audit->audit().abort_reason(), "cancelled: wrong hosts") << "it came first";
}

TEST_F(AuditRunTest, CancelAfterTheEndChangesNothing) {
  world_.Connect("h1", 1);
  const auto audit = Start(ControllerWorld::Ask("h1", v1::PLAN_KIND_NONE));
  Finish(audit);
  audit->Cancel("too late");
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(audit->audit().abort_reason(), "");
}

TEST_F(AuditRunTest, OutOfTimeIsAbortedWithThePartialReport) {
  ConnectThree();
  for (auto& [host, agent] : world_.agents) {
    agent->reactions[ProbeStep::kRun] = Reaction::kSilent;
  }
  auto request = ControllerWorld::Ask("h[1-3]");
  request.mutable_timeout()->set_seconds(3);
  const auto audit = Start(request);
  world_.Pass(milliseconds(3500));
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_ABORTED);
  EXPECT_EQ(audit->audit().abort_reason(), "out of time after 3 s");
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_UNDETERMINED);
}

TEST_F(AuditRunTest, PairsBeyondTheProbeBudgetAreUnknown) {
  ConnectThree();
  for (auto& [host, agent] : world_.agents) {
    agent->reactions[ProbeStep::kRun] = Reaction::kSilent;
  }
  auto request = ControllerWorld::Ask("h[1-3]");
  request.mutable_plan()->mutable_budget()->set_seconds(1);
  const auto audit = Start(request);
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_THAT(audit->probe_results(), SizeIs(1)) << "the one that had begun";
  std::string reasons;
  for (const v1::Finding& finding : audit->findings()) reasons += finding.reason() + "\n";
  EXPECT_THAT(reasons, HasSubstr("the budget for probes (1 s) was used up"));
}

std::string NotesOf(AuditRun& audit) {
  std::string notes;
  for (const auto& event : audit.log().Read(0, 100'000).events) notes += event.note() + "\n";
  return notes;
}

TEST_F(AuditRunTest, AFullPlanProbesEveryPair) {
  for (std::uint32_t i = 1; i <= 5; ++i) world_.Connect(fmt::format("h{}", i), i);
  const auto audit = Start(ControllerWorld::Ask("h[1-5]", v1::PLAN_KIND_FULL));
  Finish(audit);
  const v1::Coverage& coverage = audit->audit().verdict().coverage();
  EXPECT_EQ(coverage.pairs_possible(), 10u);
  EXPECT_EQ(coverage.pairs_planned(), 10u);
  EXPECT_EQ(coverage.pairs_probed(), 10u);
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(NotesOf(*audit), HasSubstr("plan full: 10 of 10 possible pairs in 5 rounds"));
}

TEST_F(AuditRunTest, ABudgetWithoutAPlanTakesTheLargestThatFits) {
  for (std::uint32_t i = 1; i <= 12; ++i) world_.Connect(fmt::format("h{}", i), i);
  auto request = ControllerWorld::Ask("h[1-12]", v1::PLAN_KIND_UNSPECIFIED);
  request.mutable_plan()->mutable_budget()->set_seconds(30);
  const auto audit = Start(request);
  Finish(audit);
  const v1::Coverage& coverage = audit->audit().verdict().coverage();
  EXPECT_EQ(coverage.pairs_possible(), 66u);
  EXPECT_GT(coverage.pairs_planned(), 12u);
  EXPECT_LT(coverage.pairs_planned(), 66u);
  EXPECT_EQ(coverage.pairs_probed(), coverage.pairs_planned());
  EXPECT_THAT(NotesOf(*audit), HasSubstr("plan sparse:"));
}

TEST_F(AuditRunTest, HostsThatVanishInAFullPlanLoseNoPair) {
  for (std::uint32_t i = 1; i <= 6; ++i) world_.Connect(fmt::format("h{}", i), i);
  world_.agents["h2"]->reactions[ProbeStep::kRun] = Reaction::kHangUp;
  world_.agents["h5"]->reactions[ProbeStep::kConnect] = Reaction::kHangUp;
  const auto audit = Start(ControllerWorld::Ask("h[1-6]", v1::PLAN_KIND_FULL));
  Finish(audit);
  const v1::Coverage& coverage = audit->audit().verdict().coverage();
  EXPECT_EQ(coverage.pairs_planned(), 15u);
  EXPECT_EQ(coverage.pairs_probed(), 6u) << "of the four hosts that stayed";
  EXPECT_THAT(audit->probe_results(), SizeIs(15));
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(FindingsOf(*audit, v1::CHECK_STATUS_FAIL), IsEmpty());
}

TEST_F(AuditRunTest, ABudgetAsLongAsTheAuditLeavesTimeForTheLastPairs) {
  ConnectThree();
  // Pairs end by the limits of their steps alone.
  for (auto& [host, agent] : world_.agents) agent->reactions[ProbeStep::kRun] = Reaction::kSilent;
  auto request = ControllerWorld::Ask("h[1-3]");
  request.mutable_plan()->mutable_budget()->set_seconds(40);
  request.mutable_timeout()->set_seconds(40);
  const auto audit = Start(request);
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE) << audit->audit().abort_reason();
}

TEST_F(AuditRunTest, TwoMachinesOfOneNameAreAFinding) {
  ConnectThree();
  FakeAgent clone(&world_.loop, &world_.fleet, "h2");
  clone.machine_id = "a cloned image";
  clone.Connect();
  world_.Pass(seconds(6));
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);
  EXPECT_THAT(FindingsOf(*audit, v1::CHECK_STATUS_FAIL),
              Contains(HasSubstr("fleet.duplicate-host host=h2")));
}

TEST_F(AuditRunTest, AfterItsProbesCountersAreReadSoThatCleanWindowsBegin) {
  ConnectThree();
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);
  world_.Pass(milliseconds(100));
  for (const auto& [host, agent] : world_.agents) {
    EXPECT_TRUE(
        agent->Received(v1::ConnectResponse::kFactsWanted).back().facts_wanted().collect_now())
        << host;
    EXPECT_EQ(agent->Count(v1::ConnectResponse::kFactsWanted), 3u) << "Welcome, audit, after it";
  }
}

TEST_F(AuditRunTest, TheFinalFindingReplacesTheOneShownBefore) {
  ConnectThree();
  const auto audit = Start(ControllerWorld::Ask("h[1-3],nobody"));
  Finish(audit);
  std::map<std::string, std::string> shown;
  for (const auto& event : audit->log().Read(0, 100'000).events) {
    if (event.has_finding()) shown[event.finding().key()] = event.finding().SerializeAsString();
  }
  for (const v1::Finding& finding : audit->findings()) {
    EXPECT_EQ(shown[finding.key()], finding.SerializeAsString()) << finding.key();
  }
}

TEST_F(AuditRunTest, WhatIsNoLongerSoAtTheEndIsTakenBack) {
  ConnectThree();
  FakeAgent clone(&world_.loop, &world_.fleet, "h2");
  clone.machine_id = "a cloned image";
  clone.Connect();
  // Five quiet minutes mean that the second machine is gone: they end while h1's probe hangs.
  world_.Pass(std::chrono::minutes(5) - seconds(2));
  world_.agents["h1"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  const auto audit = Start(ControllerWorld::Ask("h[1-3]"));
  Finish(audit);

  std::vector<v1::CheckStatus> duplicate;
  std::map<std::string, v1::CheckStatus> last;
  for (const auto& event : audit->log().Read(0, 100'000).events) {
    if (!event.has_finding()) continue;
    last[event.finding().key()] = event.finding().status();
    if (event.finding().check_id() == "fleet.duplicate-host") {
      duplicate.push_back(event.finding().status());
    }
  }
  EXPECT_THAT(duplicate, ElementsAre(v1::CHECK_STATUS_FAIL, v1::CHECK_STATUS_PASS));
  for (const v1::Finding& finding : audit->findings()) {
    EXPECT_EQ(last[finding.key()], finding.status()) << finding.key();
  }
}

}  // namespace
}  // namespace roceready
