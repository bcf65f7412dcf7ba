// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

checks::RailPort Port(const std::string& host, const std::string& rail,
                      const std::string& adapter) {
  checks::RailPort port;
  port.host = host;
  port.rail = rail;
  port.rdma_device_id = "rdma of " + rail;
  port.port = 1;
  port.adapter_id = adapter;
  port.label = "eth0 (rxe0)";
  port.active = true;
  return port;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    input_.audit_id = "a7-1";
    input_.policy_of = [this](const std::string&) { return &policy_; };
  }

  ProbePlanned Make(v1::PlanKind kind = v1::PLAN_KIND_RING, std::uint32_t degree = 0) {
    input_.plan.set_kind(kind);
    input_.plan.set_degree(degree);
    auto plan = MakePlan(input_);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *std::move(plan) : ProbePlanned();
  }

  static std::vector<std::string> Names(const ProbePlanned& plan) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan.work.pairs.size(); ++i) {
      const v1::ProbeSpec spec = plan.work.spec_of(i);
      names.push_back(spec.a().host() + "-" + spec.b().host());
    }
    return names;
  }

  void AddHosts(int hosts, const std::string& rail = "10.77.0.0/24",
                const std::string& adapter = "nic") {
    for (int i = 1; i <= hosts; ++i) {
      input_.ports.push_back(Port(fmt::format("h{}", i), rail, adapter));
    }
  }

  EffectivePolicy policy_;
  PlanInput input_;
};

TEST_F(PlanTest, ARingOfThreeHasThreePairs) {
  AddHosts(3);
  const ProbePlanned plan = Make();
  EXPECT_THAT(Names(plan), UnorderedElementsAre("h1-h2", "h2-h3", "h3-h1"));
  EXPECT_EQ(plan.planned.size(), 3u);
  EXPECT_EQ(plan.work.spec_of(0).probe_id(), "a7-1-1");
  EXPECT_EQ(plan.work.pairs[0].a.host, plan.work.spec_of(0).a().host());
  EXPECT_EQ(plan.work.pairs[0].a.name, plan.work.spec_of(0).a().host() + "/nic");
}

TEST_F(PlanTest, EachRailHasItsOwnRing) {
  AddHosts(2, "10.77.0.0/24", "nic0");
  AddHosts(2, "10.77.1.0/24", "nic1");
  const ProbePlanned plan = Make();
  ASSERT_EQ(plan.work.pairs.size(), 2u);
  EXPECT_NE(plan.work.spec_of(0).probe_id(), plan.work.spec_of(1).probe_id());
}

TEST_F(PlanTest, OrdersAreOfThePairsThatArePlanned) {
  AddHosts(5);
  input_.ports[1].active = false;
  const ProbePlanned plan = Make(v1::PLAN_KIND_FULL);
  ASSERT_EQ(plan.work.pairs.size(), 6u);
  EXPECT_EQ(plan.planned.size(), 10u);
  for (std::size_t i = 0; i < plan.work.pairs.size(); ++i) {
    EXPECT_EQ(plan.planned[i].a.host(), plan.work.spec_of(i).a().host());
    EXPECT_EQ(plan.planned[i].b.host(), plan.work.spec_of(i).b().host());
    EXPECT_EQ(plan.planned[i].missing_reason, "");
  }
}

TEST_F(PlanTest, TellsItselfInWords) {
  AddHosts(12);
  EXPECT_THAT(Make(v1::PLAN_KIND_SPARSE, 4).in_words,
              testing::StartsWith("sparse:4: 24 of 66 possible pairs in 4 rounds, about "));
  EXPECT_THAT(Make(v1::PLAN_KIND_RING).in_words, testing::StartsWith("ring: 12 of 66"));
}

