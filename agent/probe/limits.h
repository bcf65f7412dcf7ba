// SPDX-License-Identifier: Apache-2.0
// What an order may ask of this host: the agent's own limits, and the rules that hold for every
// probe. Pure; no kernel is asked.
#pragma once

#include <roceready/v1/agent_link.pb.h>
#include <roceready/v1/config.pb.h>
#include <roceready/v1/probe.pb.h>

#include <chrono>
#include <optional>
#include <string>

namespace roceready::probe {

struct Refusal {
  v1::RefusalReason reason = v1::REFUSAL_REASON_UNSPECIFIED;
  std::string detail;
  int error = 0;
};

// The configured limits with defaults filled in; rate_bps 0 = no limit.
v1::ProbeLimits LimitsInForce(const v1::AgentProbeLimits& configured);

// Holds for the spec alone; the memory and sessions that are left are the executor's to count.
std::optional<Refusal> CheckSpec(const v1::ProbeSpec& spec, v1::ProbeSide side,
                                 const v1::ProbeLimits& limits);

// All that a side registers for it. Of a spec that CheckSpec() takes.
uint64_t MemoryOf(const v1::ProbeSpec& spec);

const v1::ProbeEnd& EndOf(const v1::ProbeSpec& spec, v1::ProbeSide side);
bool HasBandwidthPhase(const v1::ProbeSpec& spec);
uint32_t QueuePairsOf(const v1::ProbeSpec& spec);
std::chrono::nanoseconds ToNanoseconds(const google::protobuf::Duration& duration);
google::protobuf::Duration ToDuration(std::chrono::nanoseconds time);

// Above this a queue pair has no right to: 128 keeps any link busy at 4 KiB and more.
constexpr uint32_t kDefaultQueueDepth = 128;
constexpr uint32_t kMaxQueueDepth = 4096;

}  // namespace roceready::probe
