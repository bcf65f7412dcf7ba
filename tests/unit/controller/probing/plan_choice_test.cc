// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/plan_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/probing/probe_spec.h"
#include "proto/process/durations.h"
#include "tests/unit/controller/probing/fabric.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(EstimatePair, IsWhatItsPhasesMayTakeAndSomethingAroundThem) {
  v1::ProbeSpec spec;
  const Duration bare = EstimatePair(spec);
  EXPECT_GT(bare, Duration::zero());
  spec.add_phases();
  const Duration without_duration = EstimatePair(spec);
  EXPECT_GT(without_duration, bare);
  *spec.mutable_phases(0)->mutable_duration() = ToProto(Duration(milliseconds(700)));
  EXPECT_EQ(EstimatePair(spec), without_duration + milliseconds(700));
}

TEST(EstimatePair, OfTheQuickTierIsSecondsAndNotItsDeadline) {
  const Duration estimate = EstimatePair(MakeProbeSpec("p", {}, {}, {}, 0));
  EXPECT_GT(estimate, seconds(4)) << "eight timed phases of half a second";
  EXPECT_LT(estimate, seconds(10));
}

TEST(EstimatePair, CountsPhasesOfSoManyMessagesToo) {
  EffectivePolicy counted;
  counted.probes.set_iterations(100);

  EXPECT_EQ(EstimatePair(MakeProbeSpec("p", {}, {}, counted, 0)),
            EstimatePair(MakeProbeSpec("p", {}, {}, {}, 0)));
}

TEST(EstimatePlan, FollowsTheRoundsOrWhatMayRunAtOnce) {
  const Pairing pairing = PairPorts(v1::PLAN_KIND_FULL, 0, PortsOf({.hosts = 8}));
  ASSERT_EQ(pairing.pairs.size(), 28u);
  const TimeForPlan free{.available = {}, .of_a_pair = seconds(2), .at_once = 512};
  EXPECT_EQ(EstimatePlan(pairing, free), seconds(14)) << "7 rounds";
  const TimeForPlan three{.available = {}, .of_a_pair = seconds(2), .at_once = 3};
  EXPECT_EQ(EstimatePlan(pairing, three), seconds(20)) << "28 pairs, 3 at a time";
  EXPECT_EQ(EstimatePlan({}, free), Duration::zero());
}

class ChoosePlanTest : public testing::Test {
 protected:
  PlanChoice Choose(const Fabric& fabric, Duration available, std::uint64_t at_once = 10'000) {
    return ChoosePlan(PortsOf(fabric),
                      {.available = available, .of_a_pair = seconds(1), .at_once = at_once});
  }
};

TEST_F(ChoosePlanTest, IsEveryPairWhereThatFits) {
  EXPECT_EQ(Choose({.hosts = 16}, seconds(15)).kind, v1::PLAN_KIND_FULL);
  EXPECT_EQ(Choose({.hosts = 4, .rails = 8}, seconds(60)).kind, v1::PLAN_KIND_FULL);
}

TEST_F(ChoosePlanTest, ElseTheSparsePlanOfTheLargestDegreeThatFits) {
  const Fabric fabric{.hosts = 128, .rails = 8};
  const PlanChoice choice = Choose(fabric, seconds(20));
  ASSERT_EQ(choice.kind, v1::PLAN_KIND_SPARSE);
  EXPECT_GE(choice.degree, 16u);
  EXPECT_LE(choice.degree, 20u);
  EXPECT_LE(PairPorts(choice.kind, choice.degree, PortsOf(fabric)).rounds, 20u);
  EXPECT_GT(Choose(fabric, seconds(60)).degree, choice.degree) << "more time, more pairs";
}

TEST_F(ChoosePlanTest, ElseTheRingEvenIfThatIsTooLong) {
  EXPECT_EQ(Choose({.hosts = 128}, seconds(2)).kind, v1::PLAN_KIND_RING);
  EXPECT_EQ(Choose({.hosts = 128}, milliseconds(10)).kind, v1::PLAN_KIND_RING);
}

TEST_F(ChoosePlanTest, CountsWhatMayRunAtOnce) {
  EXPECT_EQ(Choose({.hosts = 16}, seconds(15), 4).kind, v1::PLAN_KIND_SPARSE);
}

TEST_F(ChoosePlanTest, NeverTakesMoreThanAnAuditKeeps) {
  const Fabric fabric{.hosts = 1000, .rails = 8, .hosts_of_a_leaf = 32};
  const PlanChoice choice = Choose(fabric, std::chrono::hours(24));
  ASSERT_EQ(choice.kind, v1::PLAN_KIND_SPARSE);
  EXPECT_GE(choice.degree, 8u);
  EXPECT_LE(CountPairs(choice.kind, choice.degree, PortsOf(fabric)), 100'000u);
}

TEST_F(ChoosePlanTest, IsARingWhereThatIsEveryPair) {
  EXPECT_EQ(Choose({.hosts = 3, .rails = 2}, seconds(60)).kind, v1::PLAN_KIND_RING);
  EXPECT_EQ(Choose({.hosts = 1}, seconds(60)).kind, v1::PLAN_KIND_RING);
  EXPECT_EQ(Choose({}, seconds(60)).kind, v1::PLAN_KIND_RING);
}

}  // namespace
}  // namespace roceready
