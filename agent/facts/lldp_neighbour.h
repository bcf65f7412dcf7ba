// SPDX-License-Identifier: Apache-2.0
// One LLDP speaker as facts: numbers of the standards as words, values that were not sent as
// ABSENT, malformed ones as FAILED. Pure.
#pragma once

#include "agent/lldp/decode.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

v1::LldpNeighbour NeighbourOf(const lldp::Frame& frame);

}  // namespace roceready::facts
