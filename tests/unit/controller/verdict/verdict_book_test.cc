// SPDX-License-Identifier: Apache-2.0
// Verdicts on a controller in memory: from what is known, without asking anybody.
#include "controller/verdict/verdict_book.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/host_list.h"
#include "proto/process/durations.h"
#include "tests/support/builders/switch_builder.h"
#include "tests/support/controller_world.h"

namespace roceready {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// Counts the passes over sets.
class CountingWorker final : public Worker {
 public:
  explicit CountingWorker(EventLoop* loop) : inline_(loop) {}
  void Run(std::function<void()> work, std::function<void()> done) override {
    ++passes;
    inline_.Run(std::move(work), std::move(done));
  }
  int passes = 0;

 private:
  InlineWorker inline_;
};

class VerdictBookTest : public testing::Test {
 protected:
  VerdictBookTest() {
    for (std::uint32_t number : {1, 2, 3}) world_.Connect(fmt::format("h{}", number), number);
  }

  VerdictBook::Question Of(const std::string& hosts) {
    return {.hosts = ExpandHostList(hosts).value(),
            .policy = world_.policies.Find("lab"),
            .max_age = kFactsGoodFor,
            .max_probe_age = hours(24)};
  }

  // Nothing where no answer has come yet.
  std::optional<v1::GetVerdictResponse> Answer(VerdictBook::Question question) {
    std::optional<v1::GetVerdictResponse> response;
    book_.Ask(std::move(question),
              [&](const v1::GetVerdictResponse& answer) { response = answer; });
    world_.loop.RunPending();
    return response;
  }

  v1::Readiness Readiness(VerdictBook::Question question) {
    const auto answer = Answer(std::move(question));
    return answer ? answer->verdict().readiness() : v1::READINESS_UNSPECIFIED;
  }

  // As an agent does by itself when it sees a change.
  void TakePfcFrom(const std::string& host) {
    FakeAgent& agent = *world_.agents.at(host);
    agent.facts.mutable_net_devices(0)->mutable_dcb()->mutable_pfc()->clear_enabled_priorities();
    agent.SendFacts(agent.generation(), 0);
    world_.loop.RunPending();
  }

  std::shared_ptr<AuditRun> RunAudit(const std::string& hosts, const std::string& policy = "lab") {
    auto audit = *world_.book->Create(ControllerWorld::Ask(hosts), ExpandHostList(hosts).value(),
                                      world_.policies.Find(policy), "alice");
    for (int i = 0; i < 3000 && !audit->ended(); ++i) world_.Pass(milliseconds(100));
    EXPECT_TRUE(audit->ended());
    return audit;
  }

  std::size_t FactsWanted(const std::string& host) {
    return world_.agents.at(host)->Count(v1::ConnectResponse::kFactsWanted);
  }

  static std::vector<std::string> CausesOf(const v1::GetVerdictResponse& response) {
    std::vector<std::string> causes;
    for (const v1::Finding& finding : response.causes()) {
      causes.push_back(finding.check_id() + " " + finding.subject().host());
    }
    return causes;
  }

