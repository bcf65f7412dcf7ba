// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/probe_spec.h"

#include <gtest/gtest.h>

#include <set>

namespace roceready {
namespace {

EffectivePolicy LosslessDscp() {
  EffectivePolicy policy;
  policy.intent.set_roce_dscp(26);
  policy.intent.set_rdma_mtu_bytes(4096);
  policy.intent.set_roce_version("v2");
  policy.intent.set_ip_family("ipv4");
  return policy;
}

v1::ProbeSpec SpecOf(const EffectivePolicy& policy, std::uint32_t datagram_room = 0) {
  checks::RailPort port;
  port.host = "gpu1";
  port.port = 1;
  return MakeProbeSpec("a7-1-1", MakeProbeEnd(port, policy), MakeProbeEnd(port, policy), policy,
                       datagram_room);
}

TEST(ProbeSpec, OrdersWhatThePolicyWantsOfTheJob) {
  const v1::ProbeSpec spec = SpecOf(LosslessDscp());
  EXPECT_EQ(spec.transport().path_mtu_bytes(), 4096u);
  EXPECT_EQ(spec.transport().traffic_class(), 26u << 2 | 2u) << "DSCP 26 with ECT(0)";
  EXPECT_EQ(spec.a().gid_type(), v1::GID_TYPE_ROCE_V2);
  EXPECT_EQ(spec.a().gid_family(), v1::IP_FAMILY_V4);
  EXPECT_EQ(spec.busy_rule(), v1::BUSY_RULE_REFUSE);
}

TEST(ProbeSpec, TheJobsOwnSettingsComeFirst) {
  EffectivePolicy policy = LosslessDscp();
  policy.job.set_traffic_class(96);
  policy.job.set_service_level(4);
  policy.job.set_gid_type(v1::GID_TYPE_ROCE_V1);
  policy.job.set_ack_timeout_exponent(20);
  const v1::ProbeSpec spec = SpecOf(policy);
  EXPECT_EQ(spec.transport().traffic_class(), 96u);
  EXPECT_EQ(spec.transport().service_level(), 4u);
  EXPECT_EQ(spec.transport().ack_timeout_exponent(), 20u);
  EXPECT_EQ(spec.a().gid_type(), v1::GID_TYPE_ROCE_V1);
}

TEST(ProbeSpec, AnIncastWritesAsLongAsAllOthersDoWithTheJobsParameters) {
  checks::RailPort port;
  port.host = "gpu1";
  port.port = 1;
  const EffectivePolicy policy = LosslessDscp();
  v1::Incast incast;
  incast.set_group("a7-1-incast-2");
  incast.set_senders(3);
  const v1::ProbeSpec spec = MakeIncastSpec("a7-1-1", MakeProbeEnd(port, policy),
                                            MakeProbeEnd(port, policy), policy, incast);
  EXPECT_EQ(spec.incast().group(), "a7-1-incast-2");
  EXPECT_EQ(spec.transport().SerializeAsString(), SpecOf(policy).transport().SerializeAsString());
  ASSERT_EQ(spec.phases_size(), 1);
  const v1::ProbePhase& phase = spec.phases(0);
  EXPECT_EQ(phase.operation(), v1::PROBE_OPERATION_WRITE);
  EXPECT_EQ(phase.active_side(), v1::PROBE_SIDE_A);
  EXPECT_EQ(phase.iterations(), 0u) << "it ends by its time, not by its messages";
  EXPECT_GT(phase.duration().seconds(), 0);
  EXPECT_GT(phase.deadline().seconds(), phase.duration().seconds());
  EXPECT_GE(spec.buffer_bytes(), phase.message_bytes());
}

std::vector<v1::ProbePhase> DatagramPhases(const v1::ProbeSpec& spec) {
  std::vector<v1::ProbePhase> phases;
  for (const v1::ProbePhase& phase : spec.phases()) {
    if (phase.operation() == v1::PROBE_OPERATION_UD_PING) phases.push_back(phase);
  }
  return phases;
}

TEST(ProbeSpec, SendsDatagramsBothWaysWhereBothAgentsKnowThem) {
  EXPECT_TRUE(DatagramPhases(SpecOf(LosslessDscp(), 0)).empty());
  const v1::ProbeSpec spec = SpecOf(LosslessDscp(), 7);
  EXPECT_EQ(spec.datagram_flows(), 4u);
  const auto phases = DatagramPhases(spec);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_NE(phases[0].active_side(), phases[1].active_side());
  EXPECT_EQ(phases[0].message_bytes(), 4096u) << "as large as packets get";
  EXPECT_EQ(SpecOf(LosslessDscp(), 2).datagram_flows(), 2u) << "no more than there is room for";
}

TEST(ProbeSpec, SendsAsManyFlowsOfDatagramsAsThePolicySays) {
  EffectivePolicy policy = LosslessDscp();
  policy.probes.set_datagram_flows(16);
  EXPECT_EQ(SpecOf(policy, 20).datagram_flows(), 16u);
  EXPECT_EQ(DatagramPhases(SpecOf(policy, 20))[0].iterations(), 16u * 64);
  EXPECT_EQ(SpecOf(policy, 7).datagram_flows(), 7u) << "all else is probed in any case";
  policy.probes.set_datagram_flows(0);
  EXPECT_TRUE(DatagramPhases(SpecOf(policy, 7)).empty());
}

TEST(ProbeSpec, MovesEnoughPacketsForTheLossThatThePolicyWantsToSee) {
  EffectivePolicy policy = LosslessDscp();
  policy.probes.set_loss_to_see_ppm(10);
  const v1::ProbeSpec spec = SpecOf(policy);
  std::uint64_t packets = 0;
  for (const v1::ProbePhase& phase : spec.phases()) {
    if (phase.measure() != v1::PROBE_MEASURE_BANDWIDTH) continue;
    EXPECT_GT(phase.duration().seconds(), 0);
    EXPECT_LT(phase.duration().seconds(), phase.deadline().seconds());
    packets = std::uint64_t{phase.iterations()} * phase.message_bytes() / 4096;
  }
  EXPECT_GE(packets, 300'000u) << "3 / 10 ppm";
}

TEST(ProbeSpec, NeverRetriesForEver) {
  EffectivePolicy policy = LosslessDscp();
  EXPECT_LE(SpecOf(policy).transport().retry_count(), 6u);
  policy.job.set_retry_count(7);
  EXPECT_LE(SpecOf(policy).transport().retry_count(), 6u);
  policy.probes.set_retry_count(3);
  EXPECT_EQ(SpecOf(policy).transport().retry_count(), 3u);
  EXPECT_LE(SpecOf(policy).transport().rnr_retry_count(), 6u);
}

TEST(ProbeSpec, VerifiesWriteAndReadBothWaysSmallBeforeLarge) {
  const v1::ProbeSpec spec = SpecOf(LosslessDscp());
  std::set<std::tuple<v1::ProbeSide, v1::ProbeOperation, bool>> verified;
  bool large_seen = false;
  for (const v1::ProbePhase& phase : spec.phases()) {
    if (phase.measure() != v1::PROBE_MEASURE_INTEGRITY) continue;
    const bool large = phase.message_bytes() > spec.transport().path_mtu_bytes();
    EXPECT_FALSE(large_seen && !large) << "a large message may cost the connection";
    large_seen |= large;
    if (large) {
      EXPECT_GE(phase.message_bytes(), 4 * spec.transport().path_mtu_bytes());
      EXPECT_EQ(phase.message_bytes() % spec.transport().path_mtu_bytes(), 0u);
    } else {
      EXPECT_LE(phase.message_bytes(), 1024u) << "fits any Ethernet MTU";
    }
    verified.insert({phase.active_side(), phase.operation(), large});
  }
  EXPECT_EQ(verified.size(), 8u);
}

TEST(ProbeSpec, MeasuresLatencyAndBandwidthOfBothVerbsBothWays) {
  std::map<v1::ProbeMeasure, std::set<std::pair<v1::ProbeSide, v1::ProbeOperation>>> measured;
  const v1::ProbeSpec spec = SpecOf(LosslessDscp());
  for (const v1::ProbePhase& phase : spec.phases()) {
    measured[phase.measure()].insert({phase.active_side(), phase.operation()});
  }
  EXPECT_EQ(measured[v1::PROBE_MEASURE_LATENCY].size(), 4u);
  EXPECT_EQ(measured[v1::PROBE_MEASURE_BANDWIDTH].size(), 4u);
}

TEST(ProbeSpec, EveryPhaseIsBoundedAndHasItsOwnIndexAndPattern) {
  const v1::ProbeSpec spec = SpecOf(LosslessDscp());
  std::set<std::uint32_t> indexes;
  std::set<std::uint64_t> seeds;
  for (const v1::ProbePhase& phase : spec.phases()) {
    indexes.insert(phase.index());
    seeds.insert(phase.pattern_seed());
    EXPECT_GT(phase.iterations(), 0u);
    EXPECT_GT(phase.deadline().seconds(), 0);
    EXPECT_GE(spec.buffer_bytes(), phase.message_bytes());
  }
  EXPECT_EQ(indexes.size(), static_cast<std::size_t>(spec.phases_size()));
  EXPECT_EQ(seeds.size(), static_cast<std::size_t>(spec.phases_size()));
  EXPECT_GT(spec.deadline().seconds(), 0);
}

TEST(ProbeSpec, TakesSizesAndDeadlinesFromThePolicy) {
  EffectivePolicy policy = LosslessDscp();
  policy.probes.set_message_bytes(1 << 20);
  policy.probes.set_iterations(9);
  policy.probes.mutable_session_deadline()->set_seconds(50);
  policy.probes.mutable_phase_deadline()->set_seconds(7);
  policy.probes.set_rate_limit_bps(1'000'000'000);
  const v1::ProbeSpec spec = SpecOf(policy);
  EXPECT_EQ(spec.deadline().seconds(), 50);
  EXPECT_EQ(spec.rate_limit_bps(), 1'000'000'000u);
  EXPECT_EQ(spec.phases(4).message_bytes(), 1u << 20);
  EXPECT_EQ(spec.phases(4).iterations(), 9u);
  EXPECT_EQ(spec.phases(4).deadline().seconds(), 7);
  for (const v1::ProbePhase& phase : spec.phases()) {
    if (phase.measure() != v1::PROBE_MEASURE_BANDWIDTH) continue;
    EXPECT_EQ(phase.iterations(), 9u);
    EXPECT_FALSE(phase.has_duration()) << "nine messages are asked for, whatever time they take";
  }
}

TEST(ProbeSpec, NamesTheUsersThatAreNoJob) {
  EffectivePolicy policy = LosslessDscp();
  policy.background.add_processes("nvsm");
  policy.background.set_kernel(true);
  const v1::ProbeSpec spec = SpecOf(policy);
  ASSERT_EQ(spec.background_processes_size(), 1);
  EXPECT_EQ(spec.background_processes(0), "nvsm");
  EXPECT_TRUE(spec.background_kernel());
}

}  // namespace
}  // namespace roceready
