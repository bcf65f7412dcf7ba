// SPDX-License-Identifier: Apache-2.0
// The prober with a fleet and agents in memory: every step of a probe goes well, and is made to
// fail.
#include "controller/probing/prober.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "controller/probing/probe_spec.h"
#include "proto/process/durations.h"
#include "tests/support/fake_agent.h"
#include "tests/support/fake_clock.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Duration kLease = seconds(20);

class ProberTest : public testing::Test {
 protected:
  ProberTest() {
    LinkOptions options;
    options.epoch = 7;
    options.lease = kLease;
    fleet_ = std::make_unique<Fleet>(&loop_, options);
    prober_ = std::make_unique<Prober>(&loop_, fleet_.get());
  }
  ~ProberTest() override {
    for (const auto& [host, agent] : agents_) EXPECT_THAT(agent->run_twice, IsEmpty()) << host;
  }

  FakeAgent* Connect(const std::string& host) {
    auto& agent = agents_[host];
    agent = std::make_unique<FakeAgent>(&loop_, fleet_.get(), host);
    agent->Connect();
    loop_.RunPending();
    return agent.get();
  }

  PlannedPair Pair(const std::string& id, const std::string& a, const std::string& b) {
    checks::RailPort port_a, port_b;
    port_a.host = a;
    port_b.host = b;
    port_a.port = port_b.port = 1;
    PlannedPair pair;
    pair.spec =
        MakeProbeSpec(id, MakeProbeEnd(port_a, policy_), MakeProbeEnd(port_b, policy_), policy_,
                      /*datagram_room=*/0);
    pair.adapter_a = a + "/nic";
    pair.adapter_b = b + "/nic";
    return pair;
  }

  static ProbeWork WorkOf(std::vector<PlannedPair> pairs) {
    ProbeWork work;
    for (const PlannedPair& pair : pairs) {
      work.pairs.push_back(
          {{pair.spec.a().host(), pair.adapter_a}, {pair.spec.b().host(), pair.adapter_b}});
    }
    work.spec_of = [pairs = std::move(pairs)](std::size_t place) { return pairs[place].spec; };
    return work;
  }

  // h1 and h2 to h3.
  ProbeWork Incast() {
    std::vector<PlannedPair> pairs = {Pair("p1", "h1", "h3"), Pair("p2", "h2", "h3")};
    for (PlannedPair& pair : pairs) {
      v1::Incast incast;
      incast.set_group("g");
      incast.set_senders(2);
      pair.spec = MakeIncastSpec(pair.spec.probe_id(), pair.spec.a(), pair.spec.b(), policy_,
                                 std::move(incast));
    }
    ProbeWork work = WorkOf(std::move(pairs));
    for (WaitingPair& pair : work.pairs) pair.incast = 1;
    return work;
  }

  ProbeRunner::RunId Start(std::vector<PlannedPair> pairs) {
    return StartWork(WorkOf(std::move(pairs)));
  }

  ProbeRunner::RunId StartWork(ProbeWork work) {
    return prober_->Start(std::move(work), {[this](std::shared_ptr<const v1::ProbeResult> result) {
                                              results_.push_back(std::move(result));
                                            },
                                            [this] { ++done_; }});
  }

  void Pass(Duration time) { RunFor(&clock_, &loop_, time); }
  // Until all pairs have ended; fails when that takes longer than any limit allows.
  const v1::ProbeResult& OnlyResult() {
    for (int i = 0; i < 600 && done_ == 0; ++i) Pass(milliseconds(100));
    EXPECT_EQ(done_, 1);
    EXPECT_THAT(results_, SizeIs(1));
    return *results_.at(0);
  }

  static const v1::PhaseResult& PhaseOf(const v1::EndReport& report, std::uint32_t index) {
    for (const v1::PhaseResult& phase : report.phases()) {
      if (phase.index() == index) return phase;
    }
    ADD_FAILURE() << "no phase " << index;
    return v1::PhaseResult::default_instance();
  }

  FakeClock clock_;
  EventLoop loop_{&clock_};
  EffectivePolicy policy_;
  std::unique_ptr<Fleet> fleet_;
  std::unique_ptr<Prober> prober_;
  std::map<std::string, std::unique_ptr<FakeAgent>> agents_;
  std::vector<std::shared_ptr<const v1::ProbeResult>> results_;
  int done_ = 0;
};