  ControllerWorld world_;
  CountingWorker worker_{&world_.loop};
  VerdictBook book_{{.loop = &world_.loop,
                     .fleet = &world_.fleet,
                     .worker = &worker_,
                     .audits = world_.book.get(),
                     .switches = &world_.switches}};
};

TEST_F(VerdictBookTest, FactsThatAreKnownAreJudgedAndNobodyIsAsked) {
  world_.Pass(seconds(30));
  const std::size_t asked = FactsWanted("h1");
  const auto answer = Answer(Of("h[1-3]"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_READY)
      << testing::PrintToString(CausesOf(*answer));
  EXPECT_EQ(answer->verdict().coverage().hosts_judged(), 3u);
  EXPECT_EQ(FromProto(answer->verdict().coverage().oldest_fact()), seconds(30));
  EXPECT_EQ(FactsWanted("h1"), asked);
  EXPECT_EQ(answer->verdict().coverage().pairs_probed(), 0u);
  EXPECT_THAT(answer->probed_by(), IsEmpty());
  EXPECT_FALSE(answer->has_oldest_probe());
}

TEST_F(VerdictBookTest, ProbesOfAnEarlierAuditCount) {
  const auto audit = RunAudit("h[1-3]");
  world_.Pass(seconds(20));
  const auto answer = Answer(Of("h[1-3]"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().coverage().writes_verified(), 6u);
  EXPECT_THAT(answer->probed_by(), ElementsAre(audit->audit().audit_id()));
  EXPECT_GE(FromProto(answer->oldest_probe()), seconds(20));

  const auto of_two = Answer(Of("h[1-2]"));
  ASSERT_TRUE(of_two);
  EXPECT_EQ(of_two->verdict().coverage().writes_verified(), 2u);
}

TEST_F(VerdictBookTest, OfEachPairTheLatestProbeCounts) {
  RunAudit("h[1-3]");
  world_.agents.at("h1")->measure = [](const v1::ProbeSpec&, const v1::ProbePhase&, v1::ProbeSide) {
    v1::PhaseResult result;
    result.set_outcome(v1::PHASE_OUTCOME_DEADLINE);
    return result;
  };
  const auto second = RunAudit("h[1-2]");
  const auto broken = Answer(Of("h[1-3]"));
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->verdict().readiness(), v1::READINESS_NOT_READY);
  ASSERT_EQ(broken->probed_by_size(), 2);
  EXPECT_EQ(broken->probed_by(0), second->audit().audit_id());
}

TEST_F(VerdictBookTest, ARefusedProbeLeavesTheOneBeforeInForce) {
  RunAudit("h[1-3]");
  world_.agents.at("h1")->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  RunAudit("h[1-3]");
  const auto answer = Answer(Of("h[1-3]"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().coverage().writes_verified(), 6u);
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_READY);
}

TEST_F(VerdictBookTest, OldProbesAndThoseUnderAnotherPolicyDoNotCount) {
  RunAudit("h[1-3]", "lossless-dscp");
  EXPECT_THAT(Answer(Of("h[1-3]"))->probed_by(), IsEmpty());
  RunAudit("h[1-3]");
  world_.Pass(seconds(30));
  VerdictBook::Question question = Of("h[1-3]");
  question.max_probe_age = seconds(5);
  EXPECT_THAT(Answer(question)->probed_by(), IsEmpty());
}

TEST_F(VerdictBookTest, AChangeIsSeenAndUnseenWhenItIsMended) {
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
  TakePfcFrom("h2");
  world_.Pass(VerdictBook::kAnswerUsableFor);
  const auto broken = Answer(Of("h[1-3]"));
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_THAT(CausesOf(*broken), ElementsAre("pfc.lossless-priority h2"));
  EXPECT_THAT(broken->verdict().hosts_blocked(), ElementsAre("h2"));

  FakeAgent& agent = *world_.agents.at("h2");
  agent.facts.mutable_net_devices(0)->mutable_dcb()->mutable_pfc()->add_enabled_priorities(3);
  agent.SendFacts(agent.generation(), 0);
  world_.Pass(VerdictBook::kAnswerUsableFor);
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
}

TEST_F(VerdictBookTest, WhoAsksOftenWaitsForNoJudging) {
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
  TakePfcFrom("h2");
  world_.Pass(seconds(2));
  // What was known two seconds ago, while it is judged anew ...
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
  EXPECT_EQ(worker_.passes, 2);
  // ... and the next question has the new answer.
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_NOT_READY);
}

TEST_F(VerdictBookTest, WhereNothingHasChangedNothingIsJudgedAgain) {
  const auto first = Answer(Of("h[1-3]"));
  world_.Pass(seconds(40));
  const auto second = Answer(Of("h[1-3]"));
  EXPECT_EQ(worker_.passes, 1);
  EXPECT_EQ(FromProto(second->verdict().coverage().oldest_fact()) -
                FromProto(first->verdict().coverage().oldest_fact()),
            seconds(40));
  EXPECT_EQ(second->verdict().evaluated_at().seconds() - first->verdict().evaluated_at().seconds(),
            40);
}

TEST_F(VerdictBookTest, FactsThatWereReadAgainAndAreTheSameAreYounger) {
  TakePfcFrom("h2");
  Answer(Of("h[1-3]"));
  world_.Pass(seconds(40));
  FakeAgent& agent = *world_.agents.at("h2");
  agent.SendFacts(agent.generation(), 0);
  world_.Pass(seconds(1));
  const auto answer = Answer(Of("h[1-3]"));
  EXPECT_LE(FromProto(answer->causes(0).evidence(0).age()), seconds(41));
}

TEST_F(VerdictBookTest, WithinASecondTheSameAnswerIsGivenAgain) {
  const auto first = Answer(Of("h[1-3]"));
  world_.Pass(milliseconds(900));
  const auto second = Answer(Of("h[1-3]"));
  EXPECT_EQ(worker_.passes, 1);
  EXPECT_EQ(first->SerializeAsString(), second->SerializeAsString());
}

TEST_F(VerdictBookTest, AThousandWhoAskAtOnceShareTwoPasses) {
  int answers = 0;
  for (int i = 0; i < 1000; ++i) {
    book_.Ask(Of("h[1-3]"), [&](const v1::GetVerdictResponse&) { ++answers; });
  }
  world_.loop.RunPending();
  EXPECT_EQ(answers, 1000);
  // The first begins at once, and all others wait for the one after it.
  EXPECT_EQ(worker_.passes, 2);
}

TEST_F(VerdictBookTest, FactsOlderThanWantedAreUnknown) {
  world_.Pass(seconds(30));
  VerdictBook::Question question = Of("h[1-3]");
  question.max_age = seconds(10);
  const auto answer = Answer(question);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(answer->causes(0).check_id(), "host.heard-from");
}

TEST_F(VerdictBookTest, FactsBecomeTooOldByThemselves) {
  VerdictBook::Question question = Of("h[1-3]");
  question.max_age = seconds(10);
  EXPECT_EQ(Readiness(question), v1::READINESS_READY);
  world_.Pass(seconds(11));
  EXPECT_EQ(Readiness(question), v1::READINESS_UNDETERMINED);
}

TEST_F(VerdictBookTest, WhoWaitsGetsFreshFacts) {
  world_.Pass(seconds(30));
  VerdictBook::Question question = Of("h[1-3]");
  question.max_age = seconds(10);
  question.wait = seconds(5);
  const std::size_t asked = FactsWanted("h1");
  EXPECT_EQ(Readiness(question), v1::READINESS_READY);
  EXPECT_EQ(FactsWanted("h1"), asked + 1);
}

TEST_F(VerdictBookTest, AHostThatDoesNotAnswerIsWaitedForAndNoLonger) {
  world_.Pass(seconds(30));
  world_.agents.at("h3")->answers_facts = false;
  VerdictBook::Question question = Of("h[1-3]");
  question.max_age = seconds(10);
  question.wait = seconds(5);
  std::optional<v1::GetVerdictResponse> response;
  book_.Ask(question, [&](const v1::GetVerdictResponse& answer) { response = answer; });
  world_.Pass(milliseconds(4900));
  EXPECT_FALSE(response);
  world_.Pass(milliseconds(200));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(CausesOf(*response), ElementsAre("host.heard-from h3"));
}

TEST_F(VerdictBookTest, WhatIsKeptGrowsOlder) {
  TakePfcFrom("h2");
  const auto age = [&] { return FromProto(Answer(Of("h[1-3]"))->causes(0).evidence(0).age()); };
  const Duration first = age();
  world_.Pass(seconds(40));
  EXPECT_EQ(age() - first, seconds(40));
}

TEST_F(VerdictBookTest, AHostThatLeavesIsUnknown) {
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
  world_.agents.at("h2")->HangUp();
  world_.Pass(VerdictBook::kAnswerUsableFor);
  const auto answer = Answer(Of("h[1-3]"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(CausesOf(*answer), ElementsAre("host.heard-from h2"));
}

TEST_F(VerdictBookTest, ANameNobodyHeardOfIsUnknown) {
  const auto answer = Answer(Of("h[1-4]"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(answer->verdict().coverage().hosts_missing(), ElementsAre("h4"));
}

TEST_F(VerdictBookTest, ASwitchThatIsImportedIsJudgedFromThenOn) {
  EXPECT_EQ(Answer(Of("h[1-3]"))->verdict().coverage().switches_judged(), 0u);
  ASSERT_TRUE(
      world_.switches.Put({builders::SwitchBuilder("leaf1", 4).facts()}, "otto", world_.clock.Now())
          .ok());
  world_.Pass(VerdictBook::kAnswerUsableFor);
  EXPECT_EQ(Answer(Of("h[1-3]"))->verdict().coverage().switches_judged(), 1u);
}

TEST_F(VerdictBookTest, ManySetsAreAnsweredAlthoughFewAreKept) {
  for (int age = 1; age <= 3 * static_cast<int>(VerdictBook::kSetsKept); ++age) {
    VerdictBook::Question question = Of("h[1-3]");
    question.max_age = hours(age);
    EXPECT_EQ(Readiness(question), v1::READINESS_READY);
  }
  EXPECT_EQ(worker_.passes, 3 * static_cast<int>(VerdictBook::kSetsKept));
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
}

}  // namespace
}  // namespace roceready
