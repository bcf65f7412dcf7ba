// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "tests/unit/controller/probing/fabric.h"

namespace roceready {
namespace {

using Ports = std::vector<checks::RailPort>;

std::string AdapterOf(const checks::RailPort& port) { return port.host + "/" + port.adapter_id; }

// What is wrong with pairs of any plan; empty: nothing.
std::string Mistake(const Pairing& pairing, const Ports& ports) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::map<std::uint32_t, std::set<std::string>> loaded;
  std::uint32_t last_round = 0;
  for (const auto& [a, b, round, incast] : pairing.pairs) {
    if (incast != 0) return "an incast";
    if (round < last_round || round >= pairing.rounds) return "the rounds are in no order";
    last_round = round;
    if (!seen.insert(std::minmax(a, b)).second) return "a pair comes twice";
    if (ports[a].host == ports[b].host) return "a host is paired with itself";
    if (ports[a].rail != ports[b].rail) return "a pair is across rails";
    for (const std::uint32_t place : {a, b}) {
      if (!loaded[round].insert(AdapterOf(ports[place])).second) {
        return "an adapter is twice in round " + std::to_string(round);
      }
    }
  }
  return {};
}

std::vector<std::uint32_t> DegreesOf(const Pairing& pairing, const Ports& ports) {
  std::vector<std::uint32_t> degrees(ports.size());
  for (const PortPair& pair : pairing.pairs) ++degrees[pair.a], ++degrees[pair.b];
  return degrees;
}

TEST(PairPorts, AFullMeshOf64HostsHas63Rounds) {
  for (std::uint32_t hosts_of_a_leaf : {0u, 16u, 24u}) {
    const Ports ports = PortsOf({.hosts = 64, .rails = 8, .hosts_of_a_leaf = hosts_of_a_leaf});
    const Pairing full = PairPorts(v1::PLAN_KIND_FULL, 0, ports);
    EXPECT_EQ(full.rounds, 63u) << hosts_of_a_leaf;
    EXPECT_EQ(full.pairs.size(), 8u * 64 * 63 / 2);
    EXPECT_EQ(full.pairs.size(), CountPairs(v1::PLAN_KIND_FULL, 0, ports));
    EXPECT_EQ(Mistake(full, ports), "") << hosts_of_a_leaf;
  }
}

// What is wrong with a plan of incasts; empty: nothing.
std::string MistakeOfIncasts(const Pairing& pairing, const Ports& ports, std::uint32_t degree) {
  struct Incast {
    std::uint32_t to = 0, round = 0, senders = 0;
  };
  std::map<std::uint32_t, Incast> incasts;
  std::map<std::uint32_t, std::set<std::string>> loaded;
  std::set<std::uint32_t> receivers;
  std::uint32_t last = 0, last_round = 0;
  for (const auto& [a, b, round, incast] : pairing.pairs) {
    if (incast == 0) return "a pair is in no incast";
    if (round < last_round || round >= pairing.rounds) return "the rounds are in no order";
    last_round = round;
    const auto [found, is_new] = incasts.try_emplace(incast, Incast{b, round, 0});
    if (!is_new && incast != last) return "the pairs of an incast are not in a row";
    last = incast;
    if (found->second.to != b || found->second.round != round) return "an incast has two ports";
    ++found->second.senders;
    if (ports[a].host == ports[b].host) return "a host sends to itself";
    if (ports[a].rail != ports[b].rail) return "a pair is across rails";
    if (!loaded[round].insert(AdapterOf(ports[a])).second) return "an adapter is twice in a round";
    if (is_new && !receivers.insert(b).second) return "a port receives twice";
    if (is_new && !loaded[round].insert(AdapterOf(ports[b])).second) {
      return "an adapter is twice in a round";
    }
  }
  for (const auto& [number, incast] : incasts) {
    if (incast.senders < 2 || incast.senders > degree) return "the number of senders is wrong";
  }
  return {};
}

RC_GTEST_PROP(PairPorts, EveryPortOfEnoughHostsReceivesOnceFromSoManyOthers, ()) {
  const auto hosts = *rc::gen::inRange<std::uint32_t>(1, 30);
  const auto degree = *rc::gen::inRange<std::uint32_t>(2, 12);
  const auto rails = *rc::gen::inRange<std::uint32_t>(1, 4);
  const Ports ports = PortsOf({.hosts = hosts, .rails = rails});
  const Pairing incast = PairPorts(v1::PLAN_KIND_INCAST, degree, ports);
  RC_ASSERT(MistakeOfIncasts(incast, ports, degree) == "");
  const std::uint32_t senders = std::min(degree, hosts - 1);
  RC_ASSERT(incast.pairs.size() == (senders < 2 ? 0 : std::size_t{rails} * hosts * senders));
}

TEST(PairPorts, IncastsOfThreeHostsTakeTurns) {
  const Ports ports = PortsOf({.hosts = 3});
  const Pairing incast = PairPorts(v1::PLAN_KIND_INCAST, 2, ports);
  EXPECT_EQ(incast.pairs.size(), 6u);
  EXPECT_EQ(incast.rounds, 3u);
  EXPECT_EQ(CountPairs(v1::PLAN_KIND_INCAST, 2, ports), 6u);
}

TEST(PairPorts, AFullMeshOfAnOddNumberHasAsManyRounds) {
  const Ports ports = PortsOf({.hosts = 65});
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_FULL, 0, ports).rounds, 65u);
}

