// SPDX-License-Identifier: Apache-2.0
// From policy to the order for one pair: the parameters that the job would use, and the phases of
// the quick tier or of an incast.
#pragma once

#include <cstdint>
#include <string>

#include "checks/policy/effective_policy.h"
#include "checks/rails.h"
#include "roceready/v1/probe.pb.h"

namespace roceready {

// What a flow of datagrams takes at either end, both ways and with the largest path MTU, and what a
// connection does at most.
constexpr std::uint32_t kDatagramsOfFlow = 64;
constexpr std::uint64_t kMemoryOfFlow = std::uint64_t{4160} * 2 * 2 * kDatagramsOfFlow;
constexpr std::uint64_t kMemoryOfConnection = 4 << 20;

v1::ProbeEnd MakeProbeEnd(const checks::RailPort& port, const EffectivePolicy& policy);

// Phases, WRITE before READ, each with either side active:
//   small integrity      one packet a message, within 1500 bytes of MTU
//   large integrity      several packets a message: only these notice a smaller MTU on the way
//   datagrams            as large as the path MTU allows, over several flows
//   latency, bandwidth
// `datagram_room`: flows that both ends have room for; 0: one of the agents knows none. No more are
// ordered, so that they are never the reason why nothing is probed.
v1::ProbeSpec MakeProbeSpec(const std::string& probe_id, const v1::ProbeEnd& a,
                            const v1::ProbeEnd& b, const EffectivePolicy& policy,
                            std::uint32_t datagram_room);

// One phase, in which A writes for as long as all senders of the incast do.
v1::ProbeSpec MakeIncastSpec(const std::string& probe_id, const v1::ProbeEnd& a,
                             const v1::ProbeEnd& b, const EffectivePolicy& policy,
                             v1::Incast incast);

}  // namespace roceready
