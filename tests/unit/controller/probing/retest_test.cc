// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/retest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "controller/probing/probe_spec.h"
#include "tests/unit/controller/probing/fabric.h"

namespace roceready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// A ring over all ports of which some pairs are bad: those are open, and all ports that are in none
// are known good.
class Ring {
 public:
  explicit Ring(const Fabric& fabric) : ports(PortsOf(fabric)) {
    for (const PortPair& pair : PairPorts(v1::PLAN_KIND_RING, 0, ports).pairs) {
      planned.push_back({EndOf(pair.a), EndOf(pair.b), ""});
    }
    for (const checks::RailPort& port : ports) open.good_ports[KeyOf(port)] = 0;
  }

  void IsBad(std::uint32_t a, std::uint32_t b) {
    open.pairs.push_back({.a = EndOf(a), .b = EndOf(b)});
    open.good_ports.erase(KeyOf(ports[a]));
    open.good_ports.erase(KeyOf(ports[b]));
  }

  std::vector<PortPair> Choose() const { return ChooseRetests({ports, planned, open}).pairs; }

  // "h0001-h0003", the end of the bad pair first.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const PortPair& pair : Choose()) {
      names.push_back(ports[pair.a].host + "-" + ports[pair.b].host);
    }
    return names;
  }

  static checks::PortKey KeyOf(const checks::RailPort& port) {
    return {port.host, port.rdma_device_id, port.port};
  }
  v1::ProbeEnd EndOf(std::uint32_t place) const { return MakeProbeEnd(ports[place], {}); }

  std::vector<checks::RailPort> ports;
  std::vector<checks::PlannedProbe> planned;
  checks::OpenPairs open;
};

TEST(ChooseRetests, NothingIsBadAndNothingIsAdded) {
  EXPECT_THAT(Ring({.hosts = 8}).Names(), IsEmpty());
}

TEST(ChooseRetests, EachEndMeetsTwoThatAreWellAndThatItHasNotMet) {
  Ring ring({.hosts = 8});
  ring.IsBad(1, 2);
  EXPECT_THAT(ring.Names(), ElementsAre("h0001-h0003", "h0001-h0004", "h0002-h0005", "h0002-h0006"))
      << "h0001 has met h0000, h0002 has met h0003";
}

TEST(ChooseRetests, OfFourHostsOneIsLeftForEachEnd) {
  Ring ring({.hosts = 4});
  ring.IsBad(0, 1);
  EXPECT_THAT(ring.Names(), ElementsAre("h0000-h0002", "h0001-h0003"));
}

TEST(ChooseRetests, OfThreeHostsNobodyIsLeft) {
  Ring ring({.hosts = 3});
  ring.IsBad(0, 1);
  const RetestChoice choice = ChooseRetests({ring.ports, ring.planned, ring.open});
  EXPECT_THAT(choice.pairs, IsEmpty());
  EXPECT_EQ(choice.without_good_port, 0u) << "h0002 is well, and has met both";
}

TEST(ChooseRetests, WhereAllIsBadNobodyIsKnownGood) {
  Ring ring({.hosts = 6});
  for (std::uint32_t i = 0; i < 6; ++i) ring.IsBad(i, (i + 1) % 6);
  const RetestChoice choice = ChooseRetests({ring.ports, ring.planned, ring.open});
  EXPECT_THAT(choice.pairs, IsEmpty());
  EXPECT_EQ(choice.without_good_port, 6u);
}

TEST(ChooseRetests, AnotherRailsGoodPortsAreNoPartners) {
  Ring ring({.hosts = 6, .rails = 2});
  for (std::uint32_t i = 0; i < 6; ++i) ring.IsBad(i, (i + 1) % 6);
  const RetestChoice choice = ChooseRetests({ring.ports, ring.planned, ring.open});
  EXPECT_THAT(choice.pairs, IsEmpty());
  EXPECT_EQ(choice.without_good_port, 6u);
}

TEST(ChooseRetests, APortWithABadPairIsNoPartner) {
  Ring ring({.hosts = 9});
  ring.IsBad(0, 1);
  ring.open.good_ports.erase(Ring::KeyOf(ring.ports[3]));
  for (const std::string& name : ring.Names()) EXPECT_THAT(name, Not(HasSubstr("h0003")));
}

