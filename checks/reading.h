// SPDX-License-Identifier: Apache-2.0
// Readings in words, and the rule that keeps a missing fact from passing: a group that is absent
// was not collected, and only OUTCOME_OK is an answer.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// The reading of a group: NOT_COLLECTED where the group itself is absent (an older agent).
template <typename Group>
v1::Reading ReadingOf(bool present, const Group& group) {
  if (present && group.reading().outcome() != v1::OUTCOME_UNSPECIFIED) return group.reading();
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_NOT_COLLECTED);
  return reading;
}

// The same for a reading that stands alone (HostFacts.rdma_scan).
inline v1::Reading ScanReading(bool present, v1::Reading reading) {
  if (!present) reading.set_outcome(v1::OUTCOME_NOT_COLLECTED);
  return reading;
}

// Two looks closer to each other than the counters are refreshed: that none moved says nothing.
inline bool IsTooShort(const v1::PortCounters& counters) {
  if (!counters.has_window() || !counters.has_refresh()) return false;
  const auto key = [](const google::protobuf::Duration& duration) {
    return std::pair(duration.seconds(), duration.nanos());
  };
  return key(counters.window()) < key(counters.refresh());
}

inline constexpr std::string_view kTooShort =
    "two looks closer to each other than the device refreshes its counters";

inline bool IsOk(const v1::Reading& reading) { return reading.outcome() == v1::OUTCOME_OK; }

// "DENIED, needs CAP_SYS_ADMIN (debugfs)", "TIMED_OUT: held by another query (dcb)".
std::string ReasonOf(const v1::Reading& reading);

// "TIMED_OUT"; an outcome of a newer agent is "OUTCOME_12".
std::string WordOf(v1::Outcome outcome);

// "dcb", "verbs", "sysfs"; empty for UNSPECIFIED, "source 30" for one of a newer agent.
std::string WordOf(v1::Source source);

}  // namespace roceready::checks
