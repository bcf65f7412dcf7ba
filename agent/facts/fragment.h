// SPDX-License-Identifier: Apache-2.0
// What one reading found: some rows and groups of HostFacts, some counters.
#pragma once

#include <vector>

#include "agent/facts/counters.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

struct Fragment {
  v1::HostFacts facts;
  std::vector<PortTotals> ports;
  // Only health_errors; ports have their own list.
  v1::HostCounters counters;
};

// Puts the rows and groups of `part` into `facts`: rows are found by their id or number and made
// where missing; a group (a message) or plain value given in `part` takes the place of the old one.
// So the later of two sources of the same group wins.
void PutFacts(const v1::HostFacts& part, v1::HostFacts* facts);

}  // namespace roceready::facts
