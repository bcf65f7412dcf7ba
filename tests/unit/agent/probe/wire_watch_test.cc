// SPDX-License-Identifier: Apache-2.0
// What a side reports of its packets on the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>

#include <cerrno>

#include "proto/contract/errors.h"
#include "tests/support/probe_pair.h"
#include "tests/unit/agent/wire/packets.h"

namespace roceready::probe::testing {
namespace {

using ::testing::HasSubstr;

class Wire : public ::testing::Test {
 protected:
  // A READ of A from B, and A's report.
  v1::EndReport ReportOfA() {
    ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_INTEGRITY);
    EXPECT_TRUE(pair_.Connect(spec_));
    EXPECT_EQ(pair_.RunPhase(spec_, 0).active.outcome(), v1::PHASE_OUTCOME_DONE);
    return pair_.a.Release(spec_).end_report();
  }
  // The fabric counts queue pairs from 100 on: A's is 100, B's 101.
  static wire::Source::Frame WriteTo(uint8_t queue_pair, bool received) {
    wire::Bytes packet = wire::kWrite;
    packet[35] = queue_pair;
    // Each end's peer is 10.0.0.1, which kWrite comes from.
    if (!received) packet[19] = 1;
    return {.ether_type = ETH_P_IP, .received = received, .bytes = packet};
  }

  v1::ProbeSpec spec_ = ProbePair::Spec();
  ProbePair pair_;
};

TEST_F(Wire, ShowsTheProbesOwnPacketsInTheReport) {
  pair_.a.wire().Show({WriteTo(100, true), WriteTo(100, true), WriteTo(101, false),
                       WriteTo(101, true), WriteTo(7, true)});
  const v1::EndReport report = ReportOfA();
  ASSERT_EQ(report.used().queue_pairs(0).qp_number(), 100u);
  EXPECT_EQ(report.wire().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(report.wire().reading().source(), v1::SOURCE_PACKET_SOCKET);
  ASSERT_EQ(report.wire().packets_size(), 2);
  EXPECT_FALSE(report.wire().packets(0).received());
  EXPECT_EQ(report.wire().packets(0).packets(), 1u);
  EXPECT_TRUE(report.wire().packets(1).received());
  EXPECT_EQ(report.wire().packets(1).packets(), 2u);
  EXPECT_EQ(report.wire().missed(), 1u);
}

TEST_F(Wire, SaysThatNoPacketOfItPassed) {
  pair_.a.wire().Show({WriteTo(7, true)});
  const v1::WireView view = ReportOfA().wire();
  EXPECT_EQ(view.reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_THAT(view.reading().detail(), HasSubstr("moves RDMA past it"));
  EXPECT_EQ(view.packets_size(), 0);
}

TEST_F(Wire, SaysWhatWouldLetItLook) {
  pair_.a.wire().Refuse(ErrnoError(EPERM, "packet socket"));
  const v1::WireView view = ReportOfA().wire();
  EXPECT_EQ(view.reading().outcome(), v1::OUTCOME_DENIED);
  EXPECT_THAT(view.reading().needs(), HasSubstr("roceready-agent-privileged.socket"));
}

TEST_F(Wire, IsNotLookedAtBeforeTheEndsAreConnected) {
  ProbePair::AddPhase(spec_, v1::PROBE_OPERATION_READ, v1::PROBE_MEASURE_INTEGRITY);
  ASSERT_TRUE(pair_.a.Prepare(spec_).has_probe_prepared());
  EXPECT_FALSE(pair_.a.Release(spec_).end_report().has_wire());
}

}  // namespace
}  // namespace roceready::probe::testing