TEST_F(PlanTest, ABudgetWithoutAKindChooses) {
  AddHosts(40);
  input_.plan.mutable_budget()->set_seconds(60);
  input_.available = std::chrono::minutes(15);
  EXPECT_THAT(Make(v1::PLAN_KIND_UNSPECIFIED).in_words, testing::StartsWith("full: "));
  input_.available = std::chrono::seconds(60);
  EXPECT_THAT(Make(v1::PLAN_KIND_UNSPECIFIED).in_words, testing::StartsWith("sparse:"));
  input_.available = std::chrono::seconds(1);
  EXPECT_THAT(Make(v1::PLAN_KIND_UNSPECIFIED).in_words, testing::StartsWith("ring: "));
  input_.available = std::chrono::minutes(15);
  EXPECT_THAT(Make(v1::PLAN_KIND_RING).in_words, testing::StartsWith("ring: "))
      << "a kind that was asked for stays";
  input_.plan.clear_budget();
  EXPECT_THAT(Make(v1::PLAN_KIND_UNSPECIFIED).in_words, testing::StartsWith("ring: "));
}

TEST_F(PlanTest, MorePairsThanAnAuditKeepsAreRefused) {
  for (int rail = 0; rail < 8; ++rail) {
    AddHosts(400, fmt::format("10.77.{}.0/24", rail), fmt::format("nic{}", rail));
  }
  input_.plan.set_kind(v1::PLAN_KIND_FULL);
  const auto plan = MakePlan(input_);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(plan.status())),
              testing::AllOf(HasSubstr("638400 pairs"), HasSubstr("fewer hosts")));
}

TEST_F(PlanTest, PairsThatCannotRunStayPlannedAndSayWhy) {
  AddHosts(3);
  input_.unreachable["h2"] = "not heard for 2 h";
  input_.ports[2].active = false;
  const ProbePlanned plan = Make();
  EXPECT_TRUE(plan.work.pairs.empty());
  ASSERT_EQ(plan.planned.size(), 3u);
  std::string reasons;
  for (const checks::PlannedProbe& planned : plan.planned) {
    EXPECT_FALSE(planned.missing_reason.empty());
    reasons += planned.missing_reason + "\n";
  }
  EXPECT_THAT(reasons, HasSubstr("h2: not heard for 2 h"));
  EXPECT_THAT(reasons, HasSubstr("the port eth0 (rxe0) of h3 is not active"));
}

TEST_F(PlanTest, OneHostAloneOrNobodyHasNoPairs) {
  EXPECT_TRUE(Make().planned.empty());
  AddHosts(1);
  EXPECT_TRUE(Make().planned.empty());
}

v1::ProbePlan PlanOf(v1::PlanKind kind, std::uint32_t degree = 0) {
  v1::ProbePlan plan;
  plan.set_kind(kind);
  plan.set_degree(degree);
  return plan;
}

TEST(CheckPlan, TakesEveryKindThatAgentsCanCarryOut) {
  EXPECT_TRUE(CheckPlan({}, 5).ok());
  EXPECT_EQ(KindOf({}), v1::PLAN_KIND_RING);
  for (v1::PlanKind kind :
       {v1::PLAN_KIND_RING, v1::PLAN_KIND_NONE, v1::PLAN_KIND_RAIL, v1::PLAN_KIND_FULL}) {
    EXPECT_TRUE(CheckPlan(PlanOf(kind), 5).ok());
    EXPECT_TRUE(CheckPlan(PlanOf(kind), 0).ok()) << "'*' of a fleet without hosts";
  }
  EXPECT_TRUE(CheckPlan(PlanOf(v1::PLAN_KIND_SPARSE, 8), 5).ok());
}

TEST(CheckPlan, APairIsOfTwo) {
  EXPECT_TRUE(CheckPlan(PlanOf(v1::PLAN_KIND_PAIR), 2).ok());
  EXPECT_EQ(CheckPlan(PlanOf(v1::PLAN_KIND_PAIR), 3).code(), absl::StatusCode::kInvalidArgument);
}

TEST(CheckPlan, ADegreeIsWhereItMeansSomething) {
  for (const v1::ProbePlan& plan :
       {PlanOf(v1::PLAN_KIND_SPARSE), PlanOf(v1::PLAN_KIND_SPARSE, 1),
        PlanOf(v1::PLAN_KIND_RING, 4), PlanOf(v1::PLAN_KIND_UNSPECIFIED, 4),
        PlanOf(v1::PLAN_KIND_INCAST, 1), PlanOf(v1::PLAN_KIND_INCAST, 5)}) {
    const absl::Status status = CheckPlan(plan, 5);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << plan.ShortDebugString();
    EXPECT_THAT(std::string(Message(status)), HasSubstr("plan.degree: found "));
  }
}

