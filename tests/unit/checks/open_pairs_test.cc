// SPDX-License-Identifier: Apache-2.0
// What probes leave open, and what an audit says of the pairs that were added because of it.
#include "checks/blame/open_pairs.h"

#include "checks/fleet_judgement.h"
#include "tests/support/builders/probe_faults.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::ProbeBuilder;
using ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty,
    ::testing::Not, ::testing::SizeIs;

// Lab hosts "host1" to "host6" in a ring, in which all is well; further pairs can be added.
class RingOfSix {
 public:
  RingOfSix() {
    for (uint32_t number = 1; number <= 6; ++number) {
      hosts_.emplace_back(fmt::format("host{}", number), number);
    }
    for (size_t i = 0; i < 6; ++i) Probe(i, (i + 1) % 6);
  }

  ProbeBuilder& Probe(size_t a, size_t b, bool is_retest = false) {
    ProbeBuilder& probe = probes_.emplace_back(builders::EndOf(hosts_[a].facts()),
                                               builders::EndOf(hosts_[b].facts()));
    probe.result().mutable_spec()->set_probe_id(fmt::format("a1-{}", probes_.size()));
    is_retest_.push_back(is_retest);
    return probe;
  }
  ProbeBuilder& probe(size_t index) { return probes_[index]; }

  v1::AuditReport Conclude() {
    FleetInput fleet{.policy = &policy_};
    fleet.probes.asked = true;
    fleet.probes.not_retested = not_retested;
    for (size_t i = 0; i < probes_.size(); ++i) {
      fleet.probes.planned.push_back(probes_[i].Planned());
      fleet.probes.planned.back().is_retest = is_retest_[i];
      fleet.probes.results.push_back(&probes_[i].result());
    }
    std::vector<HostJudgementPtr> judged;
    for (HostBuilder& host : hosts_) {
      judged.push_back(JudgeHost({.host = host.facts().identity().host(),
                                  .facts = &host.facts(),
                                  .counters = &host.counters(),
                                  .policy = &policy_}));
    }
    fleet.now = kNow;
    return FleetJudgement(judged, policy_, nullptr).Conclude(fleet, &open);
  }

  // "host1-host2".
  std::vector<std::string> OpenNames() const {
    std::vector<std::string> names;
    for (const OpenPair& pair : open.pairs) {
      names.push_back(pair.a.host() + "-" + pair.b.host());
    }
    return names;
  }
  std::vector<std::string> GoodHosts() const {
    std::vector<std::string> names;
    for (const auto& [port, unknown] : open.good_ports) names.push_back(port.host);
    return names;
  }

  OpenPairs open;
  std::string not_retested;

 private:
  EffectivePolicy policy_ = builders::HealthyPolicy();
  std::deque<HostBuilder> hosts_;
  std::deque<ProbeBuilder> probes_;
  std::vector<bool> is_retest_;
};

TEST(OpenPairs, WhereAllIsWellNothingIsOpen) {
  RingOfSix ring;
  ring.Conclude();
  EXPECT_THAT(ring.open.pairs, IsEmpty());
  EXPECT_THAT(ring.open.good_ports, IsEmpty()) << "nobody needs one";
}

TEST(OpenPairs, ABadPairIsOpenAndItsEndsAreNotKnownGood) {
  RingOfSix ring;
  builders::DropFrom(ring.probe(0), v1::PROBE_SIDE_A);
  ring.Conclude();
  EXPECT_THAT(ring.OpenNames(), ElementsAre("host1-host2"));
  EXPECT_EQ(ring.open.pairs[0].symptom, Symptom::kNoTraffic);
  EXPECT_THAT(ring.GoodHosts(), ElementsAre("host3", "host4", "host5", "host6"));
}

TEST(OpenPairs, WhoIsBlamedLeavesNothingOpen) {
  RingOfSix ring;
  builders::DropBothWays(ring.probe(0));
  builders::DropBothWays(ring.probe(1));
  const v1::AuditReport report = ring.Conclude();
  EXPECT_THAT(RootsOf(report), ElementsAre("FAIL blame.no-traffic host2"));
  EXPECT_THAT(ring.open.pairs, IsEmpty());
}

TEST(OpenPairs, TheWorstComeFirst) {
  RingOfSix ring;
  builders::LoseFrom(ring.probe(0), v1::PROBE_SIDE_A, 16, 16);
  builders::LoseFrom(ring.probe(2), v1::PROBE_SIDE_A, 64, 64);
  builders::DropBothWays(ring.probe(4));
  ring.Conclude();
  EXPECT_THAT(ring.OpenNames(), ElementsAre("host5-host6", "host3-host4", "host1-host2"));
  EXPECT_GT(ring.open.pairs[1].rate, ring.open.pairs[2].rate);
}

