// SPDX-License-Identifier: Apache-2.0
// The common counters: what each CounterId counts, in which unit, and what kind of trouble its
// movement means. Drivers' own names are mapped to these ids by the agent.
#pragma once

#include <span>
#include <string_view>

#include "roceready/v1/facts.pb.h"

namespace roceready {

enum class CounterClass {
  kLoss,        // packets were lost or arrived damaged
  kReceiver,    // the receiving application or its buffers were too slow
  kCongestion,  // ECN marks and the CNPs they cause
  kPause,       // PFC or global pause frames
  kLink,        // the link went down
  kTraffic,     // ordinary volume
  kConnection,  // the exchange that sets up connections
  kPcie,        // between the card and the host
};

struct CounterInfo {
  v1::CounterId id;
  // stable word for reports: "out-of-sequence"
  std::string_view name;
  CounterClass kind;
  // "packets", "bytes", "frames", "events"
  std::string_view unit;
  std::string_view meaning;
};

// One row for each CounterId, in the order of their numbers.
std::span<const CounterInfo> AllCounters();

// The row of an id; null for UNSPECIFIED and for an id of a newer agent.
const CounterInfo* FindCounter(v1::CounterId id);

// "loss", "receiver", "congestion", "pause", "link", "traffic", "connection", "pcie".
std::string_view WordOf(CounterClass kind);

}  // namespace roceready