TEST(CheckPlan, AnIncastNeedsAReceiverBesideItsSenders) {
  EXPECT_TRUE(CheckPlan(PlanOf(v1::PLAN_KIND_INCAST, 4), 5).ok());
  EXPECT_EQ(CheckPlan(PlanOf(v1::PLAN_KIND_INCAST, 1000), 2000).code(),
            absl::StatusCode::kInvalidArgument)
      << "2,000,000 pairs";
}

TEST_F(PlanTest, AnIncastIsOnePhaseOfEachSenderToTheSamePort) {
  AddHosts(3);
  const ProbePlanned plan = Make(v1::PLAN_KIND_INCAST, 2);
  ASSERT_EQ(plan.work.pairs.size(), 6u);
  std::map<std::string, std::set<std::string>> senders;
  for (std::size_t place = 0; place < 6; ++place) {
    const v1::ProbeSpec spec = plan.work.spec_of(place);
    EXPECT_EQ(spec.phases_size(), 1);
    EXPECT_EQ(spec.incast().senders(), 2u);
    EXPECT_EQ(spec.incast().group(), plan.planned[place].incast_group);
    EXPECT_EQ(plan.work.pairs[place].incast, place / 2 + 1);
    senders[spec.incast().group() + " to " + spec.b().host()].insert(spec.a().host());
  }
  ASSERT_EQ(senders.size(), 3u) << "one port for each group";
  for (const auto& [group, hosts] : senders) EXPECT_EQ(hosts.size(), 2u) << group;
  EXPECT_THAT(plan.in_words,
              HasSubstr("incast:2: 6 pairs, to each port several at the same time, in 3 rounds"));
}

TEST_F(PlanTest, AnIncastIsNotRunByOneSender) {
  AddHosts(3);
  input_.unreachable["h2"] = "not connected";
  const ProbePlanned plan = Make(v1::PLAN_KIND_INCAST, 2);
  EXPECT_EQ(plan.planned.size(), 6u);
  EXPECT_THAT(plan.work.pairs, testing::IsEmpty());
  int alone = 0;
  for (const checks::PlannedProbe& planned : plan.planned) {
    alone += planned.missing_reason == "no other sender of the incast can be probed";
  }
  EXPECT_EQ(alone, 2) << "h1 to h3, and back";
}

TEST_F(PlanTest, AnIncastIsOfNoMoreThanMayRunAtATime) {
  AddHosts(5);
  input_.plan.set_kind(v1::PLAN_KIND_INCAST);
  input_.plan.set_degree(4);
  input_.at_once = 3;
  EXPECT_EQ(MakePlan(input_).status().code(), absl::StatusCode::kInvalidArgument);
  input_.at_once = 4;
  EXPECT_TRUE(MakePlan(input_).ok());
}

TEST_F(PlanTest, AnIncastGoesOnWithoutAHostThatCannotBeReached) {
  AddHosts(4);
  input_.unreachable["h2"] = "not connected";
  const ProbePlanned plan = Make(v1::PLAN_KIND_INCAST, 3);
  EXPECT_EQ(plan.planned.size(), 12u);
  EXPECT_EQ(plan.work.pairs.size(), 6u) << "to three of them, from the two others";
  for (std::size_t place = 0; place < plan.work.pairs.size(); ++place) {
    EXPECT_EQ(plan.work.spec_of(place).incast().senders(), 2u);
  }
}

TEST(CheckPlan, RefusesWhatIsTooLargeForAnyNumberOfPorts) {
  EXPECT_TRUE(CheckPlan(PlanOf(v1::PLAN_KIND_FULL), 447).ok());
  EXPECT_EQ(CheckPlan(PlanOf(v1::PLAN_KIND_FULL), 448).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckPlan(PlanOf(v1::PLAN_KIND_SPARSE, 4'000'000'000), 1000).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckPlan(PlanOf(v1::PLAN_KIND_SPARSE, 8), 20'000).ok());
}

TEST(CheckPlan, RefusesAKindThatItDoesNotKnow) {
  const absl::Status status = CheckPlan(PlanOf(static_cast<v1::PlanKind>(99)), 5);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("plan.kind: found 99"));
}

}  // namespace
}  // namespace roceready
