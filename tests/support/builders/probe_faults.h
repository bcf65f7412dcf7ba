// SPDX-License-Identifier: Apache-2.0
// What faults on the way between two ports make of their probe: outcomes and both ends' counters.
#pragma once

#include <cstdint>

#include "tests/support/builders/probe_builder.h"

namespace roceready::builders {

inline v1::ProbeSide Other(v1::ProbeSide side) {
  return side == v1::PROBE_SIDE_A ? v1::PROBE_SIDE_B : v1::PROBE_SIDE_A;
}

// UDP from that side to the other is dropped: all four kinds of transfer fail, and requests of the
// other side arrive.
void DropFrom(ProbeBuilder& probe, v1::ProbeSide side);
// The same both ways; a side that does not even send is told by its own counters.
void DropBothWays(ProbeBuilder& probe, bool a_sends = true, bool b_sends = true);
// Messages that fill a packet do not arrive from that side, small ones do.
void SwallowLargeFrom(ProbeBuilder& probe, v1::ProbeSide side);
// So many packets of that side's WRITEs, and of its answers to READs, were lost and repeated.
void LoseFrom(ProbeBuilder& probe, v1::ProbeSide side, uint64_t of_writes, uint64_t of_reads);
// As Measures(), of the data that each side sends.
void MeasureEach(ProbeBuilder& probe, double from_a_bps, double from_b_bps);
// No counters of either end can be read.
void HideCounters(ProbeBuilder& probe);

}  // namespace roceready::builders
