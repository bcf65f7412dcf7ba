// SPDX-License-Identifier: Apache-2.0
// What an audit says of a port, host or switch that explains what many of its probes showed.
#include "tests/support/builders/probe_faults.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic, builders::ProbeBuilder;
using ::testing::AllOf, ::testing::Contains, ::testing::HasSubstr, ::testing::IsEmpty,
    ::testing::UnorderedElementsAre;

// Three hosts in a ring, of which both pairs of host2 are slow.
FullFleet SlowHost2() {
  FullFleet fleet(Nic::kMlx5);
  fleet.probes[0].Measures(7e9);
  fleet.probes[1].Measures(7e9);
  fleet.probes[2].Measures(95e9);
  return fleet;
}

TEST(Blame, SaysInHowManyPairsAndHowSureItIs) {
  FullFleet fleet = SlowHost2();
  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(
      Only(report, "blame.slow").actual(),
      "slow, 7.0 Gb/s, sending and receiving: 2 of 2 pairs, 1 other is well (confidence 98 %)");
}

TEST(Blame, RestsOnTheCountersOfBothEnds) {
  FullFleet fleet(Nic::kLab);
  builders::LoseFrom(fleet.probes[0], v1::PROBE_SIDE_A, 16, 16);
  builders::LoseFrom(fleet.probes[1], v1::PROBE_SIDE_B, 32, 32);
  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(RootsOf(report), UnorderedElementsAre("FAIL blame.loss host2"));
  const v1::Finding& blame = Only(report, "blame.loss");
  EXPECT_THAT(blame.actual(), HasSubstr("receiving only"));
  std::vector<std::string> hosts;
  for (const v1::Evidence& evidence : blame.evidence()) {
    if (evidence.counters_size() > 0) hosts.push_back(evidence.host());
  }
  // The pair that lost most comes first.
  ASSERT_FALSE(hosts.empty());
  EXPECT_EQ(hosts.front(), "host3");
  EXPECT_THAT(hosts, AllOf(Contains("host1"), Contains("host2")));
}

TEST(Blame, FollowsFromTheConfigurationThatExplainsIt) {
  FullFleet fleet = SlowHost2();
  fleet.host2().WithPfc({});

  EXPECT_THAT(FoldedOf(fleet.Report()), Contains("FAIL blame.slow host2 <- pfc.lossless-priority"));
}

TEST(Blame, DoesNotFollowFromTheConfigurationOfAPeer) {
  FullFleet fleet = SlowHost2();
  fleet.audit.host(0).WithPfc({});

  EXPECT_THAT(RootsOf(fleet.Report()), Contains("FAIL blame.slow host2"));
}

TEST(Blame, OfTheSlowFollowsFromTheBlameOfLoss) {
  FullFleet fleet = SlowHost2();
  builders::LoseFrom(fleet.probes[0], v1::PROBE_SIDE_A, 16, 16);
  builders::LoseFrom(fleet.probes[1], v1::PROBE_SIDE_B, 16, 16);
  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(RootsOf(report), UnorderedElementsAre("FAIL blame.loss host2"));
  EXPECT_THAT(FoldedOf(report), Contains("FAIL blame.slow host2 <- blame.loss"));
}

TEST(Blame, CountsPairsThatAreUnknownNeitherWay) {
  FullFleet fleet = SlowHost2();
  fleet.probes[1].result().set_refusal(v1::REFUSAL_REASON_BUSY);
  fleet.probes[1].result().set_refused_by(v1::PROBE_SIDE_A);
  const v1::AuditReport report = fleet.Report();

  EXPECT_EQ(Find(report, "blame.slow"), nullptr);
  EXPECT_THAT(RootsOf(report), Contains("FAIL probe.bandwidth host1>host2"));
}

TEST(Blame, OfAPeerThatDoesNotSendIsToldByItsOwnCounters) {
  FullFleet fleet(Nic::kLab);
  builders::DropBothWays(fleet.probes[0], /*a_sends=*/true, /*b_sends=*/false);
  builders::DropBothWays(fleet.probes[1], /*a_sends=*/false, /*b_sends=*/true);

  EXPECT_THAT(RootsOf(fleet.Report()), UnorderedElementsAre("FAIL blame.no-traffic host2"));
}