TEST(PairPorts, PairsOnOneLeafComeFirst) {
  const Ports ports = PortsOf({.hosts = 12, .rails = 2, .hosts_of_a_leaf = 4});
  for (const auto& [a, b, round, incast] : PairPorts(v1::PLAN_KIND_FULL, 0, ports).pairs) {
    EXPECT_EQ(ports[a].leaf == ports[b].leaf, round < 3) << a << " with " << b;
  }
}

TEST(PairPorts, APlanOfARailIsEveryPairOnIt) {
  const Ports ports = PortsOf({.hosts = 6, .rails = 2});
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_RAIL, 0, ports).pairs.size(), 30u);
}

TEST(PairPorts, PortsOfOneAdapterTakeTurns) {
  const Ports ports = PortsOf({.hosts = 8, .rails = 2, .ports_of_an_adapter = 2});
  const Pairing full = PairPorts(v1::PLAN_KIND_FULL, 0, ports);
  EXPECT_EQ(Mistake(full, ports), "");
  EXPECT_EQ(full.rounds, 14u) << "each adapter is in 14 pairs";
}

TEST(PairPorts, SeveralPortsOfAHostOnOneRailAreNotPairedWithEachOther) {
  Ports ports = PortsOf({.hosts = 4, .rails = 2});
  for (checks::RailPort& port : ports) port.rail = "10.0.0.0/16";
  std::ranges::sort(ports, {}, &checks::RailPort::host);
  const Pairing pair = PairPorts(v1::PLAN_KIND_PAIR, 0, std::span(ports).first(4));
  EXPECT_EQ(pair.pairs.size(), 4u) << "two hosts with two ports each";
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_FULL, 0, ports).pairs.size(), 24u);
  EXPECT_EQ(Mistake(PairPorts(v1::PLAN_KIND_FULL, 0, ports), ports), "");
}

TEST(PairPorts, ARingTakesTwoRoundsOrThree) {
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_RING, 0, PortsOf({.hosts = 128, .rails = 8})).rounds, 2u);
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_RING, 0, PortsOf({.hosts = 7})).rounds, 3u);
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_RING, 0, PortsOf({.hosts = 2})).pairs.size(), 1u);
}

TEST(PairPorts, ASparsePlanOfMoreThanThereAreIsEveryPair) {
  const Ports ports = PortsOf({.hosts = 9});
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_SPARSE, 8, ports).pairs.size(), 36u);
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_SPARSE, 100, ports).pairs.size(), 36u);
}

TEST(PairPorts, OfOneHostOrNobodyAreNone) {
  for (v1::PlanKind kind : {v1::PLAN_KIND_RING, v1::PLAN_KIND_SPARSE, v1::PLAN_KIND_FULL}) {
    EXPECT_TRUE(PairPorts(kind, 4, {}).pairs.empty());
    EXPECT_TRUE(PairPorts(kind, 4, PortsOf({.hosts = 1, .rails = 8})).pairs.empty());
  }
}

RC_GTEST_PROP(PairPorts, OfAnyFleetNeverLoadAnAdapterTwiceInARound, ()) {
  Fabric fabric;
  fabric.hosts = *rc::gen::inRange<std::uint32_t>(1, 40);
  fabric.rails = *rc::gen::inRange<std::uint32_t>(1, 4);
  fabric.hosts_of_a_leaf = *rc::gen::inRange<std::uint32_t>(0, 9);
  fabric.ports_of_an_adapter = *rc::gen::inRange<std::uint32_t>(1, 3);
  const auto kind = *rc::gen::element(v1::PLAN_KIND_RING, v1::PLAN_KIND_SPARSE, v1::PLAN_KIND_FULL);
  const auto degree = *rc::gen::inRange<std::uint32_t>(2, 12);
  const Ports ports = PortsOf(fabric);
  const Pairing pairing = PairPorts(kind, degree, ports);
  RC_ASSERT(Mistake(pairing, ports) == "");
  RC_ASSERT(pairing.pairs == PairPorts(kind, degree, ports).pairs);
  if (kind == v1::PLAN_KIND_FULL) {
    RC_ASSERT(pairing.pairs.size() == CountPairs(kind, degree, ports));
  }
  if (kind == v1::PLAN_KIND_SPARSE) {
    for (const std::uint32_t reached : DegreesOf(pairing, ports)) {
      RC_ASSERT(reached >= std::min(degree, fabric.hosts - 1));
    }
  }
}

}  // namespace
}  // namespace roceready
