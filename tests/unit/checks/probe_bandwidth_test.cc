// SPDX-License-Identifier: Apache-2.0
// What a probe's bandwidth is compared with, and what is told once.
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic, builders::ProbeBuilder;
using ::testing::HasSubstr, ::testing::UnorderedElementsAre;

// Three hosts in a ring, whose pairs measured so much.
FullFleet Measured(Nic nic, double first, double second, double third) {
  FullFleet fleet(nic);
  fleet.probes[0].Measures(first);
  fleet.probes[1].Measures(second);
  fleet.probes[2].Measures(third);
  return fleet;
}

v1::CheckTally Tally(FullFleet& fleet) { return TallyOf(fleet.Report(), "probe.bandwidth"); }

TEST(ProbeBandwidth, OfHalfTheLinkSpeedIsNoFault) {
  FullFleet fleet = Measured(Nic::kMlx5, 51e9, 97e9, 97e9);

  EXPECT_EQ(Tally(fleet).pass(), 6u);
}

TEST(ProbeBandwidth, IsComparedWithTheSlowestLinkOfThePath) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5), HostBuilder("gpu2", 2, Nic::kMlx5)});
  ProbeBuilder probe(builders::EndOf(audit.host(0).facts()),
                     builders::EndOf(audit.host(1).facts()));
  probe.Measures(40e9);
  audit.Probed(probe);
  const v1::AuditReport slow = audit.Report();
  EXPECT_EQ(TallyOf(slow, "probe.bandwidth").fail(), 2u);
  EXPECT_THAT(Find(slow, "probe.bandwidth")->actual(),
              HasSubstr("WRITE 40.0 Gb/s, where the link of gpu1 allows 100.0 Gb/s"));

  // A slot of 8 lanes at 8 GT/s carries 56 Gb/s.
  for (v1::PciHop& hop : *audit.host(1).pci().mutable_path_to_root()) {
    hop.set_current_speed_mtps(8000);
    hop.set_current_width_lanes(8);
  }
  EXPECT_EQ(TallyOf(audit.Report(), "probe.bandwidth").pass(), 2u);
}

TEST(ProbeBandwidth, IsNotJudgedAboveTheRateThatWasOrdered) {
  FullFleet fleet = Measured(Nic::kMlx5, 0.98e9, 95e9, 95e9);
  fleet.probes[0].result().mutable_spec()->set_rate_limit_bps(1'000'000'000);

  EXPECT_EQ(Tally(fleet).pass(), 6u);
}

// The bandwidth phases of the first pair moved a mebibyte in so many milliseconds.
void MovesLittleIn(FullFleet& fleet, int milliseconds) {
  for (v1::EndReport* end :
       {fleet.probes[0].result().mutable_a(), fleet.probes[0].result().mutable_b()}) {
    for (v1::PhaseResult& phase : *end->mutable_phases()) {
      if (phase.bandwidth_bps() <= 0) continue;
      phase.set_bytes_moved(1 << 20);
      phase.mutable_elapsed()->set_nanos(milliseconds * 1'000'000);
    }
  }
}

TEST(ProbeBandwidth, OfTooLittleDataIsNotJudged) {
  FullFleet fleet = Measured(Nic::kMlx5, 1e9, 95e9, 95e9);
  MovesLittleIn(fleet, 8);

  EXPECT_EQ(Tally(fleet).not_applicable(), 2u);
  EXPECT_EQ(Tally(fleet).pass(), 4u);
}

TEST(ProbeBandwidth, ThatMovesLittleInALongTimeIsSlow) {
  FullFleet fleet = Measured(Nic::kMlx5, 17e6, 95e9, 95e9);
  MovesLittleIn(fleet, 500);

  EXPECT_THAT(RootsOf(fleet.Report()), UnorderedElementsAre("FAIL probe.bandwidth host1>host2"));
}

TEST(ProbeBandwidth, OfSoftwareThatMovesLittleIsNotJudged) {
  FullFleet fleet = Measured(Nic::kLab, 17e6, 3e9, 3e9);
  MovesLittleIn(fleet, 500);

  EXPECT_EQ(Tally(fleet).not_applicable(), 2u);
}

TEST(ProbeBandwidth, IsUnknownWhereTheLinkSpeedIs) {
  FullFleet fleet = Measured(Nic::kMlx5, 95e9, 95e9, 95e9);
  fleet.host2().net().mutable_ethernet()->clear_speed_mbps();

  EXPECT_EQ(Tally(fleet).unknown(), 4u);
  EXPECT_EQ(Tally(fleet).pass(), 2u);
}

TEST(ProbeBandwidth, IsSlowBesideOthersAlsoWhereTheLinkSpeedIsNotKnown) {
  FullFleet fleet = Measured(Nic::kMlx5, 20e9, 95e9, 95e9);
  fleet.host2().net().mutable_ethernet()->clear_speed_mbps();

  EXPECT_EQ(Tally(fleet).fail(), 2u);
}

TEST(ProbeBandwidth, OfSoftwareDevicesMayDifferByAFactorOfThree) {
  FullFleet fleet = Measured(Nic::kLab, 1e9, 3e9, 3e9);
  EXPECT_EQ(Tally(fleet).pass(), 6u);

  FullFleet slow = Measured(Nic::kLab, 0.5e9, 3e9, 3e9);
  EXPECT_THAT(RootsOf(slow.Report()), UnorderedElementsAre("FAIL probe.bandwidth host1>host2"));
}

TEST(ProbeBandwidth, IsExplainedByASlowSlot) {
  FullFleet fleet = Measured(Nic::kMlx5, 7e9, 7e9, 95e9);
  fleet.host2().pci().mutable_path_to_root(0)->set_current_width_lanes(1);
  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(RootsOf(report), UnorderedElementsAre("FAIL pcie.link host2"));
}

}  // namespace
}  // namespace roceready::checks