TEST(Blame, WithoutCountersLeavesTheDirectionOpen) {
  FullFleet fleet(Nic::kLab);
  for (size_t dead : {0, 1}) {
    builders::DropBothWays(fleet.probes[dead]);
    builders::HideCounters(fleet.probes[dead]);
  }
  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(Only(report, "blame.no-traffic").actual(),
              HasSubstr("sending or receiving, cannot be told"));
}

TEST(Blame, GivesTheCommandsOfPerftest) {
  FullFleet fleet = SlowHost2();
  for (ProbeBuilder& probe : fleet.probes) {
    probe.result().mutable_a()->mutable_used()->set_gid_index(3);
    probe.result().mutable_b()->mutable_used()->set_gid_index(5);
    probe.result().mutable_spec()->mutable_transport()->set_traffic_class(104);
  }

  EXPECT_THAT(Only(fleet.Report(), "blame.slow").fix().text(),
              AllOf(HasSubstr("on host2: ib_write_bw -d "),
                    HasSubstr("-i 1 -x 5 --report_gbits -D 5 --tclass=104 -m 4096; then on host1"),
                    HasSubstr(" 10.77.0.2.")));
}

// gpu1 and gpu2 hear leaf1, gpu3 and gpu4 leaf2; every two of the four are probed.
struct TwoLeaves {
  TwoLeaves()
      : audit({HostBuilder("gpu1", 1, Nic::kMlx5), HostBuilder("gpu2", 2, Nic::kMlx5),
               HostBuilder("gpu3", 3, Nic::kMlx5), HostBuilder("gpu4", 4, Nic::kMlx5)}) {
    for (size_t host = 0; host < 4; ++host) {
      v1::Lldp& lldp = *audit.host(host).net().mutable_lldp();
      *lldp.mutable_reading() = builders::Answered(v1::SOURCE_LLDP_FRAME);
      lldp.add_neighbours()->set_system_name(host < 2 ? "leaf1" : "leaf2");
    }
    for (size_t a = 0; a < 4; ++a) {
      for (size_t b = a + 1; b < 4; ++b) {
        probes.emplace_back(builders::EndOf(audit.host(a).facts()),
                            builders::EndOf(audit.host(b).facts()));
        (a / 2 == b / 2 ? within : crossing).push_back(probes.size() - 1);
      }
    }
  }

  v1::AuditReport Report() {
    for (ProbeBuilder& probe : probes) audit.Probed(probe);
    return audit.Report();
  }

  AuditOf audit;
  std::vector<ProbeBuilder> probes;
  std::vector<size_t> within, crossing;
};

TEST(Blame, NamesTheTwoLeavesBetweenWhichItIsSlow) {
  TwoLeaves leaves;
  for (const size_t pair : leaves.within) leaves.probes[pair].Measures(92e9);
  for (const size_t pair : leaves.crossing) leaves.probes[pair].Measures(4e9);

  EXPECT_THAT(RootsOf(leaves.Report()),
              Contains("FAIL blame.slow between leaf leaf1 and leaf leaf2"));
}

TEST(Blame, OfWhatHostsShareLeavesNoHostOut) {
  TwoLeaves leaves;
  for (const size_t pair : leaves.crossing) builders::DropBothWays(leaves.probes[pair]);
  const v1::AuditReport report = leaves.Report();

  EXPECT_THAT(RootsOf(report), Contains("FAIL blame.no-traffic between leaf leaf1 and leaf leaf2"));
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_THAT(report.verdict().hosts_blocked(), IsEmpty());
}

TEST(Blame, OfAPortLeavesItsHostOut) {
  FullFleet fleet(Nic::kLab);
  for (size_t dead : {0, 1}) builders::DropBothWays(fleet.probes[dead]);

  EXPECT_THAT(fleet.Report().verdict().hosts_blocked(), UnorderedElementsAre("host2"));
}

}  // namespace
}  // namespace roceready::checks
