// SPDX-License-Identifier: Apache-2.0
// Verdicts on a controller in memory: from what is known, without asking anybody.
#include "controller/verdict/verdict_book.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

#include <algorithm>

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
    book_.Ask(std::move(question), [&](const absl::StatusOr<v1::GetVerdictResponse>& answer) {
      EXPECT_TRUE(answer.ok()) << answer.status();
      if (answer.ok()) response = *answer;
    });
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
    v1::CreateAuditRequest request = ControllerWorld::Ask(hosts);
    request.set_policy(policy);
    auto audit = *world_.Create(request, ExpandHostList(hosts).value());
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
                     .worker_of_large_sets = &worker_,
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

TEST_F(VerdictBookTest, AHostThatIsSetAsideIsLeftOutUntilItIsBack) {
  world_.agents.at("h2")->measure = [](const v1::ProbeSpec&, const v1::ProbePhase&, v1::ProbeSide) {
    v1::PhaseResult result;
    result.set_outcome(v1::PHASE_OUTCOME_DEADLINE);
    return result;
  };
  RunAudit("h[1-3]");
  TakePfcFrom("h2");
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_NOT_READY);

  v1::SetMaintenanceRequest request;
  request.set_hosts("h2");
  request.set_reason("new optics");
  request.mutable_duration()->set_seconds(60);
  const WallTime now = world_.clock.Wall();
  MaintenanceBook& maintenance = world_.fleet.maintenance();
  maintenance.Put(*maintenance.MarksOf(request, "ann", now), now);
  world_.Pass(VerdictBook::kAnswerUsableFor);
  const auto answer = Answer(Of("h[1-3]"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_READY)
      << testing::PrintToString(CausesOf(*answer));
  EXPECT_THAT(answer->verdict().coverage().hosts_in_maintenance(), ElementsAre("h2"));
  EXPECT_EQ(answer->verdict().coverage().writes_verified(), 2u) << "h1 with h3";

  world_.Pass(seconds(60));
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_NOT_READY);
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
    book_.Ask(Of("h[1-3]"), [&](const absl::StatusOr<v1::GetVerdictResponse>&) { ++answers; });
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
  book_.Ask(question, [&](const auto& answer) { response = answer.value(); });
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

// Facts within their age are judged again no less often than they get beyond it.
TEST_F(VerdictBookTest, AnAnswerIsNotGivenAgainOnFactsThatBecameTooOld) {
  VerdictBook::Question question = Of("h[1-3]");
  question.max_age = seconds(10);
  world_.Pass(seconds(9));
  EXPECT_EQ(Readiness(question), v1::READINESS_READY);
  world_.Pass(seconds(2));
  EXPECT_EQ(Readiness(question), v1::READINESS_UNDETERMINED);
}

TEST_F(VerdictBookTest, ASecondMachineOfTheNameCountsFromThenOn) {
  EXPECT_EQ(Readiness(Of("h[1-3]")), v1::READINESS_READY);
  FakeAgent clone(&world_.loop, &world_.fleet, "h2");
  clone.machine_id = "a cloned image";
  clone.Connect();
  world_.Pass(seconds(10));
  ASSERT_TRUE(world_.fleet.FindDuplicate("h2"));
  EXPECT_THAT(CausesOf(*Answer(Of("h[1-3]"))), ElementsAre("fleet.duplicate-host h2"));
}

TEST_F(VerdictBookTest, AWaiverEndsByItself) {
  const auto texts = ReadPolicyDirectory(SourcePath("checks/policy/policies")).value();
  const auto lab = std::ranges::find_if(
      texts, [](const PolicyText& text) { return text.file_name.ends_with("/lab.yaml"); });
  ASSERT_NE(lab, texts.end());
  const auto until = std::chrono::floor<seconds>(world_.clock.Wall()) + hours(1);
  const PolicyResult waived = LoadPolicy(
      lab->text +
          fmt::format("\nwaivers:\n  - {{id: W1, check_id: pfc.lossless-priority, hosts: h2, "
                      "reason: known, until: {}}}\n",
                      google::protobuf::util::TimeUtil::ToString(ToProto(until))),
      "lab.yaml", {.known_check_ids = {}, .now = world_.clock.Wall()});
  ASSERT_TRUE(waived.ok()) << yaml::Render(waived.problems);
  TakePfcFrom("h2");
  VerdictBook::Question question = Of("h[1-3]");
  question.policy = waived.policy;
  question.max_age = hours(24);
  const auto before = Answer(question);
  world_.Pass(std::chrono::minutes(59));
  EXPECT_THAT(CausesOf(*Answer(question)), CausesOf(*before));
  world_.Pass(std::chrono::minutes(2));
  const auto after = Answer(question);
  EXPECT_THAT(CausesOf(*before), testing::Not(testing::Contains("pfc.lossless-priority h2")));
  EXPECT_THAT(CausesOf(*after), testing::Contains("pfc.lossless-priority h2"));
}

TEST_F(VerdictBookTest, WhoWaitsWhenTheControllerStopsIsToldSo) {
  world_.agents.at("h3")->answers_facts = false;
  VerdictBook::Question waiting = Of("h[1-3]");
  waiting.max_age = Duration::zero();
  waiting.wait = seconds(5);
  world_.Pass(seconds(1));
  std::vector<absl::StatusCode> codes;
  const auto note = [&](const auto& answer) { codes.push_back(answer.status().code()); };
  book_.Ask(waiting, note);
  book_.Ask(Of("h[1-2]"), note);  // its pass is under way
  book_.Ask(Of("h[1-2]"), note);  // waits for the next
  book_.Close();
  for (auto& [host, agent] : world_.agents) agent->HangUp();
  book_.Ask(Of("h1"), note);
  world_.Pass(seconds(10));
  EXPECT_EQ(codes, std::vector(4, absl::StatusCode::kUnavailable));
}

TEST_F(VerdictBookTest, QuestionsThatWaitForFactsAreBounded) {
  for (const char* host : {"h1", "h2", "h3"}) world_.agents.at(host)->answers_facts = false;
  world_.Pass(seconds(30));
  VerdictBook::Question question = Of("h[1-3]");
  question.max_age = seconds(10);
  question.wait = seconds(5);
  std::size_t refused = 0, answered = 0;
  for (std::size_t i = 0; i < VerdictBook::kMaxRefreshing + 3; ++i) {
    book_.Ask(question, [&](const auto& answer) {
      ++answered;
      refused += answer.status().code() == absl::StatusCode::kResourceExhausted;
    });
  }
  EXPECT_EQ(refused, 3u);
  world_.Pass(seconds(6));
  EXPECT_EQ(answered, VerdictBook::kMaxRefreshing + 3);
  EXPECT_EQ(refused, 3u);
}

// Sets of names that nobody has heard of are not kept beyond any bound either.
TEST_F(VerdictBookTest, FewLargeSetsAreKept) {
  const auto of = [&](int last) {
    VerdictBook::Question question = Of(fmt::format("n[00001-{}]", last));
    return question;
  };
  const int hosts = static_cast<int>(VerdictBook::kHostsKept / 2);
  for (const int last : {hosts - 1, hosts, hosts + 1}) Answer(of(last));
  world_.Pass(seconds(2));
  const int passes = worker_.passes;
  Answer(of(hosts + 1));
  EXPECT_EQ(worker_.passes, passes) << "the last one is kept";
  Answer(of(hosts - 1));
  EXPECT_GT(worker_.passes, passes) << "the first one is not";
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