TEST_F(ProberTest, RunsEveryPhaseOfAPairOnce) {
  FakeAgent* h1 = Connect("h1");
  FakeAgent* h2 = Connect("h2");
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  const int phases = result.spec().phases_size();
  EXPECT_EQ(result.spec().attempt(), 1u);
  EXPECT_EQ(result.refusal(), v1::REFUSAL_REASON_UNSPECIFIED);
  EXPECT_EQ(result.failed_step(), "");
  for (const v1::EndReport* report : {&result.a(), &result.b()}) {
    EXPECT_EQ(report->phases_size(), phases);
    EXPECT_EQ(report->detail(), "released");
    for (const v1::PhaseResult& phase : report->phases()) {
      EXPECT_EQ(phase.outcome(), v1::PHASE_OUTCOME_DONE);
    }
  }
  EXPECT_EQ(h1->open_probes(), 0u);
  EXPECT_EQ(h2->open_probes(), 0u);
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, CountsWhatComesOfItsProbes) {
  using Pairs = decltype(ProbeCounters::pairs);
  using End = ProbeCounters::End;
  FakeAgent* h1 = Connect("h1");
  FakeAgent* h2 = Connect("h2");
  // A number that a later agent may send.
  const auto strange = static_cast<v1::PhaseOutcome>(4711);
  for (FakeAgent* agent : {h1, h2}) {
    agent->measure = [&](const v1::ProbeSpec&, const v1::ProbePhase& phase, v1::ProbeSide side) {
      v1::PhaseResult result;
      result.set_outcome(
          phase.index() == 0 && side == phase.active_side() ? strange : v1::PHASE_OUTCOME_DONE);
      return result;
    };
  }
  Start({Pair("p", "h1", "h2")});
  const int phases = OnlyResult().spec().phases_size();
  EXPECT_EQ(prober_->counters().pairs, (Pairs{{End::kMeasured, 1}}));
  std::uint64_t done = 0, odd = 0, others = 0;
  for (const auto& [phase, count] : prober_->counters().phases) {
    (phase.second == v1::PHASE_OUTCOME_DONE          ? done
     : phase.second == v1::PHASE_OUTCOME_UNSPECIFIED ? odd
                                                     : others) += count;
  }
  EXPECT_EQ(done + odd + others, static_cast<std::uint64_t>(phases));
  EXPECT_EQ(odd, 1u);

  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  h2->refusal = v1::REFUSAL_REASON_NO_GID;
  Start({Pair("q", "h1", "h2")});
  for (int i = 0; i < 600 && done_ < 2; ++i) Pass(milliseconds(100));
  EXPECT_EQ(prober_->counters().pairs, (Pairs{{End::kMeasured, 1}, {End::kRefused, 1}}));
  EXPECT_GE(prober_->counters().attempts, 2u);
}

// What is new in a report of agents must not get lost in putting the attempts together.
TEST_F(ProberTest, NothingThatAnEndReportsIsLost) {
  for (const char* host : {"h1", "h2"}) {
    v1::EndReport& words = Connect(host)->last_words;
    words.mutable_used()->set_gid(host);
    words.set_resources_left(2);
    words.mutable_wire()->mutable_reading()->set_detail(host);
  }
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  for (const v1::EndReport* report : {&result.a(), &result.b()}) {
    std::vector<const google::protobuf::FieldDescriptor*> told;
    report->GetReflection()->ListFields(*report, &told);
    EXPECT_EQ(static_cast<int>(told.size()), v1::EndReport::descriptor()->field_count())
        << report->ShortDebugString();
  }
  EXPECT_EQ(result.a().wire().reading().detail(), "h1");
  EXPECT_EQ(result.b().wire().reading().detail(), "h2");
}

TEST_F(ProberTest, ArmsThePassiveSideBeforeTheActiveOneRuns) {
  FakeAgent* h1 = Connect("h1");
  FakeAgent* h2 = Connect("h2");
  Start({Pair("p", "h1", "h2")});
  OnlyResult();
  // Phases 0 and 2 have A active, 1 and 3 B.
  EXPECT_THAT(std::vector<std::string>(h1->carried_out.begin(), h1->carried_out.begin() + 5),
              testing::ElementsAre("p/1/prepare/0", "p/1/connect/0", "p/1/run/0", "p/1/arm/1",
                                   "p/1/close/1"));
  EXPECT_THAT(std::vector<std::string>(h2->carried_out.begin(), h2->carried_out.begin() + 6),
              testing::ElementsAre("p/1/prepare/0", "p/1/connect/0", "p/1/arm/0", "p/1/close/0",
                                   "p/1/run/1", "p/1/arm/2"));
}

