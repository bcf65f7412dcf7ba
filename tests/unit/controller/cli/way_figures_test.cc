// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/latency_histogram.h"
#include "tests/support/builders/probe_builder.h"

namespace roceready::cli {
namespace {

using builders::kLargeBytes, builders::kSmallBytes;
using builders::ProbeBuilder;
using testing::HasSubstr;

v1::ProbeEnd End(const std::string& host) {
  v1::ProbeEnd end;
  end.set_host(host);
  end.set_rdma_device_id("pci:0000:3b:00.0");
  end.set_port(1);
  return end;
}

ProbeBuilder Healthy() { return {End("gpu1"), End("gpu2")}; }

// A phase that measures latencies, from half of `typical` to `typical` and one of `slowest`.
void AddLatency(v1::ProbeResult& result, v1::ProbeOperation operation, v1::ProbeSide active,
                uint64_t typical, uint64_t slowest) {
  v1::ProbePhase& phase = *result.mutable_spec()->add_phases();
  phase.set_index(static_cast<uint32_t>(result.spec().phases_size() - 1));
  phase.set_operation(operation);
  phase.set_active_side(active);
  phase.set_measure(v1::PROBE_MEASURE_LATENCY);
  phase.set_message_bytes(8);
  LatencyHistogram latencies;
  for (int i = 0; i < 60; ++i) latencies.Record(typical / 2);
  for (int i = 0; i < 38; ++i) latencies.Record(typical);
  for (int i = 0; i < 2; ++i) latencies.Record(slowest);
  for (v1::EndReport* report : {result.mutable_a(), result.mutable_b()}) {
    v1::PhaseResult& side = *report->add_phases();
    side.set_index(phase.index());
    side.set_outcome(v1::PHASE_OUTCOME_DONE);
    const bool is_active = (report == result.mutable_a()) == (active == v1::PROBE_SIDE_A);
    if (is_active) *side.mutable_latency() = latencies.ToProto();
  }
}

TEST(WayFigures, AHealthyPairHasTwoWaysWithBothVerbs) {
  ProbeBuilder probe = Healthy();
  probe.Measures(390e9);
  const auto ways = WaysOf(probe.result());
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].from().host(), "gpu1");
  EXPECT_EQ(ways[0].to().host(), "gpu2");
  EXPECT_EQ(ways[1].from().host(), "gpu2");
  for (const v1::ProbeWay& way : ways) {
    EXPECT_EQ(way.probe_id(), "probe-gpu1-gpu2");
    for (const v1::WayVerb* verb : {&way.write(), &way.read()}) {
      EXPECT_EQ(verb->status(), v1::CHECK_STATUS_PASS);
      EXPECT_DOUBLE_EQ(verb->bandwidth_bps(), 390e9);
      EXPECT_EQ(verb->bandwidth_unknown(), "");
      EXPECT_FALSE(verb->has_latency_p50_ns()) << "no phase measured it";
      EXPECT_EQ(verb->latency_unknown(), "this probe does not measure it");
    }
    EXPECT_EQ(way.loss().status(), v1::CHECK_STATUS_PASS);
    EXPECT_EQ(way.loss().lost(), 0u);
    ASSERT_GT(way.loss().packets(), 0u);
    EXPECT_DOUBLE_EQ(way.loss().below(), 3.0 / static_cast<double>(way.loss().packets()));
  }
}

