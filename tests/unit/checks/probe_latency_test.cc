// SPDX-License-Identifier: Apache-2.0
// When a round trip is too long: beside those of others, and by the policy.
#include "checks/probe_latency.h"

#include <gmock/gmock.h>

#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using testing::HasSubstr;

constexpr auto kA = v1::PROBE_SIDE_A;
constexpr auto kB = v1::PROBE_SIDE_B;

class ProbeLatencies : public testing::Test {
 protected:
  void Take(size_t probe, uint64_t nanoseconds) {
    fleet_.probes[probe].Takes(kA, nanoseconds).Takes(kB, nanoseconds);
  }
  std::vector<v1::Finding> Found() {
    std::vector<v1::Finding> found;
    const v1::AuditReport report = fleet_.Report();
    for (const v1::Finding& finding : report.findings()) {
      if (finding.check_id() == "probe.latency") found.push_back(finding);
    }
    return found;
  }

  FullFleet fleet_{builders::Nic::kMlx5};
};

TEST_F(ProbeLatencies, OfHardwareAreHighFromThreeTimesAndThirtyMicrosecondsMoreOn) {
  for (size_t probe : {1, 2}) Take(probe, 3'000);
  Take(0, 32'000);
  EXPECT_TRUE(Found().empty()) << "10 times as long, but only 29 us more";
  Take(0, 40'000);
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_THAT(Found()[0].actual(), HasSubstr("40.0 us, where half of 6 directions have 3.0 us"));
  for (size_t probe : {1, 2}) Take(probe, 14'000);
  EXPECT_TRUE(Found().empty()) << "26 us more, and not 3 times as long";
  for (size_t probe : {1, 2}) Take(probe, 3'000);
  fleet_.probes[0].Takes(kB, 5'000);
  EXPECT_TRUE(Found().empty()) << "a queue that was full for one phase";
}

TEST_F(ProbeLatencies, ThatAreHighForMostAreNobodysFault) {
  for (size_t probe : {0, 1}) Take(probe, 50'000);
  Take(2, 3'000);
  EXPECT_TRUE(Found().empty());
}

TEST_F(ProbeLatencies, AreHeldAgainstThePolicyToo) {
  fleet_.audit.policy.probes.set_latency_us_at_most(10);
  for (size_t probe : {0, 1, 2}) Take(probe, 9'000);
  EXPECT_TRUE(Found().empty());
  for (size_t probe : {0, 1, 2}) Take(probe, 11'000);
  ASSERT_EQ(Found().size(), 3u);
  EXPECT_THAT(Found()[0].expected(), HasSubstr("take 10.0 us or less"));
}

TEST_F(ProbeLatencies, ThatWereNotAllMeasuredDoNotPassWhatThePolicyAllows) {
  for (v1::PhaseResult& phase : *fleet_.probes[0].result().mutable_a()->mutable_phases()) {
    phase.clear_latency();
  }
  EXPECT_TRUE(Found().empty());
  fleet_.audit.policy.probes.set_latency_us_at_most(1000);
  ASSERT_EQ(Found().size(), 1u);
  EXPECT_EQ(Found()[0].status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(Found()[0].reason(), HasSubstr("2 of 4 latency phases were measured"));
}

TEST_F(ProbeLatencies, OfFewMessagesAreHighBecauseTheyAreFew) {
  for (size_t probe : {1, 2}) Take(probe, 3'000);
  Take(0, 90'000'000);
  for (v1::EndReport* end :
       {fleet_.probes[0].result().mutable_a(), fleet_.probes[0].result().mutable_b()}) {
    for (v1::PhaseResult& phase : *end->mutable_phases()) {
      if (phase.has_latency()) phase.mutable_latency()->set_counts(0, 5);
    }
  }
  EXPECT_EQ(Found().size(), 1u);
}

}  // namespace
}  // namespace roceready::checks
