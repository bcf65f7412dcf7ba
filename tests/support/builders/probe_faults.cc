// SPDX-License-Identifier: Apache-2.0
#include "tests/support/builders/probe_faults.h"

#include <array>

#include "tests/support/builders/facts_builder.h"

namespace roceready::builders {
namespace {

constexpr std::array kOperations = {v1::PROBE_OPERATION_WRITE, v1::PROBE_OPERATION_READ};

}  // namespace

void DropFrom(ProbeBuilder& probe, v1::ProbeSide side) {
  for (const v1::ProbeOperation operation : kOperations) {
    for (const uint32_t bytes : {kSmallBytes, kLargeBytes}) {
      probe.Fails(operation, side, bytes, {.sent = 700, .repeats = 7}, {});
      probe.Fails(operation, Other(side), bytes, {.sent = 700, .repeats = 7},
                  {.sent = 700, .received = 700, .duplicates = 600});
    }
  }
  probe.LosesDatagramsFrom(side).LeavesOutLatency();
}

void DropBothWays(ProbeBuilder& probe, bool a_sends, bool b_sends) {
  for (const v1::ProbeOperation operation : kOperations) {
    for (const uint32_t bytes : {kSmallBytes, kLargeBytes}) {
      for (const v1::ProbeSide side : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
        const bool sends = side == v1::PROBE_SIDE_A ? a_sends : b_sends;
        probe.Fails(operation, side, bytes, {.sent = sends ? uint64_t{700} : 0, .repeats = 7}, {});
      }
    }
  }
  for (const v1::ProbeSide side : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
    probe.LosesDatagramsFrom(side);
  }
  probe.LeavesOutLatency();
}

void SwallowLargeFrom(ProbeBuilder& probe, v1::ProbeSide side) {
  probe.Fails(v1::PROBE_OPERATION_WRITE, side, kLargeBytes, {.sent = 700, .repeats = 7}, {});
  probe.Fails(v1::PROBE_OPERATION_READ, Other(side), kLargeBytes, {.sent = 8, .repeats = 7},
              {.sent = 700, .received = 8, .duplicates = 7});
  probe.LosesDatagramsFrom(side);
}

void LoseFrom(ProbeBuilder& probe, v1::ProbeSide side, uint64_t of_writes, uint64_t of_reads) {
  probe.Counts(v1::PROBE_OPERATION_WRITE, side, kLargeBytes,
               {.sent = 1600 + of_writes, .received = 200, .repeats = of_writes},
               {.sent = 200, .received = 1600, .gaps = of_writes});
  probe.Counts(v1::PROBE_OPERATION_READ, Other(side), kLargeBytes,
               {.sent = 100 + of_reads, .received = 1600, .repeats = of_reads},
               {.sent = 1600 + of_reads, .received = 100, .duplicates = of_reads});
}

void MeasureEach(ProbeBuilder& probe, double from_a_bps, double from_b_bps) {
  probe.Measures(from_a_bps);
  for (const v1::ProbePhase& phase : probe.result().spec().phases()) {
    if (phase.measure() != v1::PROBE_MEASURE_BANDWIDTH) continue;
    const bool by_a = phase.active_side() == v1::PROBE_SIDE_A;
    // The data of a READ come from the other side.
    const bool data_from_a = by_a == (phase.operation() == v1::PROBE_OPERATION_WRITE);
    v1::EndReport& active = by_a ? *probe.result().mutable_a() : *probe.result().mutable_b();
    for (v1::PhaseResult& side : *active.mutable_phases()) {
      if (side.index() == phase.index()) {
        side.set_bandwidth_bps(data_from_a ? from_a_bps : from_b_bps);
      }
    }
  }
}

void HideCounters(ProbeBuilder& probe) {
  for (v1::EndReport* end : {probe.result().mutable_a(), probe.result().mutable_b()}) {
    for (v1::PhaseResult& phase : *end->mutable_phases()) {
      for (v1::PortCounters& counters : *phase.mutable_counters()) {
        counters.clear_samples();
        *counters.mutable_reading() = Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_RDMA_NETLINK);
      }
    }
  }
}

}  // namespace roceready::builders