TEST(WayFigures, AReadBelongsToTheWayOfItsPayload) {
  ProbeBuilder probe = Healthy();
  v1::ProbeResult& result = probe.result();
  AddLatency(result, v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_A, 4000, 90'000);
  const auto ways = WaysOf(result);
  ASSERT_EQ(ways.size(), 2u);
  // gpu1 reads from gpu2: the payload goes from gpu2 to gpu1.
  EXPECT_FALSE(ways[0].read().has_latency_p50_ns());
  const v1::WayVerb& read = ways[1].read();
  // A histogram's quantile is at most 1/32 too high.
  EXPECT_GE(read.latency_p50_ns(), 2000u);
  EXPECT_LE(read.latency_p50_ns(), 2063u);
  EXPECT_GE(read.latency_p99_ns(), 90'000u);
  EXPECT_EQ(read.latency_max_ns(), 90'000u);
  EXPECT_FALSE(ways[1].write().has_latency_p50_ns());
}

TEST(WayFigures, ALatencyThatContradictsItselfIsNotKnown) {
  ProbeBuilder probe = Healthy();
  AddLatency(probe.result(), v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, 4000, 90'000);
  auto& phases = *probe.result().mutable_a()->mutable_phases();
  phases.rbegin()->mutable_latency()->add_counts(7);
  const auto ways = WaysOf(probe.result());
  EXPECT_FALSE(ways[0].write().has_latency_p50_ns());
  EXPECT_THAT(ways[0].write().latency_unknown(), HasSubstr("contradicts itself"));
}

TEST(WayFigures, WhatMovedNothingIsNotABandwidthOfNothing) {
  ProbeBuilder probe = Healthy();
  probe.Measures(0);
  const auto ways = WaysOf(probe.result());
  EXPECT_FALSE(ways[0].write().has_bandwidth_bps());
  EXPECT_EQ(ways[0].write().bandwidth_unknown(), "nothing was moved");
}

TEST(WayFigures, LostPacketsAreCountedOnTheirWay) {
  ProbeBuilder probe = Healthy();
  probe.Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
               {.sent = 1700, .received = 100, .repeats = 16},
               {.sent = 100, .received = 1684, .gaps = 16});
  const auto ways = WaysOf(probe.result());
  EXPECT_EQ(ways[0].loss().status(), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(ways[0].loss().lost(), 16u);
  EXPECT_FALSE(ways[0].loss().has_below()) << "a bound is for where none was lost";
  EXPECT_FALSE(ways[0].loss().ambiguous());
  EXPECT_EQ(ways[1].loss().status(), v1::CHECK_STATUS_PASS);
  EXPECT_EQ(ways[1].loss().lost(), 0u);
}

TEST(WayFigures, WhereEverythingIsLostThereIsNoRate) {
  ProbeBuilder probe = Healthy();
  probe.DropsFromAToB();
  const auto ways = WaysOf(probe.result());
  EXPECT_EQ(ways[0].write().status(), v1::CHECK_STATUS_FAIL);
  EXPECT_FALSE(ways[0].write().has_bandwidth_bps());
  EXPECT_THAT(ways[0].write().bandwidth_unknown(), HasSubstr("IBV_WC_RETRY_EXC_ERR"));
  EXPECT_FALSE(ways[0].loss().has_lost());
  EXPECT_NE(ways[0].loss().unknown(), "");
}

TEST(WayFigures, WithoutCountersTheLossIsNotKnown) {
  ProbeBuilder probe = Healthy();
  for (v1::EndReport* report : {probe.result().mutable_a(), probe.result().mutable_b()}) {
    for (v1::PhaseResult& phase : *report->mutable_phases()) phase.clear_counters();
  }
  for (const v1::ProbeWay& way : WaysOf(probe.result())) {
    EXPECT_EQ(way.loss().status(), v1::CHECK_STATUS_UNKNOWN);
    EXPECT_FALSE(way.loss().has_lost());
    EXPECT_FALSE(way.loss().has_packets());
    EXPECT_THAT(way.loss().unknown(), HasSubstr("no sequence counters of gpu"));
  }
}

TEST(WayFigures, ARefusedPairIsUnknownBothWaysWithTheReason) {
  ProbeBuilder probe = Healthy();
  v1::ProbeResult result = probe.result();
  result.clear_a();
  result.clear_b();
  result.set_refusal(v1::REFUSAL_REASON_BUSY);
  result.set_refused_by(v1::PROBE_SIDE_B);
  result.set_failed_step("prepare");
  const auto ways = WaysOf(result);
  ASSERT_EQ(ways.size(), 2u);
  for (const v1::ProbeWay& way : ways) {
    EXPECT_EQ(way.write().status(), v1::CHECK_STATUS_UNKNOWN);
    EXPECT_EQ(way.write().bandwidth_unknown(), "refused by gpu2, BUSY");
    EXPECT_EQ(way.read().latency_unknown(), "refused by gpu2, BUSY");
    EXPECT_EQ(way.loss().unknown(), "refused by gpu2, BUSY");
    EXPECT_FALSE(way.has_from_gid());
  }
}

TEST(WayFigures, AnIncastHasOneWay) {
  ProbeBuilder probe = Healthy();
  probe.SendsInIncast("g1", 100e9);
  const auto ways = WaysOf(probe.result());
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].from().host(), "gpu1");
  EXPECT_EQ(ways[0].incast_group(), "g1");
  EXPECT_DOUBLE_EQ(ways[0].write().bandwidth_bps(), 100e9);
  EXPECT_EQ(ways[0].read().status(), v1::CHECK_STATUS_UNSPECIFIED);
  EXPECT_EQ(ways[0].read().bandwidth_unknown(), "this probe has no such phase");
}

TEST(WayFigures, SaysWhichGidsWereUsed) {
  ProbeBuilder probe = Healthy();
  v1::ProbeEndpoint& used = *probe.result().mutable_b()->mutable_used();
  used.set_gid("::ffff:10.77.0.2");
  used.set_gid_index(3);
  const auto ways = WaysOf(probe.result());
  EXPECT_FALSE(ways[0].has_from_gid());
  EXPECT_EQ(ways[0].to_gid().gid(), "::ffff:10.77.0.2");
  EXPECT_EQ(ways[1].from_gid().index(), 3u);
}

TEST(WayFigures, PairsWithoutAResultAreKnownByTheFindings) {
  google::protobuf::RepeatedPtrField<v1::Finding> findings;
  v1::Finding& finding = *findings.Add();
  finding.set_check_id("probe.write");
  finding.set_status(v1::CHECK_STATUS_UNKNOWN);
  finding.set_reason("probes stopped by sre");
  finding.mutable_subject()->set_host("gpu1");
  finding.mutable_subject()->set_device_id("pci:0000:3b:00.0");
  finding.mutable_subject()->set_port(1);
  finding.mutable_subject()->set_peer_host("gpu3");
  finding.mutable_subject()->set_peer_device_id("pci:0000:3b:00.0");
  // It has a result, which says more.
  v1::Finding& refused = *findings.Add();
  refused = finding;
  refused.mutable_subject()->set_peer_host("gpu2");
  refused.add_evidence()->set_probe_id("a1-1-1");
  // Of the same pair, and another check.
  *findings.Add() = finding;
  findings.rbegin()->set_check_id("probe.read");

  const auto ways = WaysNotProbed(findings);
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].to().host(), "gpu3");
  EXPECT_EQ(ways[0].write().bandwidth_unknown(), "probes stopped by sre");
  EXPECT_EQ(ways[0].loss().unknown(), "probes stopped by sre");
  EXPECT_FALSE(ways[0].loss().has_lost());
}

}  // namespace
}  // namespace roceready::cli
