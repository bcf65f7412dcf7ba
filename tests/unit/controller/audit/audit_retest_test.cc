// SPDX-License-Identifier: Apache-2.0
// What an audit does after its plan's pairs: ends of bad pairs are probed with ports that are well.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "controller/audit/audit_run.h"
#include "proto/contract/host_list.h"
#include "tests/support/controller_world.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using Hosts = std::set<std::string>;

// Hosts "h1", "h2" ... of which some pairs move nothing.
class AuditRetestTest : public testing::Test {
 protected:
  void Connect(std::uint32_t hosts) {
    hosts_ = hosts;
    for (std::uint32_t i = 1; i <= hosts; ++i) {
      FakeAgent* agent = world_.Connect(fmt::format("h{}", i), i);
      agent->measure = [this](const v1::ProbeSpec& spec, const v1::ProbePhase& phase,
                              v1::ProbeSide side) {
        const Hosts both = {spec.a().host(), spec.b().host()};
        if (before_phase_) before_phase_(both);
        v1::PhaseResult result;
        const bool is_bad =
            bad_pairs_.contains(both) || std::ranges::any_of(both, [this](const std::string& host) {
              return bad_hosts_.contains(host);
            });
        if (is_bad && side == phase.active_side()) {
          result.set_outcome(v1::PHASE_OUTCOME_COMPLETION_ERROR);
          result.mutable_completion_error()->set_status(12);
        }
        return result;
      };
    }
  }

  v1::CreateAuditRequest Ask(v1::PlanKind plan = v1::PLAN_KIND_RING) const {
    return ControllerWorld::Ask(fmt::format("h[1-{}]", hosts_), plan);
  }

  std::shared_ptr<AuditRun> Start(const v1::CreateAuditRequest& request) {
    auto audit = world_.Create(request, ExpandHostList(request.hosts()).value());
    EXPECT_TRUE(audit.ok()) << audit.status();
    return *audit;
  }

  std::shared_ptr<AuditRun> Run(const v1::CreateAuditRequest& request) {
    const std::shared_ptr<AuditRun> audit = Start(request);
    Finish(audit);
    return audit;
  }

  void Finish(const std::shared_ptr<AuditRun>& audit) {
    for (int i = 0; i < 3000 && !audit->ended(); ++i) world_.Pass(milliseconds(100));
    ASSERT_TRUE(audit->ended()) << v1::AuditState_Name(audit->audit().state());
  }

  // Pairs of the ring that h1 ... hN are.
  bool IsOfRing(const Hosts& both) const {
    const auto number = [](const std::string& host) { return std::stoul(host.substr(1)); };
    const std::size_t distance = std::max(number(*both.begin()), number(*both.rbegin())) -
                                 std::min(number(*both.begin()), number(*both.rbegin()));
    return distance == 1 || distance == hosts_ - 1;
  }

  // "h1-h3" of all results beyond the ring.
  std::vector<std::string> RetestsOf(const AuditRun& audit) const {
    std::vector<std::string> names;
    for (const auto& result : audit.probe_results()) {
      const v1::ProbeSpec& spec = result->spec();
      if (!IsOfRing({spec.a().host(), spec.b().host()})) {
        names.push_back(spec.a().host() + "-" + spec.b().host());
      }
    }
    return names;
  }

  // "blame.no-traffic h1" or "probe.write h1>h2" of the root causes.
  static std::set<std::string> RootsOf(const AuditRun& audit) {
    std::set<std::string> roots;
    for (const v1::Finding& finding : audit.findings()) {
      if (finding.status() != v1::CHECK_STATUS_FAIL || !finding.caused_by().empty()) continue;
      const v1::Subject& subject = finding.subject();
      roots.insert(finding.check_id() + " " + subject.host() +
                   (subject.peer_host().empty() ? "" : ">" + subject.peer_host()));
    }
    return roots;
  }

  static std::string EvidenceOf(const AuditRun& audit, const std::string& check_id) {
    std::string words;
    for (const v1::Finding& finding : audit.findings()) {
      if (finding.check_id() != check_id) continue;
      for (const v1::Evidence& one : finding.evidence()) {
        words += one.host() + ": " + one.value() + "\n";
      }
    }
    return words;
  }