TEST(ChooseRetests, AnEndOfTwoBadPairsIsAskedOnce) {
  Ring ring({.hosts = 12});
  ring.IsBad(4, 5);
  ring.IsBad(5, 6);
  std::map<std::uint32_t, int> times;
  for (const PortPair& pair : ring.Choose()) ++times[pair.a];
  EXPECT_THAT(times, ElementsAre(std::pair(4u, 2), std::pair(5u, 2), std::pair(6u, 2)));
}

TEST(ChooseRetests, OneIsOnTheOwnLeafAndOneOnAnother) {
  Ring ring({.hosts = 24, .hosts_of_a_leaf = 8});
  ring.IsBad(9, 10);
  EXPECT_THAT(ring.Names(),
              ElementsAre("h0009-h0011", "h0009-h0016", "h0010-h0012", "h0010-h0017"));
}

TEST(ChooseRetests, AcrossLeavesTheOtherIsOnThePeersLeaf) {
  Ring ring({.hosts = 24, .hosts_of_a_leaf = 8});
  ring.IsBad(15, 16);
  std::vector<std::string> leaves;
  for (const PortPair& pair : ring.Choose()) {
    leaves.push_back(ring.ports[pair.a].leaf + ">" + ring.ports[pair.b].leaf);
  }
  EXPECT_THAT(leaves, ElementsAre("leaf0-001>leaf0-001", "leaf0-001>leaf0-002",
                                  "leaf0-002>leaf0-002", "leaf0-002>leaf0-001"));
}

TEST(ChooseRetests, WithoutAGoodPortOnItsLeafBothAreOnOthers) {
  Ring ring({.hosts = 12, .hosts_of_a_leaf = 2});
  ring.IsBad(2, 3);
  EXPECT_THAT(ring.Choose(), SizeIs(4));
}

TEST(ChooseRetests, PortsOfWhichAPairSaidNothingAreTakenLast) {
  Ring ring({.hosts = 8});
  ring.IsBad(1, 2);
  ring.open.good_ports[Ring::KeyOf(ring.ports[3])] = 1;
  EXPECT_THAT(ring.Names(),
              ElementsAre("h0001-h0004", "h0001-h0005", "h0002-h0006", "h0002-h0007"));
}

TEST(ChooseRetests, TheOthersPortsOfABadPairsHostsAreNoPartners) {
  // Both ports of each host are on one rail.
  Ring ring({.hosts = 4});
  for (checks::RailPort port : PortsOf({.hosts = 4})) {
    port.rdma_device_id = "second";
    port.adapter_id = "second";
    ring.ports.push_back(port);
    ring.open.good_ports[Ring::KeyOf(port)] = 0;
  }
  ring.IsBad(0, 1);
  for (const PortPair& pair : ring.Choose()) {
    EXPECT_NE(ring.ports[pair.b].host, "h0000");
    EXPECT_NE(ring.ports[pair.b].host, "h0001");
  }
}

TEST(ChooseRetests, TheWorstComeFirstAndThereIsAMost) {
  Ring ring({.hosts = 200});
  for (std::uint32_t i = 0; i < 160; i += 4) ring.IsBad(i, i + 1);
  const std::vector<PortPair> pairs = ring.Choose();
  ASSERT_THAT(pairs, SizeIs(kMostRetests));
  EXPECT_EQ(pairs.front().a, 0u) << "in the order of the open pairs";
  EXPECT_LE(pairs.back().a, 4 * kMostRetests / 4);
}

TEST(ChooseRetests, ALargePlanMayHaveMore) {
  Ring ring({.hosts = 2000});
  for (std::uint32_t i = 0; i < 1600; i += 4) ring.IsBad(i, i + 1);
  EXPECT_THAT(ring.Choose(), SizeIs(200)) << "a tenth of the plan's pairs";
}

TEST(ChooseRetests, APartnerIsNotAskedForTwiceWhereOthersAreFree) {
  Ring ring({.hosts = 64});
  for (std::uint32_t i = 0; i < 24; i += 3) ring.IsBad(i, i + 1);
  std::set<std::uint32_t> partners;
  for (const PortPair& pair : ring.Choose()) {
    EXPECT_TRUE(partners.insert(pair.b).second) << ring.ports[pair.b].host;
  }
}