TEST_F(ProberTest, ARingOfThreeRunsOnePairAtATime) {
  Connect("h1");
  Connect("h2");
  Connect("h3");
  std::size_t most = 0;
  for (auto& [host, agent] : agents_) {
    agent->measure = [&](const v1::ProbeSpec&, const v1::ProbePhase&, v1::ProbeSide) {
      most = std::max(most, prober_->running_pairs());
      return v1::PhaseResult();
    };
  }
  Start({Pair("p1", "h1", "h2"), Pair("p2", "h2", "h3"), Pair("p3", "h3", "h1")});
  Pass(seconds(1));
  EXPECT_EQ(done_, 1);
  EXPECT_THAT(results_, SizeIs(3));
  EXPECT_EQ(most, 1u) << "each pair shares an adapter with each other pair";
}

TEST_F(ProberTest, PairsWithoutACommonAdapterRunTogether) {
  for (const char* host : {"h1", "h2", "h3", "h4"}) {
    Connect(host)->reactions[ProbeStep::kRun] = Reaction::kSilent;
  }
  Start({Pair("p1", "h1", "h2"), Pair("p2", "h2", "h3"), Pair("p3", "h3", "h4")});
  Pass(milliseconds(100));
  EXPECT_EQ(prober_->running_pairs(), 2u);
}

bool HasRun(const FakeAgent* agent, const std::string& what) {
  return std::ranges::find(agent->carried_out, what) != agent->carried_out.end();
}

TEST_F(ProberTest, TheSendersOfAnIncastWaitForEachOther) {
  FakeAgent* h1 = Connect("h1");
  FakeAgent* h2 = Connect("h2");
  Connect("h3");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  std::size_t most = 0;
  for (FakeAgent* sender : {h1, h2}) {
    sender->measure = [&](const v1::ProbeSpec&, const v1::ProbePhase&, v1::ProbeSide) {
      most = std::max(most, prober_->running_pairs());
      return v1::PhaseResult();
    };
  }
  StartWork(Incast());
  Pass(milliseconds(500));
  EXPECT_TRUE(HasRun(h1, "p1/1/connect/0"));
  EXPECT_FALSE(HasRun(h1, "p1/1/run/0"));
  h2->reactions.clear();
  Pass(seconds(2));
  EXPECT_TRUE(HasRun(h1, "p1/1/run/0"));
  EXPECT_TRUE(HasRun(h2, "p2/2/run/0"));
  EXPECT_EQ(most, 2u);
  EXPECT_EQ(done_, 1);
  EXPECT_THAT(results_, SizeIs(2));
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, OneSenderAloneIsNoIncast) {
  FakeAgent* h1 = Connect("h1");
  FakeAgent* h2 = Connect("h2");
  Connect("h3");
  h2->reactions[ProbeStep::kConnect] = Reaction::kSilent;
  StartWork(Incast());
  Pass(seconds(30));
  EXPECT_FALSE(HasRun(h1, "p1/1/run/0"));
  EXPECT_EQ(done_, 1);
  ASSERT_THAT(results_, SizeIs(2));
  for (const auto& result : results_) EXPECT_EQ(result->a().phases_size(), 0);
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, AnIncastThatIsStoppedWhileItWaitsLetsGo) {
  FakeAgent* h1 = Connect("h1");
  Connect("h2")->reactions[ProbeStep::kPrepare] = Reaction::kSilent;
  FakeAgent* h3 = Connect("h3");
  const ProbeRunner::RunId run = StartWork(Incast());
  Pass(milliseconds(500));
  prober_->Stop(run, "cancelled");
  for (int i = 0; i < 600 && done_ == 0; ++i) Pass(milliseconds(100));
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(h1->open_probes(), 0u);
  EXPECT_EQ(h3->open_probes(), 0u);
  EXPECT_FALSE(HasRun(h1, "p1/1/run/0"));
}