  static std::string NotesOf(AuditRun& audit) {
    std::string notes;
    for (const auto& event : audit.log().Read(0, 100'000).events) notes += event.note() + "\n";
    return notes;
  }

  static std::string ReasonsOf(const AuditRun& audit) {
    std::string reasons;
    for (const v1::Finding& finding : audit.findings()) reasons += finding.reason() + "\n";
    return reasons;
  }

  // From the loop, once, when the first pair beyond the ring is measured.
  void AtFirstRetest(std::function<void()> act) {
    before_phase_ = [this, act = std::move(act), done = false](const Hosts& both) mutable {
      if (IsOfRing(both) || std::exchange(done, true)) return;
      world_.loop.PostControl(act);
    };
  }

  ControllerWorld world_;
  std::uint32_t hosts_ = 0;
  std::set<Hosts> bad_pairs_;
  std::set<std::string> bad_hosts_;
  std::function<void(const Hosts& both)> before_phase_;
};

TEST_F(AuditRetestTest, ABadPairOfWellHostsStaysAPairAndSaysSo) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  const auto audit = Run(Ask());
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_THAT(RetestsOf(*audit), UnorderedElementsAre("h1-h3", "h1-h4", "h2-h5", "h2-h6"));
  EXPECT_THAT(RootsOf(*audit), ElementsAre("probe.write h1>h2"));
  EXPECT_THAT(EvidenceOf(*audit, "probe.write"),
              HasSubstr("h1: well with h3 and h4, in pairs added to tell who is to blame"));
  EXPECT_THAT(NotesOf(*audit), HasSubstr("4 pairs more, to tell who is to blame for 1 bad pair"));
}

TEST_F(AuditRetestTest, CoverageIsOfThePlanAndProgressTellsBoth) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  const auto audit = Run(Ask());
  const v1::Coverage& coverage = audit->audit().verdict().coverage();
  EXPECT_EQ(coverage.pairs_planned(), 6u);
  EXPECT_EQ(coverage.pairs_probed(), 6u);
  EXPECT_EQ(coverage.writes_verified(), 10u);
  const v1::AuditProgress& progress = audit->audit().progress();
  EXPECT_EQ(progress.probes_done(), 6u);
  EXPECT_EQ(progress.probes_total(), 6u);
  EXPECT_EQ(progress.retests_done(), 4u);
  EXPECT_EQ(progress.retests_total(), 4u);
}

TEST_F(AuditRetestTest, OfTwoBadNeighboursBothAreNamed) {
  Connect(8);
  bad_hosts_ = {"h3", "h4"};
  auto without = Ask();
  without.mutable_plan()->set_no_retest(true);
  const auto alone = Run(without);
  EXPECT_THAT(RetestsOf(*alone), IsEmpty());
  EXPECT_EQ(alone->audit().progress().retests_total(), 0u);
  EXPECT_THAT(RootsOf(*alone), Not(ElementsAre("blame.no-traffic h3", "blame.no-traffic h4")))
      << "else there is nothing to gain";

  const auto audit = Run(Ask());
  EXPECT_THAT(RootsOf(*audit), ElementsAre("blame.no-traffic h3", "blame.no-traffic h4"));
  EXPECT_THAT(EvidenceOf(*audit, "blame.no-traffic"),
              HasSubstr("added to the plan to tell who is to blame"));
}

TEST_F(AuditRetestTest, WhereAllIsWellNothingIsAdded) {
  Connect(6);
  const auto audit = Run(Ask());
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(audit->probe_results(), SizeIs(6));
  EXPECT_EQ(audit->audit().progress().retests_total(), 0u);
  EXPECT_THAT(NotesOf(*audit), Not(HasSubstr("more")));
}

TEST_F(AuditRetestTest, WhereAllIsBadNothingIsAddedAndTheReportSaysWhy) {
  Connect(3);
  bad_hosts_ = {"h1", "h2", "h3"};
  const auto audit = Run(Ask());
  EXPECT_THAT(audit->probe_results(), SizeIs(3));
  EXPECT_THAT(
      audit->audit().verdict().coverage().not_audited(),
      Contains(HasSubstr("who is to blame for 3 bad pairs (no port of their rails is well")));
}

TEST_F(AuditRetestTest, PlansOfOtherKindsStayAsTheyAre) {
  Connect(5);
  bad_pairs_ = {{"h1", "h2"}};
  EXPECT_THAT(Run(Ask(v1::PLAN_KIND_FULL))->probe_results(), SizeIs(10));
  auto pair = ControllerWorld::Ask("h[1-2]", v1::PLAN_KIND_PAIR);
  EXPECT_THAT(Run(pair)->probe_results(), SizeIs(1));
}

TEST_F(AuditRetestTest, UnknownPairsAreNotProbedAgain) {
  Connect(6);
  world_.agents["h2"]->reactions[ProbeStep::kPrepare] = Reaction::kRefuse;
  const auto audit = Run(Ask());
  EXPECT_THAT(audit->probe_results(), SizeIs(6));
  EXPECT_EQ(audit->audit().progress().retests_total(), 0u);
}

