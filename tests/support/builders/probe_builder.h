// SPDX-License-Identifier: Apache-2.0
// Probe results for tests: a probe of two hosts on one rail in which all went well. A test says
// what each phase showed instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "checks/evaluate.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/probe.pb.h"

namespace roceready::builders {

// The end of a probe at a host's first RDMA port.
v1::ProbeEnd EndOf(const v1::HostFacts& facts, int rail = 0);

class ProbeBuilder {
 public:
  // WRITE and READ, A first and then B, of 64 bytes and then of 64 KiB, path MTU 4096.
  ProbeBuilder(const v1::ProbeEnd& a, const v1::ProbeEnd& b);

  v1::ProbeResult& result() { return result_; }
  checks::PlannedProbe Planned() const;

  // Both sides' words on the phase of that operation, active side and message size.
  v1::PhaseResult& Active(v1::ProbeOperation operation, v1::ProbeSide active, uint32_t bytes);
  v1::PhaseResult& Passive(v1::ProbeOperation operation, v1::ProbeSide active, uint32_t bytes);

  // The phase ends with "retries exceeded" and moved nothing. The sides' counters are then
  // `active_*` and `passive_*`.
  struct Deltas {
    uint64_t sent = 0, received = 0, gaps = 0, duplicates = 0, repeats = 0;
  };
  ProbeBuilder& Fails(v1::ProbeOperation operation, v1::ProbeSide active, uint32_t bytes,
                      const Deltas& active_deltas, const Deltas& passive_deltas);
  // The phase goes well with these counters.
  ProbeBuilder& Counts(v1::ProbeOperation operation, v1::ProbeSide active, uint32_t bytes,
                       const Deltas& active_deltas, const Deltas& passive_deltas);
  // UDP from A to B is dropped: all four kinds of transfer fail, each as its counters tell.
  ProbeBuilder& DropsFromAToB();
  // Every message that fills a packet fails on the way from A to B, small ones pass.
  ProbeBuilder& SwallowsLargeFromAToB();
  // A phase of so long a latency, WRITE and READ, both ways.
  ProbeBuilder& MeasuresLatency(uint64_t nanoseconds);
  // As where smaller messages have failed the same way.
  ProbeBuilder& LeavesOutLatency();
  // Instead of what was measured, with `active` posting.
  ProbeBuilder& Takes(v1::ProbeSide active, uint64_t nanoseconds);
  // 256 datagrams each way, over 4 flows, which all arrive as ordered.
  ProbeBuilder& SendsDatagrams();
  // What became of those that `active` sent, by flow; their headers stay.
  v1::DatagramFlow& DatagramsFrom(v1::ProbeSide active, int flow);
  ProbeBuilder& LosesDatagramsFrom(v1::ProbeSide active);
  // What that side saw on the wire: as ordered, unless the test says otherwise.
  v1::WirePackets& Packets(v1::ProbeSide side, bool received, v1::WireRole role);
  // Phases that measured so many bits a second, WRITE and READ, both ways.
  ProbeBuilder& Measures(double bandwidth_bps);
  // One of two that write to B at once, held back by CNPs; instead of all other phases.
  ProbeBuilder& SendsInIncast(const std::string& group, double bandwidth_bps);

 private:
  v1::PhaseResult& Phase(bool active_end, v1::ProbeOperation operation, v1::ProbeSide active,
                         uint32_t bytes);

  v1::ProbeResult result_;
};

inline constexpr uint32_t kSmallBytes = 64;
inline constexpr uint32_t kLargeBytes = 65536;
inline constexpr uint32_t kDatagramBytes = 4096;

}  // namespace roceready::builders
