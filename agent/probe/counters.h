// SPDX-License-Identifier: Apache-2.0
// What moved between two readings of the same counters.
#pragma once

#include <roceready/v1/facts.pb.h>

#include <chrono>
#include <vector>

namespace roceready::probe {

// `after` with each sample's delta and the window. A sample that was not there before, or that went
// back (reset, wrapped), keeps no delta: its movement is not known.
std::vector<v1::PortCounters> CounterDeltas(const std::vector<v1::PortCounters>& before,
                                            std::vector<v1::PortCounters> after,
                                            std::chrono::nanoseconds window);

}  // namespace roceready::probe