TEST_F(AuditRetestTest, AHostThatGoesInTheMidstLeavesTheVerdictToThePlan) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  AtFirstRetest([this] { world_.agents["h3"]->HangUp(); });
  const auto audit = Run(Ask());
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_THAT(RetestsOf(*audit), UnorderedElementsAre("h1-h4", "h2-h5", "h2-h6"))
      << "of h3 nothing is kept";
  EXPECT_THAT(RootsOf(*audit), ElementsAre("probe.write h1>h2"));
  EXPECT_THAT(ReasonsOf(*audit), HasSubstr("agent lost on h3"));
  for (const v1::Finding& finding : audit->findings()) {
    if (finding.status() != v1::CHECK_STATUS_UNKNOWN) continue;
    if (finding.scope() != v1::SCOPE_PROBE) continue;
    EXPECT_EQ(finding.on_unknown(), v1::ON_UNKNOWN_NOTE) << finding.key();
  }
  EXPECT_EQ(audit->audit().progress().retests_done(), 4u);
}

TEST_F(AuditRetestTest, AHostThatHasGoneBeforeIsNoPartner) {
  Connect(8);
  bad_pairs_ = {{"h1", "h2"}};
  // The plan's end waits for its pairs.
  world_.agents["h6"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  const auto audit = Start(Ask());
  world_.Pass(milliseconds(500));
  world_.agents["h4"]->HangUp();
  Finish(audit);
  EXPECT_EQ(audit->audit().progress().retests_total(), 4u);
  for (const std::string& pair : RetestsOf(*audit)) EXPECT_THAT(pair, Not(HasSubstr("h4")));
}

TEST_F(AuditRetestTest, CancelInTheMidstReleasesAndConcludes) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  std::shared_ptr<AuditRun> audit;
  AtFirstRetest([&] {
    EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_PROBING);
    audit->Cancel("enough");
  });
  audit = Start(Ask());
  Finish(audit);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_CANCELLED);
  EXPECT_THAT(RootsOf(*audit), ElementsAre("probe.write h1>h2"));
  EXPECT_THAT(RetestsOf(*audit), IsEmpty());
  EXPECT_THAT(ReasonsOf(*audit), HasSubstr("cancelled: enough"));
  for (const auto& [host, agent] : world_.agents) EXPECT_EQ(agent->open_probes(), 0u) << host;
  EXPECT_THAT(world_.prober.BusyAdapters(), IsEmpty());
}

TEST_F(AuditRetestTest, AfterTheBudgetNoneIsBegun) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  // Its pairs end by the limit of a step.
  world_.agents["h4"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  auto request = Ask();
  request.mutable_plan()->mutable_budget()->set_seconds(2);
  const auto audit = Run(request);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(audit->audit().progress().retests_total(), 0u);
  EXPECT_THAT(RetestsOf(*audit), IsEmpty());
}

TEST_F(AuditRetestTest, WhatTheBudgetDoesNotAllowIsNotedAndDecidesNothing) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  AtFirstRetest([this] {
    for (const char* host : {"h1", "h2"}) {
      world_.agents[host]->reactions[ProbeStep::kArm] = Reaction::kSilent;
      world_.agents[host]->reactions[ProbeStep::kRun] = Reaction::kSilent;
    }
  });
  auto request = Ask();
  request.mutable_plan()->mutable_budget()->set_seconds(3);
  const auto audit = Run(request);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(audit->audit().progress().retests_total(), 4u);
  EXPECT_LT(audit->audit().progress().retests_done(), 4u) << "two wait for h1 and h2";
  EXPECT_EQ(audit->audit().verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_THAT(ReasonsOf(*audit), HasSubstr("no time left to probe more pairs"));
}

TEST_F(AuditRetestTest, NeverMakeAnAuditRunOutOfTime) {
  Connect(6);
  bad_pairs_ = {{"h1", "h2"}};
  AtFirstRetest([this] {
    for (const auto& [host, agent] : world_.agents) {
      agent->reactions[ProbeStep::kRun] = Reaction::kSilent;
      agent->reactions[ProbeStep::kRelease] = Reaction::kSilent;
    }
  });
  // The limits of the two steps are 18 s and 5 s.
  auto request = Ask();
  request.mutable_timeout()->set_seconds(22);
  const auto audit = Run(request);
  EXPECT_EQ(audit->audit().progress().retests_total(), 4u);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE) << audit->audit().abort_reason();
  EXPECT_THAT(RootsOf(*audit), ElementsAre("probe.write h1>h2"));
}

TEST_F(AuditRetestTest, NoAdapterIsInTwoPairsAtATime) {
  Connect(9);
  bad_hosts_ = {"h3", "h4"};
  std::size_t most = 0;
  before_phase_ = [this, &most](const Hosts& both) {
    for (const std::string& host : both) {
      most = std::max(most, world_.agents[host]->open_probes());
    }
  };
  const auto audit = Run(Ask());
  EXPECT_GT(audit->audit().progress().retests_done(), 0u);
  EXPECT_EQ(most, 1u);
  for (const auto& [host, agent] : world_.agents) {
    EXPECT_THAT(agent->run_twice, IsEmpty()) << host;
    EXPECT_EQ(agent->open_probes(), 0u) << host;
  }
}

}  // namespace
}  // namespace roceready