TEST_F(ProberTest, AnIncastWhoseReceiverGoesEnds) {
  FakeAgent* h1 = Connect("h1");
  Connect("h2")->reactions[ProbeStep::kPrepare] = Reaction::kSilent;
  FakeAgent* h3 = Connect("h3");
  StartWork(Incast());
  Pass(milliseconds(500));
  h3->HangUp();
  for (int i = 0; i < 600 && done_ == 0; ++i) Pass(milliseconds(100));
  EXPECT_EQ(done_, 1);
  EXPECT_THAT(results_, SizeIs(2));
  EXPECT_EQ(h1->open_probes(), 0u);
}

TEST_F(ProberTest, TheReceiverOfAnIncastIsBusyUntilTheLastSenderIsThrough) {
  Connect("h1");
  Connect("h2")->reactions[ProbeStep::kRun] = Reaction::kSilent;
  FakeAgent* h3 = Connect("h3");
  Connect("h4");
  StartWork(Incast());
  Pass(seconds(1));
  EXPECT_THAT(results_, SizeIs(1)) << "h1's";
  Start({Pair("p3", "h3", "h4")});
  Pass(seconds(1));
  EXPECT_FALSE(HasRun(h3, "p3/1/prepare/0"));
  for (int i = 0; i < 600 && done_ < 2; ++i) Pass(milliseconds(100));
  EXPECT_EQ(done_, 2);
  EXPECT_TRUE(HasRun(h3, "p3/1/prepare/0"));
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, RunsNoMoreAtOnceThanThePolicyAllows) {
  for (const char* host : {"h1", "h2", "h3", "h4"}) {
    Connect(host)->reactions[ProbeStep::kRun] = Reaction::kSilent;
  }
  ProbeWork work = WorkOf({Pair("p1", "h1", "h2"), Pair("p2", "h3", "h4")});
  work.at_once = 1;
  prober_->Start(std::move(work), {[](const auto&) {}, [] {}});
  Pass(milliseconds(100));
  EXPECT_EQ(prober_->running_pairs(), 1u);
}

TEST_F(ProberTest, TwoAuditsNeverUseOneAdapterAtATime) {
  Connect("h1")->reactions[ProbeStep::kRun] = Reaction::kSilent;
  Connect("h2");
  Connect("h3");
  Start({Pair("p1", "h1", "h2")});
  Start({Pair("q1", "h3", "h1")});
  Pass(milliseconds(100));
  EXPECT_EQ(prober_->running_pairs(), 1u);
}

// --- an end that goes, or says nothing, at each step ---

struct Lost {
  const char* name;
  ProbeStep step;
  Reaction reaction;
};

class ProberLostEnd : public ProberTest, public testing::WithParamInterface<Lost> {};

TEST_P(ProberLostEnd, IsUnknownAndItsAdapterIsKeptUntilItIsSurelyFree) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[GetParam().step] = GetParam().reaction;
  // Where the agent is silent at a step, it is silent ever after.
  if (GetParam().reaction == Reaction::kSilent) {
    h2->reactions[ProbeStep::kRelease] = Reaction::kSilent;
  }
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_TRUE(result.has_a());
  EXPECT_FALSE(result.has_b()) << "what a lost end said is no evidence";
  EXPECT_THAT(result.detail(), HasSubstr("agent lost on h2"));
  EXPECT_EQ(agents_["h1"]->open_probes(), 0u) << "the end that lives was released";

  EXPECT_THAT(prober_->BusyAdapters(), testing::ElementsAre("h2/nic"));
  h2->reactions.clear();
  if (!h2->stream_open()) h2->Connect();
  Start({Pair("q", "h1", "h2")});
  Pass(seconds(5));
  EXPECT_EQ(prober_->running_pairs(), 0u) << "its adapter may still be in use";
  Pass(FromProto(result.spec().deadline()) + kLease + seconds(5));
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
  ASSERT_THAT(results_, SizeIs(2));
  EXPECT_EQ(results_[1]->b().phases_size(), results_[1]->spec().phases_size());
}

