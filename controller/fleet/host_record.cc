// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/host_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "proto/process/durations.h"

namespace roceready {

std::optional<Duration> HostRecord::OldestFact(MonotonicTime now) const {
  if (!HasFacts() || read_at.empty()) return std::nullopt;
  MonotonicTime oldest = now;
  for (const auto& [key, at] : read_at) oldest = std::min(oldest, at);
  return now - oldest;
}

bool HostRecord::IsAwaited(MonotonicTime now) const {
  return kept_of && speaker.empty() && now - last_heard < kStartTakes;
}

v1::HostState StateOf(const HostRecord& record, std::optional<Duration> age) {
  if (!record.connected) return v1::HOST_STATE_MISSING;
  const bool fresh =
      record.generation > 0 && record.facts_trouble.empty() && age && *age <= kFactsGoodFor;
  return fresh ? v1::HOST_STATE_CONNECTED : v1::HOST_STATE_STALE;
}

v1::Host DescribeHost(const HostRecord& record, MonotonicTime now) {
  v1::Host host;
  host.set_host(record.host);
  host.set_agent_version(record.agent_version);
  host.set_facts_digest(HexOfDigest(record.facts_digest));
  if (record.clock_offset) *host.mutable_clock_offset() = ToProto(*record.clock_offset);
  const auto age = record.OldestFact(now);
  if (age) {
    *host.mutable_fact_age() = ToProto(*age);
  }
  host.set_state(StateOf(record, age));
  if (host.state() == v1::HOST_STATE_CONNECTED) return host;
  if (host.state() == v1::HOST_STATE_MISSING && record.kept_of && record.speaker.empty()) {
    host.set_state_reason(fmt::format("not heard since the controller's start; facts of {}",
                                      MomentInWords(*record.kept_of)));
  } else if (host.state() == v1::HOST_STATE_MISSING) {
    host.set_state_reason(fmt::format("not heard for {}{}{}", InWords(now - record.last_heard),
                                      record.last_words.empty() ? "" : ": ", record.last_words));
  } else if (!record.facts_trouble.empty()) {
    host.set_state_reason(record.facts_trouble);
  } else if (record.kept_of) {
    host.set_state_reason(
        fmt::format("connected, but its facts have not come since the controller's start; those "
                    "that are kept are of {}",
                    MomentInWords(*record.kept_of)));
  } else if (!age) {
    host.set_state_reason("connected, but no facts have come yet");
  } else {
    host.set_state_reason(
        fmt::format("connected, but its oldest fact was read {} ago", InWords(*age)));
  }
  return host;
}

v1::Host DescribeUnknownHost(const std::string& host) {
  v1::Host row;
  row.set_host(host);
  row.set_state(v1::HOST_STATE_UNKNOWN);
  row.set_state_reason(
      "no agent of this name has connected since this controller started: is the name right, is "
      "roceready-agent running there?");
  return row;
}

std::string MomentInWords(WallTime moment) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::floor<std::chrono::system_clock::duration>(moment));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts));
}

std::string InWords(Duration span) {
  using std::chrono::duration_cast;
  const auto milliseconds = duration_cast<std::chrono::milliseconds>(span).count();
  if (milliseconds < 1000) return fmt::format("{} ms", std::max<long>(milliseconds, 0));
  const auto seconds = milliseconds / 1000;
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

}  // namespace roceready
