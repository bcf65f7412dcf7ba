// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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

  static std::vector<std::string> Names(const std::vector<PlannedPair>& pairs) {
    std::vector<std::string> names;
    for (const PlannedPair& pair : pairs) {
      names.push_back(pair.spec.a().host() + "-" + pair.spec.b().host());
    }
    return names;
  }

  EffectivePolicy policy_;
  PlanInput input_;
};

TEST_F(PlanTest, ARingOfThreeHasThreePairs) {
  for (const char* host : {"h1", "h2", "h3"}) {
    input_.ports.push_back(Port(host, "10.77.0.0/24", "nic"));
  }
  const ProbePlanned plan = PlanRing(input_);
  EXPECT_THAT(Names(plan.work.pairs), UnorderedElementsAre("h1-h2", "h2-h3", "h3-h1"));
  EXPECT_EQ(plan.planned.size(), 3u);
  EXPECT_EQ(plan.work.pairs[0].spec.probe_id(), "a7-1-1");
  EXPECT_EQ(plan.work.pairs[0].adapter_a, plan.work.pairs[0].spec.a().host() + "/nic");
}

TEST_F(PlanTest, EachRailHasItsOwnRing) {
  for (const char* host : {"h1", "h2"}) {
    input_.ports.push_back(Port(host, "10.77.0.0/24", "nic0"));
    input_.ports.push_back(Port(host, "10.77.1.0/24", "nic1"));
  }
  const ProbePlanned plan = PlanRing(input_);
  EXPECT_EQ(plan.work.pairs.size(), 2u);
  std::set<std::string> ids;
  for (const PlannedPair& pair : plan.work.pairs) ids.insert(pair.spec.probe_id());
  EXPECT_EQ(ids.size(), 2u);
}

TEST_F(PlanTest, PairsThatCannotRunStayPlannedAndSayWhy) {
  for (const char* host : {"h1", "h2", "h3"}) {
    input_.ports.push_back(Port(host, "10.77.0.0/24", "nic"));
  }
  input_.unreachable["h2"] = "not heard for 2 h";
  input_.ports[2].active = false;
  const ProbePlanned plan = PlanRing(input_);
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

TEST_F(PlanTest, OneHostAloneHasNoPairs) {
  input_.ports.push_back(Port("h1", "10.77.0.0/24", "nic"));
  EXPECT_TRUE(PlanRing(input_).planned.empty());
}

TEST(CheckPlan, TakesWhatThisVersionCanDo) {
  v1::ProbePlan plan;
  EXPECT_TRUE(CheckPlan(plan, 5).ok());
  EXPECT_EQ(KindOf(plan), v1::PLAN_KIND_RING);
  for (v1::PlanKind kind : {v1::PLAN_KIND_RING, v1::PLAN_KIND_NONE}) {
    plan.set_kind(kind);
    EXPECT_TRUE(CheckPlan(plan, 5).ok());
  }
}

TEST(CheckPlan, APairIsOfTwo) {
  v1::ProbePlan plan;
  plan.set_kind(v1::PLAN_KIND_PAIR);
  EXPECT_TRUE(CheckPlan(plan, 2).ok());
  EXPECT_EQ(CheckPlan(plan, 3).code(), absl::StatusCode::kInvalidArgument);
}

TEST(CheckPlan, SaysWhatIsNotAvailableYet) {
  v1::ProbePlan plan;
  for (int kind : {int{v1::PLAN_KIND_FULL}, int{v1::PLAN_KIND_SPARSE}, int{v1::PLAN_KIND_INCAST},
                   int{v1::PLAN_KIND_RAIL}, 99}) {
    plan.set_kind(static_cast<v1::PlanKind>(kind));
    const absl::Status status = CheckPlan(plan, 5);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(Message(status)), HasSubstr("ring, pair and none"));
  }
}

}  // namespace
}  // namespace roceready