RC_GTEST_PROP(ChooseRetests, PartnersAreGoodUnmetAndOfTheEndsRail, ()) {
  const auto hosts = *rc::gen::inRange<std::uint32_t>(2, 40);
  const auto rails = *rc::gen::inRange<std::uint32_t>(1, 4);
  Ring ring({.hosts = hosts, .rails = rails, .hosts_of_a_leaf = *rc::gen::inRange(0U, 9U)});
  const auto bad = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::inRange<std::uint32_t>(0, hosts * rails));
  for (const std::uint32_t at : bad) {
    const std::uint32_t next = at % hosts + 1 == hosts ? at + 1 - hosts : at + 1;
    if (hosts > 2 || at % hosts == 0) ring.IsBad(at, next);
  }
  const std::vector<PortPair> pairs = ring.Choose();
  RC_ASSERT(pairs == ring.Choose());
  RC_ASSERT(pairs.size() <= std::max(kMostRetests, ring.planned.size() / kPlannedForARetest));
  std::set<std::set<std::string>> met;
  for (const checks::PlannedProbe& planned : ring.planned) {
    met.insert({planned.a.host() + planned.a.rdma_device_id(),
                planned.b.host() + planned.b.rdma_device_id()});
  }
  for (const PortPair& pair : pairs) {
    const checks::RailPort &a = ring.ports[pair.a], &b = ring.ports[pair.b];
    RC_ASSERT(a.rail == b.rail);
    RC_ASSERT(a.host != b.host);
    RC_ASSERT(ring.open.good_ports.contains(Ring::KeyOf(b)));
    RC_ASSERT(!ring.open.good_ports.contains(Ring::KeyOf(a)));
    RC_ASSERT(met.insert({a.host + a.rdma_device_id, b.host + b.rdma_device_id}).second);
  }
}

class PlanRetestsTest : public testing::Test {
 protected:
  RetestPlan Make(const Ring& ring) {
    PlanInput input;
    input.audit_id = "a7-1";
    input.ports = ring.ports;
    input.unreachable = unreachable_;
    input.at_once = 3;
    input.policy_of = [this](const std::string&) { return &policy_; };
    return PlanRetests(input, ring.planned, ring.open, ring.planned.size() + 1);
  }

  EffectivePolicy policy_;
  std::map<std::string, std::string> unreachable_;
};

TEST_F(PlanRetestsTest, OrdersGoOnWithTheNumbersOfThePlan) {
  Ring ring({.hosts = 8});
  ring.IsBad(1, 2);
  const RetestPlan retests = Make(ring);
  ASSERT_THAT(retests.plan.work.pairs, SizeIs(4));
  ASSERT_THAT(retests.plan.planned, SizeIs(4));
  EXPECT_EQ(retests.plan.work.at_once, 3u);
  for (std::size_t i = 0; i < 4; ++i) {
    const v1::ProbeSpec spec = retests.plan.work.spec_of(i);
    const checks::PlannedProbe& planned = retests.plan.planned[i];
    EXPECT_EQ(spec.probe_id(), fmt::format("a7-1-{}", 9 + i));
    EXPECT_EQ(spec.a().host(), planned.a.host());
    EXPECT_EQ(spec.b().host(), planned.b.host());
    EXPECT_EQ(retests.plan.work.pairs[i].a.host, planned.a.host());
    EXPECT_TRUE(planned.is_retest);
    EXPECT_GT(spec.phases_size(), 0);
  }
  EXPECT_EQ(retests.plan.in_words,
            "4 pairs more, to tell who is to blame for 1 bad pair that nothing explains");
  EXPECT_EQ(retests.not_retested, "");
}

TEST_F(PlanRetestsTest, WhoIsGoneIsNotProbedAgain) {
  Ring ring({.hosts = 8});
  ring.IsBad(1, 2);
  unreachable_ = {{"h0002", "gone"}, {"h0003", "gone"}};
  ring.ports[4].active = false;
  std::vector<std::string> names;
  const RetestPlan retests = Make(ring);
  for (const checks::PlannedProbe& planned : retests.plan.planned) {
    names.push_back(planned.a.host() + "-" + planned.b.host());
  }
  EXPECT_THAT(names, UnorderedElementsAre("h0001-h0005", "h0001-h0006"));
}

TEST_F(PlanRetestsTest, SaysWhereNobodyIsKnownGood) {
  Ring ring({.hosts = 4});
  for (std::uint32_t i = 0; i < 4; ++i) ring.IsBad(i, (i + 1) % 4);
  const RetestPlan retests = Make(ring);
  EXPECT_THAT(retests.plan.work.pairs, IsEmpty());
  EXPECT_EQ(retests.not_retested,
            "who is to blame for 4 bad pairs (no port of their rails is well with all that it met, "
            "so nothing was probed again)");
}

}  // namespace
}  // namespace roceready