INSTANTIATE_TEST_SUITE_P(
    AtEachStep, ProberLostEnd,
    testing::Values(Lost{"KilledPreparing", ProbeStep::kPrepare, Reaction::kHangUp},
                    Lost{"KilledConnecting", ProbeStep::kConnect, Reaction::kHangUp},
                    Lost{"KilledArming", ProbeStep::kArm, Reaction::kHangUp},
                    Lost{"KilledRunning", ProbeStep::kRun, Reaction::kHangUp},
                    Lost{"KilledClosing", ProbeStep::kClose, Reaction::kHangUp},
                    Lost{"KilledReleasing", ProbeStep::kRelease, Reaction::kHangUp},
                    Lost{"SilentPreparing", ProbeStep::kPrepare, Reaction::kSilent},
                    Lost{"SilentConnecting", ProbeStep::kConnect, Reaction::kSilent},
                    Lost{"SilentArming", ProbeStep::kArm, Reaction::kSilent},
                    Lost{"SilentRunning", ProbeStep::kRun, Reaction::kSilent},
                    Lost{"SilentClosing", ProbeStep::kClose, Reaction::kSilent},
                    Lost{"SilentReleasing", ProbeStep::kRelease, Reaction::kSilent}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ProberTest, AReportAfterTheReconnectFreesTheAdapter) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kRun] = Reaction::kHangUp;
  Start({Pair("p", "h1", "h2")});
  OnlyResult();
  ASSERT_THAT(prober_->BusyAdapters(), testing::ElementsAre("h2/nic"));
  h2->Connect();
  v1::ConnectRequest report;
  report.mutable_end_report()->set_probe_id("p");
  report.mutable_end_report()->set_attempt(1);
  h2->Say(report);
  Pass(milliseconds(10));
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, AnAgentThatStartedAgainHoldsNothingOfBefore) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kRun] = Reaction::kHangUp;
  Start({Pair("p", "h1", "h2")});
  OnlyResult();
  ASSERT_THAT(prober_->BusyAdapters(), testing::ElementsAre("h2/nic"));
  h2->reactions.clear();
  h2->Connect();
  Pass(milliseconds(10));
  EXPECT_THAT(prober_->BusyAdapters(), testing::ElementsAre("h2/nic"))
      << "the process that was in the probe is back";
  h2->Restart();
  h2->Connect();
  Pass(milliseconds(10));
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, AnAgentThatStartsAgainDuringAProbeIsFreeWhenThatEnds) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kRun] = Reaction::kSilent;
  Start({Pair("p", "h1", "h2")});
  Pass(milliseconds(500));
  ASSERT_EQ(prober_->running_pairs(), 1u);
  h2->Restart();
  h2->Connect();
  EXPECT_THAT(OnlyResult().detail(), HasSubstr("agent lost on h2"));
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, FurtherPairsOfAnAgentThatIsGoneDoNotWaitForItsAdapter) {
  Connect("h1");
  Connect("h2")->reactions[ProbeStep::kRun] = Reaction::kHangUp;
  Connect("h3");
  Start({Pair("p", "h1", "h2"), Pair("q", "h2", "h3"), Pair("r", "h3", "h1")});
  Pass(seconds(5));
  EXPECT_EQ(done_, 1);
  ASSERT_THAT(results_, SizeIs(3));
  for (const auto& result : results_) {
    if (result->spec().probe_id() == "q") {
      EXPECT_THAT(result->detail(), HasSubstr("h2 is not connected"));
    }
  }
  EXPECT_THAT(prober_->BusyAdapters(), testing::ElementsAre("h2/nic"))
      << "its last session may still run";
}

TEST_F(ProberTest, AnAgentThatIsNotConnectedIsToldOfAtOnce) {
  Connect("h1");
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_FALSE(result.has_b());
  EXPECT_THAT(result.detail(), HasSubstr("h2 is not connected"));
  EXPECT_EQ(agents_["h1"]->open_probes(), 0u);
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty()) << "h2 never heard of this probe";
}

TEST_F(ProberTest, ASessionThatEndsByItselfEndsTheAttempt) {
  for (ProbeStep step : {ProbeStep::kConnect, ProbeStep::kArm, ProbeStep::kRun}) {
    results_.clear();
    done_ = 0;
    Connect("h1");
    Connect("h2")->reactions[step] = Reaction::kEnd;
    Start({Pair("p", "h1", "h2")});
    const v1::ProbeResult& result = OnlyResult();
    EXPECT_THAT(result.detail(), HasSubstr("h2 ended its session early: session deadline"));
    EXPECT_EQ(agents_["h1"]->open_probes(), 0u);
    EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
  }
}

// --- refusals ---