TEST(OpenPairs, UnknownPairsAreNeitherOpenNorMakeAPortGood) {
  RingOfSix ring;
  builders::DropBothWays(ring.probe(0));
  // host4 - host5 - host6 said nothing.
  for (size_t i : {3, 4}) {
    ring.probe(i).result().set_refusal(v1::REFUSAL_REASON_BUSY);
    ring.probe(i).result().set_refused_by(v1::PROBE_SIDE_A);
  }
  ring.Conclude();
  EXPECT_THAT(ring.OpenNames(), ElementsAre("host1-host2"));
  EXPECT_THAT(ring.GoodHosts(), ElementsAre("host3", "host4", "host6"));
  EXPECT_EQ(ring.open.good_ports.begin()->second, 0u);
  EXPECT_EQ(ring.open.good_ports.rbegin()->second, 1u) << "one of host6's two";
}

TEST(Retests, TheReportSaysWhoWasWellWithWhom) {
  RingOfSix ring;
  builders::DropFrom(ring.probe(0), v1::PROBE_SIDE_A);
  ring.Probe(0, 2, /*is_retest=*/true);
  ring.Probe(0, 3, /*is_retest=*/true);
  ring.Probe(1, 3, /*is_retest=*/true);
  const v1::AuditReport report = ring.Conclude();
  ASSERT_THAT(RootsOf(report), SizeIs(1));
  EXPECT_THAT(RootsOf(report)[0], HasSubstr("probe.write"));
  std::vector<std::string> words;
  for (const v1::Evidence& one : report.findings(0).evidence()) {
    words.push_back(one.host() + ": " + one.value());
  }
  EXPECT_THAT(words,
              Contains("host1: well with host3 and host4, in pairs added to tell who is to blame"));
  EXPECT_THAT(words, Contains("host2: well with host4, in pairs added to tell who is to blame"));
}

TEST(Retests, ThatAreBadTooNameThePort) {
  RingOfSix ring;
  builders::DropBothWays(ring.probe(0));
  ring.probe(5).result().set_refusal(v1::REFUSAL_REASON_BUSY);
  ring.probe(5).result().set_refused_by(v1::PROBE_SIDE_A);
  EXPECT_THAT(RootsOf(ring.Conclude()), Not(Contains("FAIL blame.no-traffic host1")));
  for (size_t other : {2, 3}) builders::DropBothWays(ring.Probe(0, other, /*is_retest=*/true));
  ring.Probe(1, 4, /*is_retest=*/true);
  const v1::AuditReport report = ring.Conclude();
  EXPECT_THAT(RootsOf(report), Contains("FAIL blame.no-traffic host1"));
  std::string words;
  for (const v1::Evidence& one : Only(report, "blame.no-traffic").evidence()) words += one.value();
  EXPECT_THAT(words, HasSubstr("2 of these pairs were added to the plan to tell who is to blame"));
}

TEST(Retests, AreNotOfThePlansCoverage) {
  RingOfSix ring;
  builders::DropBothWays(ring.probe(0));
  ring.Probe(0, 2, /*is_retest=*/true);
  const v1::Coverage coverage = ring.Conclude().verdict().coverage();
  EXPECT_EQ(coverage.pairs_planned(), 6u);
  EXPECT_EQ(coverage.pairs_probed(), 6u);
  EXPECT_EQ(coverage.writes_verified(), 10u);
}

TEST(Retests, WhatTheyDoNotTellIsNotedAndDecidesNothing) {
  RingOfSix ring;
  ProbeBuilder& retest = ring.Probe(0, 2, /*is_retest=*/true);
  retest.result().set_refusal(v1::REFUSAL_REASON_BUSY);
  retest.result().set_refused_by(v1::PROBE_SIDE_A);
  const v1::AuditReport report = ring.Conclude();
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(Find(report, "probe.write")->on_unknown(), v1::ON_UNKNOWN_NOTE);
}

TEST(Retests, WhatCouldNotBeRetestedIsSaid) {
  RingOfSix ring;
  ring.not_retested = "who is to blame for 3 bad pairs (no port is well)";
  EXPECT_THAT(ring.Conclude().verdict().coverage().not_audited(), Contains(ring.not_retested));
}

}  // namespace
}  // namespace roceready::checks
