// SPDX-License-Identifier: Apache-2.0
// What the packets of a probe say, and what is said where none was seen.
#include <gmock/gmock.h>

#include "tests/support/builders/probe_faults.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr auto kA = v1::PROBE_SIDE_A;
constexpr auto kB = v1::PROBE_SIDE_B;
constexpr auto kRequest = v1::WIRE_ROLE_REQUEST;
constexpr auto kReply = v1::WIRE_ROLE_REPLY;

class ProbeWire : public testing::Test {
 protected:
  v1::WirePackets& Left(v1::WireRole role) { return probe().Packets(kA, false, role); }
  v1::WirePackets& Arrived(v1::WireRole role) { return probe().Packets(kB, true, role); }
  // Of packet sockets alone: datagrams_test.cc says what datagrams add.
  ProbeWire() {
    for (v1::EndReport* end : {probe().result().mutable_a(), probe().result().mutable_b()}) {
      for (v1::PhaseResult& phase : *end->mutable_phases()) phase.clear_arrived();
    }
  }
  builders::ProbeBuilder& probe() { return fleet_.probes[0]; }
  v1::WireView& ViewOfB() { return *probe().result().mutable_b()->mutable_wire(); }

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

TEST_F(ProbeWire, TellsWhoChangedTheClass) {
  Arrived(kRequest).set_traffic_class(0);
  EXPECT_EQ(Found("probe.traffic-class").actual(),
            "40 of 40 requests arrive with DSCP 0: host1 sends them with DSCP 26: they are changed "
            "on the way");
  Left(kRequest).set_traffic_class(0);
  EXPECT_EQ(Found("probe.traffic-class").actual(),
            "40 of 40 requests arrive with DSCP 0: host1 sends them so");
  probe().result().mutable_a()->mutable_wire()->Clear();
  EXPECT_THAT(Found("probe.traffic-class").actual(),
              HasSubstr("how host1 sends them was not seen"));
}

TEST_F(ProbeWire, TellsRequestsFromReplies) {
  Arrived(kReply).set_traffic_class(12 << 2);
  EXPECT_THAT(Found("probe.traffic-class").actual(),
              AllOf(HasSubstr("40 of 40 replies arrive with DSCP 12"),
                    testing::Not(HasSubstr("requests"))));
}

TEST_F(ProbeWire, CountsPacketsThatDifferFromTheRest) {
  v1::WirePackets& some = *ViewOfB().add_packets();
  some = Arrived(kRequest);
  some.set_traffic_class(0);
  some.set_packets(2);
  EXPECT_THAT(Found("probe.traffic-class").actual(), HasSubstr("2 of 42 requests"));
}

TEST_F(ProbeWire, ShowsWhatBothEndsSaw) {
  Arrived(kRequest).set_traffic_class(0);
  const v1::Finding finding = Found("probe.traffic-class");
  ASSERT_EQ(finding.evidence_size(), 2);
  EXPECT_EQ(finding.evidence(0).host(), "host1");
  EXPECT_EQ(finding.evidence(0).value(),
            "sent: request RoCEv2 DSCP 26 ECN 2: 40 and reply RoCEv2 DSCP 26 ECN 2: 40");
  EXPECT_EQ(finding.evidence(1).host(), "host2");
  EXPECT_THAT(finding.evidence(1).value(), HasSubstr("request RoCEv2 DSCP 0 ECN 0: 40"));
  EXPECT_FALSE(finding.evidence(1).probe_id().empty());
}

TEST_F(ProbeWire, IsUnknownOnceWithItsReasonWhereThePacketsWereNotSeen) {
  ViewOfB().clear_packets();
  ViewOfB().mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
  ViewOfB().mutable_reading()->set_detail("the device moves RDMA past the kernel");
  const v1::Finding version = Found("probe.roce-version");
  EXPECT_EQ(version.status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(version.severity(), v1::SEVERITY_BLOCKS);
  EXPECT_EQ(version.on_unknown(), v1::ON_UNKNOWN_NOTE);
  EXPECT_THAT(version.reason(),
              AllOf(HasSubstr("the receiving end"), HasSubstr("past the kernel")));
  for (const char* follower : {"probe.traffic-class", "probe.ecn-bits", "probe.congestion-marks"}) {
    EXPECT_EQ(Found(follower).status(), v1::CHECK_STATUS_UNKNOWN) << follower;
    EXPECT_EQ(Found(follower).caused_by(), version.key()) << follower;
  }
}

TEST_F(ProbeWire, OfAnOlderAgentIsUnknown) {
  probe().result().mutable_b()->clear_wire();
  EXPECT_THAT(Found("probe.roce-version").reason(), HasSubstr("NOT_COLLECTED"));
}

TEST_F(ProbeWire, RoceV1OnTheWayIsFoundByTheSenderAlone) {
  ViewOfB().Clear();
  Left(kRequest).set_protocol(v1::WIRE_PROTOCOL_ROCE_V1);
  EXPECT_EQ(Found("probe.roce-version").actual(),
            "40 of 80 packets from host1 on the way to host2 are RoCEv1 (EtherType 0x8915)");
}

TEST_F(ProbeWire, WithoutRepliesSeenTheirClassIsUnknown) {
  Arrived(kReply) = Arrived(kRequest);
  EXPECT_EQ(Found("probe.traffic-class").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(Found("probe.traffic-class").reason(), "no replies were seen to arrive");
  EXPECT_EQ(Found("probe.ecn-bits").key(), "");
}

TEST_F(ProbeWire, WhereThePolicyOrdersRoceV1ItIsExpected) {
  for (v1::ProbeEnd* end : {probe().result().mutable_spec()->mutable_a(),
                            probe().result().mutable_spec()->mutable_b()}) {
    end->set_gid_type(v1::GID_TYPE_ROCE_V1);
  }
  EXPECT_EQ(Found("probe.roce-version").actual(),
            "80 of 80 packets from host1 that arrive at host2 are RoCEv2 (UDP port 4791)");
  EXPECT_EQ(Found("probe.traffic-class").key(), "");
}

TEST_F(ProbeWire, IsCountedInTheCoverage) {
  EXPECT_EQ(fleet_.Report().verdict().coverage().ways_seen_rocev2(), 6u);
  ViewOfB().Clear();
  EXPECT_EQ(fleet_.Report().verdict().coverage().ways_seen_rocev2(), 5u);
  probe().Packets(kA, true, kReply).set_protocol(v1::WIRE_PROTOCOL_ROCE_V1);
  EXPECT_EQ(fleet_.Report().verdict().coverage().ways_seen_rocev2(), 4u);
}

TEST_F(ProbeWire, WithoutEcnInTheOrderItsBitsAreNotAskedFor) {
  probe().result().mutable_spec()->mutable_transport()->set_traffic_class(26 << 2);
  for (const v1::WireRole role : {kRequest, kReply}) Arrived(role).set_traffic_class(26 << 2);
  EXPECT_EQ(Found("probe.ecn-bits").key(), "");
  EXPECT_EQ(Found("probe.traffic-class").key(), "");
}

TEST_F(ProbeWire, WithoutEcnInTheOrderMarksAreNotAskedFor) {
  probe().result().mutable_spec()->mutable_transport()->set_traffic_class(26 << 2);
  EXPECT_EQ(TallyOf(fleet_.Report(), "probe.congestion-marks").not_applicable(), 2u);
}

TEST_F(ProbeWire, MarksAreUnknownWhereTheBitsAreClearedOnTheWay) {
  Arrived(kRequest).set_traffic_class(26 << 2);
  const v1::Finding marks = Found("probe.congestion-marks");
  EXPECT_EQ(marks.status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(marks.reason(), HasSubstr("arrive without ECN bits"));
  EXPECT_EQ(marks.caused_by(), Found("probe.ecn-bits").key());
  EXPECT_EQ(Found("probe.ecn-bits").caused_by(), "");
}

TEST_F(ProbeWire, MarksAreUnknownWhereTheSenderSendsWithoutBits) {
  Left(kRequest).set_traffic_class(26 << 2);
  Arrived(kRequest).set_traffic_class(26 << 2);
  EXPECT_EQ(Found("probe.congestion-marks").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(Found("probe.congestion-marks").caused_by(), Found("probe.ecn-bits").key());
  EXPECT_THAT(Found("probe.ecn-bits").actual(), HasSubstr("host1 sends them so"));
}

TEST_F(ProbeWire, MarksAreCountedAmongWhatCanBeMarked) {
  v1::WirePackets& unable = *ViewOfB().add_packets();
  unable = Arrived(kRequest);
  unable.set_traffic_class(26 << 2);
  unable.set_packets(7);
  EXPECT_EQ(Found("probe.congestion-marks").key(), "");
  v1::WirePackets& marked = *ViewOfB().add_packets();
  marked = Arrived(kRequest);
  marked.set_traffic_class(26 << 2 | 3);
  marked.set_packets(2);
  EXPECT_THAT(Found("probe.congestion-marks").actual(), HasSubstr("2 of 42 requests"));
}

TEST_F(ProbeWire, SaysNothingOfAProbeThatWasRefused) {
  probe().result().set_refusal(v1::REFUSAL_REASON_BUSY);
  EXPECT_EQ(Found("probe.roce-version").key(), "");
}

// The way from host1 to host2 and the one from host1 to host3 share a port, and nothing else.
class TwoWays : public testing::Test {
 protected:
  TwoWays() : fleet_(builders::Nic::kMlx5) {
    for (builders::ProbeBuilder& probe : fleet_.probes) probe.Measures(95e9);
  }

  v1::WirePackets& ArrivedAtHost2() { return fleet_.probes[0].Packets(kB, true, kRequest); }
  void MarkToHost2() { ArrivedAtHost2().set_traffic_class(26 << 2 | 3); }
  void SlowToHost2() { builders::MeasureEach(fleet_.probes[0], 7e9, 95e9); }
  // Of host3 and host1.
  void SlowToHost3() { builders::MeasureEach(fleet_.probes[2], 95e9, 7e9); }
  void LoseToHost2() { builders::LoseFrom(fleet_.probes[0], kA, 16, 16); }
  void LoseToHost3() { builders::LoseFrom(fleet_.probes[2], kB, 16, 16); }

  FullFleet fleet_;
};

TEST_F(TwoWays, AreSlowEachForAReasonOfItsOwn) {
  MarkToHost2();
  SlowToHost3();
  EXPECT_THAT(RootsOf(fleet_.Report()),
              UnorderedElementsAre("FAIL probe.congestion-marks host1>host2",
                                   "FAIL probe.bandwidth host1>host3"));
  ArrivedAtHost2().set_traffic_class(2);
  EXPECT_THAT(RootsOf(fleet_.Report()), UnorderedElementsAre("FAIL probe.traffic-class host1>host2",
                                                             "FAIL probe.bandwidth host1>host3"));
}

TEST_F(TwoWays, LoseEachForAReasonOfItsOwn) {
  ArrivedAtHost2().set_traffic_class(2);
  LoseToHost3();
  EXPECT_THAT(RootsOf(fleet_.Report()), UnorderedElementsAre("FAIL probe.traffic-class host1>host2",
                                                             "FAIL probe.loss host1>host3"));
}

TEST_F(TwoWays, LossOfOneIsNoReasonForTheOtherToBeSlow) {
  LoseToHost2();
  SlowToHost3();
  EXPECT_THAT(RootsOf(fleet_.Report()), UnorderedElementsAre("FAIL probe.loss host1>host2",
                                                             "FAIL probe.bandwidth host1>host3"));
}

TEST_F(TwoWays, WhatPacketsShowOnOneIsAReasonForThatOne) {
  MarkToHost2();
  SlowToHost2();
  const v1::AuditReport marked = fleet_.Report();
  EXPECT_THAT(RootsOf(marked), UnorderedElementsAre("FAIL probe.congestion-marks host1>host2"));
  EXPECT_THAT(FoldedOf(marked),
              UnorderedElementsAre("FAIL probe.bandwidth host1>host2 <- probe.congestion-marks"));

  ArrivedAtHost2().set_traffic_class(2);
  LoseToHost2();
  EXPECT_THAT(FoldedOf(fleet_.Report()),
              UnorderedElementsAre("FAIL probe.bandwidth host1>host2 <- probe.traffic-class",
                                   "FAIL probe.loss host1>host2 <- probe.traffic-class"));
}

TEST_F(TwoWays, WhatPacketsShowOnTheWayBackIsNone) {
  MarkToHost2();
  builders::MeasureEach(fleet_.probes[0], 95e9, 7e9);
  EXPECT_THAT(RootsOf(fleet_.Report()),
              UnorderedElementsAre("FAIL probe.congestion-marks host1>host2",
                                   "FAIL probe.bandwidth host2>host1"));
}

TEST_F(TwoWays, WhatIsUnknownOfPacketsIsNoReasonToBeSlow) {
  fleet_.probes[0].result().mutable_b()->mutable_wire()->clear_packets();
  SlowToHost2();
  EXPECT_THAT(RootsOf(fleet_.Report()), Contains("FAIL probe.bandwidth host1>host2"));
}

}  // namespace
}  // namespace roceready::checks