TEST_F(ProberTest, ARefusalIsTheResultWithTheSideThatRefused) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  h2->refusal = v1::REFUSAL_REASON_NO_GID;
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_EQ(result.refusal(), v1::REFUSAL_REASON_NO_GID);
  EXPECT_EQ(result.refused_by(), v1::PROBE_SIDE_B);
  EXPECT_EQ(result.failed_step(), "prepare");
  EXPECT_EQ(result.spec().attempt(), 1u) << "it would be refused again";
  EXPECT_EQ(agents_["h1"]->open_probes(), 0u);
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, ARefusalIsToldInTheAgentsWords) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  h2->refusal = v1::REFUSAL_REASON_NO_DEVICE;
  h2->refusal_error = ENODEV;
  h2->refusal_detail = "no RDMA device rxe0: No such device (errno 19)";
  Start({Pair("p", "h1", "h2")});
  EXPECT_EQ(OnlyResult().detail(), "no RDMA device rxe0: No such device (errno 19)");
}

TEST_F(ProberTest, ARefusalWithoutWordsIsToldByItsErrno) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  h2->refusal = v1::REFUSAL_REASON_NO_DEVICE;
  h2->refusal_error = ENODEV;
  Start({Pair("p", "h1", "h2")});
  EXPECT_EQ(OnlyResult().detail(), "prepare: No such device (errno 19)");
}

TEST_F(ProberTest, ABusyAdapterIsTriedAgainAndThenGivenUp) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  h2->refusal = v1::REFUSAL_REASON_BUSY;
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_EQ(result.refusal(), v1::REFUSAL_REASON_BUSY);
  EXPECT_EQ(result.spec().attempt(), 3u);
}

TEST_F(ProberTest, AnOrderThatCameTooEarlyIsRepeatedAsANewAttempt) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  h2->refusal = v1::REFUSAL_REASON_STALE_EPOCH;
  Start({Pair("p", "h1", "h2")});
  Pass(milliseconds(100));
  h2->reactions.clear();
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_EQ(result.refusal(), v1::REFUSAL_REASON_UNSPECIFIED);
  EXPECT_EQ(result.spec().attempt(), 2u);
  EXPECT_EQ(result.a().phases_size(), result.spec().phases_size());
}

// --- phases that fail ---

v1::PhaseResult Failed(v1::PhaseOutcome outcome) {
  v1::PhaseResult result;
  result.set_outcome(outcome);
  result.set_detail("as the test wants it");
  return result;
}

TEST_F(ProberTest, WhenOnlyLargeMessagesFailAllOtherPhasesAreStillMeasured) {
  Connect("h1");
  Connect("h2");
  for (auto& [host, agent] : agents_) {
    agent->measure = [](const v1::ProbeSpec&, const v1::ProbePhase& phase, v1::ProbeSide side) {
      const bool fails = phase.message_bytes() > 1024 && side == phase.active_side();
      return fails ? Failed(v1::PHASE_OUTCOME_COMPLETION_ERROR) : v1::PhaseResult();
    };
  }
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  for (const v1::ProbePhase& phase : result.spec().phases()) {
    const bool by_a = phase.active_side() == v1::PROBE_SIDE_A;
    const v1::PhaseResult& active = PhaseOf(by_a ? result.a() : result.b(), phase.index());
    if (phase.message_bytes() <= 1024) {
      EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE) << phase.index();
    } else if (phase.measure() == v1::PROBE_MEASURE_INTEGRITY &&
               phase.operation() == v1::PROBE_OPERATION_WRITE) {
      EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_COMPLETION_ERROR) << phase.index();
    } else {
      EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_NOT_RUN) << phase.index();
      EXPECT_THAT(active.detail(), HasSubstr("have failed the same way"));
    }
  }
  EXPECT_EQ(result.spec().attempt(), 3u) << "a new connection after each of the two failures";
  EXPECT_EQ(result.failed_step(), "");
  EXPECT_TRUE(result.has_a() && result.has_b());
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, WhenOnlyLargeReadsFailWritesAreSeenToPass) {
  Connect("h1");
  Connect("h2");
  for (auto& [host, agent] : agents_) {
    agent->measure = [](const v1::ProbeSpec&, const v1::ProbePhase& phase, v1::ProbeSide side) {
      const bool fails = phase.message_bytes() > 1024 && side == phase.active_side() &&
                         phase.operation() == v1::PROBE_OPERATION_READ;
      return fails ? Failed(v1::PHASE_OUTCOME_COMPLETION_ERROR) : v1::PhaseResult();
    };
  }
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  for (const v1::ProbePhase& phase : result.spec().phases()) {
    const bool by_a = phase.active_side() == v1::PROBE_SIDE_A;
    const v1::PhaseResult& active = PhaseOf(by_a ? result.a() : result.b(), phase.index());
    if (phase.operation() == v1::PROBE_OPERATION_WRITE) {
      EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_DONE) << phase.index();
    } else if (phase.measure() == v1::PROBE_MEASURE_INTEGRITY && phase.message_bytes() > 1024) {
      EXPECT_EQ(active.outcome(), v1::PHASE_OUTCOME_COMPLETION_ERROR) << phase.index();
    }
  }
}

