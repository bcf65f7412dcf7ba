// SPDX-License-Identifier: Apache-2.0
// What numbered datagrams add to what a connection's counters and a packet socket say.
#include "checks/datagrams.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/support/builders/probe_faults.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kA = v1::PROBE_SIDE_A;

class Datagrams : public testing::Test {
 protected:
  builders::ProbeBuilder& probe() { return fleet_.probes[0]; }
  v1::DatagramFlow& Flow(int flow) { return probe().DatagramsFrom(kA, flow); }
  v1::WirePackets& Arrived() {
    return *probe()
                .Passive(v1::PROBE_OPERATION_UD_PING, kA, builders::kDatagramBytes)
                .mutable_arrived(0);
  }
  // As a NIC that moves RDMA past the kernel.
  void HidePackets() {
    for (v1::EndReport* end : {probe().result().mutable_a(), probe().result().mutable_b()}) {
      end->mutable_wire()->clear_packets();
      end->mutable_wire()->mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
    }
  }

  // What was found on the way from host1 to host2.
  v1::Finding Found(std::string_view check_id) {
    const v1::AuditReport report = fleet_.Report();
    for (const v1::Finding& finding : report.findings()) {
      const v1::Subject& subject = finding.subject();
      if (finding.check_id() == check_id && subject.host() == "host1" &&
          subject.peer_host() == "host2") {
        return finding;
      }
    }
    return {};
  }

  FullFleet fleet_;
};

TEST_F(Datagrams, ProveTheVersionWhereTheNicMovesRdmaPastTheKernel) {
  HidePackets();
  EXPECT_EQ(Found("probe.roce-version").key(), "");
  EXPECT_EQ(fleet_.Report().verdict().coverage().ways_seen_rocev2(), 6u);
  Arrived().set_protocol(v1::WIRE_PROTOCOL_ROCE_V1);
  const v1::Finding version = Found("probe.roce-version");
  EXPECT_EQ(version.actual(),
            "256 of 256 packets from host1 that arrive at host2 are RoCEv1 (EtherType 0x8915)");
  EXPECT_THAT(version.evidence(1).value(), HasSubstr("datagrams received: request RoCEv1"));
  EXPECT_EQ(version.evidence(1).reading().outcome(), v1::OUTCOME_OK);
}