TEST_F(ProberTest, WhenNothingPassesEachVerbAndDirectionIsTriedOnce) {
  Connect("h1");
  Connect("h2");
  for (auto& [host, agent] : agents_) {
    agent->measure = [](const v1::ProbeSpec&, const v1::ProbePhase& phase, v1::ProbeSide side) {
      return side == phase.active_side() ? Failed(v1::PHASE_OUTCOME_DEADLINE) : v1::PhaseResult();
    };
  }
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  int failed = 0;
  for (const v1::EndReport* report : {&result.a(), &result.b()}) {
    for (const v1::PhaseResult& phase : report->phases()) {
      failed += phase.outcome() == v1::PHASE_OUTCOME_DEADLINE;
    }
  }
  EXPECT_EQ(failed, 4);
}

TEST_F(ProberTest, AMismatchCostsNoConnection) {
  Connect("h1");
  Connect("h2")->measure = [](const v1::ProbeSpec&, const v1::ProbePhase& phase,
                              v1::ProbeSide side) {
    const bool wrong = phase.index() == 4 && side != phase.active_side();
    return wrong ? Failed(v1::PHASE_OUTCOME_MISMATCH) : v1::PhaseResult();
  };
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_EQ(result.spec().attempt(), 1u);
  EXPECT_EQ(PhaseOf(result.b(), 4).outcome(), v1::PHASE_OUTCOME_MISMATCH);
  EXPECT_EQ(PhaseOf(result.a(), 5).outcome(), v1::PHASE_OUTCOME_DONE);
}

TEST_F(ProberTest, AnAdapterThatGetsBusyEndsTheProbe) {
  Connect("h1")->measure = [](const v1::ProbeSpec&, const v1::ProbePhase& phase, v1::ProbeSide) {
    return phase.index() == 1 ? Failed(v1::PHASE_OUTCOME_NOT_RUN) : v1::PhaseResult();
  };
  Connect("h2");
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_EQ(result.spec().attempt(), 1u);
  EXPECT_EQ(PhaseOf(result.a(), 0).outcome(), v1::PHASE_OUTCOME_DONE);
  EXPECT_EQ(PhaseOf(result.a(), 2).outcome(), v1::PHASE_OUTCOME_NOT_RUN);
}

TEST_F(ProberTest, APhaseThatCannotBeArmedIsNotRun) {
  FakeAgent* h1 = Connect("h1");
  Connect("h2")->arm_outcome = v1::PHASE_OUTCOME_NOT_RUN;
  Start({Pair("p", "h1", "h2")});
  const v1::ProbeResult& result = OnlyResult();
  EXPECT_THAT(h1->carried_out, testing::Not(testing::Contains("p/1/run/0")));
  for (const v1::EndReport* report : {&result.a(), &result.b()}) {
    for (const v1::PhaseResult& phase : report->phases()) {
      EXPECT_EQ(phase.outcome(), v1::PHASE_OUTCOME_NOT_RUN);
    }
  }
}

// --- stopping ---

TEST_F(ProberTest, StopReleasesWhatRunsAndBeginsNothingMore) {
  Connect("h1")->reactions[ProbeStep::kRun] = Reaction::kSilent;
  Connect("h2");
  const auto run = Start({Pair("p1", "h1", "h2"), Pair("p2", "h2", "h1")});
  Pass(milliseconds(100));
  ASSERT_EQ(prober_->running_pairs(), 1u);
  const ProbeRunner::Stopped stopped = prober_->Stop(run, "cancelled by alice");
  EXPECT_EQ(stopped.ended, 1u);
  EXPECT_EQ(stopped.not_begun, 1u);
  Pass(milliseconds(100));
  EXPECT_EQ(done_, 1);
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_THAT(results_[0]->detail(), HasSubstr("cancelled by alice"));
  EXPECT_TRUE(results_[0]->has_a() && results_[0]->has_b());
  EXPECT_EQ(agents_["h1"]->open_probes(), 0u);
  EXPECT_EQ(agents_["h2"]->open_probes(), 0u);
  EXPECT_THAT(prober_->BusyAdapters(), IsEmpty());
}

TEST_F(ProberTest, ItIsNotSureOfAHostThatDoesNotSayThatItLetGo) {
  FakeAgent* h1 = Connect("h1");
  h1->reactions[ProbeStep::kRun] = Reaction::kSilent;
  h1->reactions[ProbeStep::kRelease] = Reaction::kSilent;
  Connect("h2");
  const auto run = Start({Pair("p", "h1", "h2")});
  Pass(milliseconds(100));
  prober_->Stop(run, "cancelled");
  Pass(milliseconds(100));
  EXPECT_EQ(done_, 0) << "h1 has not answered yet";
  Pass(ProbeAttempt::kReleaseLimit);
  EXPECT_EQ(done_, 1);
  EXPECT_THAT(prober_->HostsUnsure(), testing::ElementsAre("h1"));
  // Its own deadline, and the lease, are over by then.
  Pass(FromProto(results_[0]->spec().deadline()) + kLease + seconds(5));
  EXPECT_THAT(prober_->HostsUnsure(), IsEmpty());
}

TEST_F(ProberTest, StoppingWhatHasEndedStopsNothing) {
  Connect("h1");
  Connect("h2");
  const auto run = Start({Pair("p", "h1", "h2")});
  OnlyResult();
  const ProbeRunner::Stopped stopped = prober_->Stop(run, "too late");
  EXPECT_EQ(stopped.ended + stopped.not_begun, 0u);
}

TEST_F(ProberTest, StopWhileWaitingToRetryEndsThePair) {
  Connect("h1");
  FakeAgent* h2 = Connect("h2");
  h2->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  const auto run = Start({Pair("p", "h1", "h2")});
  Pass(milliseconds(100));
  prober_->Stop(run, "cancelled");
  Pass(milliseconds(100));
  EXPECT_EQ(done_, 1);
  EXPECT_THAT(results_, SizeIs(1));
}

TEST_F(ProberTest, BeginNoMoreLetsThePairsThatRunEnd) {
  FakeAgent* h1 = Connect("h1");
  h1->reactions[ProbeStep::kRun] = Reaction::kSilent;
  Connect("h2");
  const auto run = Start({Pair("p1", "h1", "h2"), Pair("p2", "h2", "h1")});
  Pass(milliseconds(100));
  prober_->BeginNoMore(run);
  Pass(milliseconds(100));
  EXPECT_EQ(done_, 0);
  Pass(seconds(20));
  EXPECT_EQ(done_, 1);
  EXPECT_THAT(results_, SizeIs(1));
}

TEST_F(ProberTest, ARunWithoutPairsIsDone) {
  Start({});
  EXPECT_EQ(done_, 0) << "never from within Start";
  Pass(milliseconds(1));
  EXPECT_EQ(done_, 1);
}

TEST_F(ProberTest, StrayMessagesChangeNothing) {
  FakeAgent* h1 = Connect("h1");
  Connect("h2")->reactions[ProbeStep::kPrepare] = Reaction::kSilent;
  Start({Pair("p", "h1", "h2")});
  Pass(milliseconds(100));
  v1::ConnectRequest stray;
  stray.mutable_probe_connected()->set_probe_id("p");
  stray.mutable_probe_connected()->set_attempt(1);
  h1->Say(stray);
  stray.mutable_phase_done()->set_probe_id("p");
  stray.mutable_phase_done()->set_attempt(1);
  h1->Say(stray);
  stray.mutable_end_report()->set_probe_id("p");
  stray.mutable_end_report()->set_attempt(9);
  h1->Say(stray);
  stray.mutable_probe_prepared()->set_probe_id("nobody's");
  h1->Say(stray);
  Pass(milliseconds(100));
  EXPECT_EQ(prober_->running_pairs(), 1u);
}

}  // namespace
}  // namespace roceready