TEST_F(Datagrams, ShowAClassThatIsWrongAndLeaveThatOfRepliesUnknown) {
  HidePackets();
  const v1::Finding right = Found("probe.traffic-class");
  EXPECT_EQ(right.status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(
      right.reason(),
      HasSubstr("datagrams arrive with DSCP 26, and replies are not seen: the receiving end"));
  EXPECT_EQ(right.caused_by(), "");
  EXPECT_EQ(Found("probe.ecn-bits").key(), "");
  Arrived().set_traffic_class(0);
  EXPECT_THAT(Found("probe.traffic-class").actual(),
              HasSubstr("256 of 256 requests arrive with DSCP 0"));
  EXPECT_EQ(Found("probe.ecn-bits").status(), v1::CHECK_STATUS_UNKNOWN)
      << "the NIC may not set them on datagrams";
}

TEST_F(Datagrams, AreNotAskedWhereThePacketsThemselvesAreSeen) {
  Arrived().set_traffic_class(0);
  EXPECT_EQ(Found("probe.traffic-class").key(), "");
}

TEST_F(Datagrams, ThatAreLostAreLossThoughTheConnectionsCountersSayNothing) {
  for (int flow = 0; flow < 4; ++flow) Flow(flow).set_received(60);
  EXPECT_THAT(Found("probe.loss").actual(),
              HasSubstr("packets lost from host1 to host2 (16 of 256;"));
  EXPECT_EQ(Found("probe.flow-loss").key(), "") << "all flows alike";
  builders::HideCounters(probe());
  EXPECT_THAT(Found("probe.loss").actual(), HasSubstr("(16 of 256;"));
  for (int flow = 0; flow < 4; ++flow) Flow(flow).set_received(64);
  EXPECT_EQ(Found("probe.loss").status(), v1::CHECK_STATUS_UNKNOWN)
      << "256 packets are too few to say that none is lost";
}

TEST_F(Datagrams, ThatComeTwiceTellThatRequestsDidToo) {
  const auto read = [&](uint64_t repeats) {
    probe().Counts(v1::PROBE_OPERATION_READ, kA, builders::kLargeBytes,
                   {.sent = 100, .received = 1600, .repeats = repeats},
                   {.sent = 1600, .received = 110, .duplicates = 10});
  };
  // Of the replies, on the way from host2 to host1.
  const auto loss = [&] {
    const v1::AuditReport report = fleet_.Report();
    return std::ranges::count_if(report.findings(), [](const v1::Finding& finding) {
      return finding.check_id() == "probe.loss";
    });
  };
  read(10);
  EXPECT_EQ(loss(), 1);
  Flow(0).set_duplicates(3);
  EXPECT_EQ(loss(), 1) << "host1 did repeat them";
  read(0);
  EXPECT_EQ(loss(), 0);
  EXPECT_EQ(Found("probe.delivery").status(), v1::CHECK_STATUS_FAIL);
}

TEST_F(Datagrams, OfOneLossyFlowTellThatAPathIsBad) {
  Flow(1).set_received(44);
  const v1::Finding finding = Found("probe.flow-loss");
  EXPECT_EQ(
      finding.actual(),
      "1 of 4 flows from host1 to host2 lose datagrams (20 of 64), the others 0 of 192: one of "
      "several paths between them is bad, and neither host");
  ASSERT_EQ(finding.evidence_size(), 1);
  EXPECT_THAT(finding.evidence(0).value(),
              AllOf(HasSubstr("64 of 64"), HasSubstr("44 of 64"), HasSubstr("twice: 0")));
}

TEST_F(Datagrams, OfOneFlowThatLosesMoreThanOthersTellTheSame) {
  for (int flow = 0; flow < 4; ++flow) Flow(flow).set_received(flow == 1 ? 30 : 62);
  EXPECT_THAT(
      Found("probe.flow-loss").actual(),
      HasSubstr("1 of 4 flows from host1 to host2 lose datagrams (34 of 64), the others 6"));
}

TEST_F(Datagrams, OfHalfOfTheFlowsTellTheSame) {
  for (const int flow : {1, 3}) Flow(flow).set_received(44);
  EXPECT_THAT(Found("probe.flow-loss").actual(),
              HasSubstr("2 of 4 flows from host1 to host2 lose datagrams (20 of 64 and 20 of 64), "
                        "the others 0 of 128"));
}

TEST_F(Datagrams, ThatDifferAsChanceMakesThemAreAlike) {
  const std::array<int, 4> received = {52, 57, 49, 60};
  for (int flow = 0; flow < 4; ++flow) Flow(flow).set_received(received[flow]);
  EXPECT_EQ(Found("probe.flow-loss").key(), "");
  EXPECT_EQ(Found("probe.loss").status(), v1::CHECK_STATUS_FAIL);
}

TEST_F(Datagrams, OneThatIsLostIsNoLoss) {
  Flow(1).set_received(63);
  EXPECT_EQ(Found("probe.loss").key(), "");
}

TEST_F(Datagrams, OutOfTurnDoNotExplainMoreLossThanThereAreOfThem) {
  Flow(0).set_out_of_order(1);
  builders::LoseFrom(probe(), kA, 80, 0);
  EXPECT_EQ(Found("probe.loss").caused_by(), "") << "5 % is lost, 0.4 % late";
  Flow(0).set_out_of_order(30);
  EXPECT_EQ(Found("probe.loss").caused_by(), Found("probe.delivery").key());
}

TEST_F(Datagrams, OfWhichThePolicyWantsMoreAreUnknown) {
  fleet_.audit.policy.probes.set_datagram_flows(16);
  EXPECT_THAT(Found("probe.flow-loss").reason(), HasSubstr("4 flows carried datagrams"));
  probe().result().mutable_spec()->clear_phases();
  EXPECT_THAT(Found("probe.delivery").reason(), HasSubstr("none were sent"));
}

TEST_F(Datagrams, ThatAllArriveDamagedSayNothingOfTheWay) {
  for (int flow = 0; flow < 4; ++flow) {
    Flow(flow).set_received(0);
    Flow(flow).set_corrupt(64);
  }
  EXPECT_EQ(Found("probe.delivery").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST_F(Datagrams, FewThatAreLostInOneFlowMayBeChance) {
  Flow(1).set_received(61);
  EXPECT_EQ(Found("probe.flow-loss").key(), "");
  EXPECT_EQ(Found("probe.loss").status(), v1::CHECK_STATUS_FAIL);
}

TEST_F(Datagrams, OfWhichNoneArrivesSayNothingOfLoss) {
  probe().LosesDatagramsFrom(kA);
  EXPECT_THAT(Found("probe.delivery").reason(), HasSubstr("none of 256 datagrams from host1"));
  EXPECT_EQ(Found("probe.loss").key(), "");
}

TEST_F(Datagrams, ThatArriveDamagedAreNotLost) {
  Flow(0).set_received(63);
  Flow(0).set_corrupt(1);
  EXPECT_THAT(Found("probe.delivery").actual(), HasSubstr("1 damaged"));
  EXPECT_EQ(Found("probe.loss").key(), "");
}

TEST_F(Datagrams, SayOfAnEndThatCouldNotWhichItIs) {
  v1::PhaseResult& active =
      probe().Active(v1::PROBE_OPERATION_UD_PING, kA, builders::kDatagramBytes);
  active.set_outcome(v1::PHASE_OUTCOME_LOCAL_ERROR);
  active.set_detail("ibv_post_send on mlx5_0 (errno 12)");
  EXPECT_EQ(Found("probe.delivery").reason(),
            "datagrams at host1: ibv_post_send on mlx5_0 (errno 12)");
  EXPECT_EQ(Found("probe.flow-loss").caused_by(), Found("probe.delivery").key());
}

TEST_F(Datagrams, ThatWereNotOrderedAreNotJudged) {
  v1::ProbeSpec& spec = *probe().result().mutable_spec();
  for (v1::ProbePhase& phase : *spec.mutable_phases()) {
    if (phase.operation() == v1::PROBE_OPERATION_UD_PING) {
      phase.set_operation(v1::PROBE_OPERATION_UNSPECIFIED);
    }
  }
  EXPECT_EQ(TallyOf(fleet_.Report(), "probe.delivery").pass(), 4u) << "of the other two pairs";
}

TEST_F(Datagrams, TooFewPacketsForTheLossThatThePolicyWantsToSeeAreUnknown) {
  fleet_.audit.policy.probes.set_loss_to_see_ppm(100);
  const v1::Finding finding = Found("probe.loss");
  EXPECT_EQ(finding.status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(finding.reason(), HasSubstr("the policy asks for 0.010 %"));
  fleet_.audit.policy.probes.set_loss_to_see_ppm(100'000);
  EXPECT_EQ(Found("probe.loss").key(), "");
}

}  // namespace
}  // namespace roceready::checks
