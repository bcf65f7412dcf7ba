// SPDX-License-Identifier: Apache-2.0
// The hosts, their agents and the switches.
#include <absl/status/status.h>

#include "controller/status/metrics.h"

namespace roceready::status {
namespace {

// Beyond it `roceready hosts` names a clock as well.
constexpr Duration kClockOff = std::chrono::seconds(1);

void AddStreams(const FleetCounters& counters, Families* families) {
  Family::Counter("roceready_agent_streams_admitted_total",
                  "Streams of agents that began to speak for their host, reconnections too.")
      .Add(static_cast<double>(counters.streams_admitted))
      .AppendTo(families);
  Family refused = Family::Counter("roceready_agent_streams_refused_total",
                                   "Streams of agents that ended before they spoke for a host, by "
                                   "status code; the log says why.");
  // Named from the start, so that their first time is seen as an increase.
  std::map<absl::StatusCode, std::uint64_t> by_code = {{absl::StatusCode::kAlreadyExists, 0},
                                                       {absl::StatusCode::kInvalidArgument, 0},
                                                       {absl::StatusCode::kPermissionDenied, 0},
                                                       {absl::StatusCode::kDeadlineExceeded, 0}};
  for (const auto& [code, count] : counters.streams_refused) by_code[code] = count;
  for (const auto& [code, count] : by_code) {
    refused.Add(static_cast<double>(count),
                {{"code", LabelOf(absl::StatusCodeToString(code), "")}});
  }
  refused.AppendTo(families);
}

}  // namespace

void AddFleet(const Sources& sources, Families* families) {
  const MonotonicTime now = sources.loop->clock()->Now();
  std::map<v1::HostState, std::uint64_t> states = {{v1::HOST_STATE_CONNECTED, 0},
                                                   {v1::HOST_STATE_STALE, 0},
                                                   {v1::HOST_STATE_MISSING, 0},
                                                   {v1::HOST_STATE_MAINTENANCE, 0}};
  std::map<std::string, std::uint64_t> versions;
  std::uint64_t without_facts = 0, clocks_off = 0;
  Duration oldest{};
  for (const auto& [host, record] : sources.fleet->hosts()) {
    const std::optional<Duration> age = record.OldestFact(now);
    ++states[sources.fleet->IsInMaintenance(host) ? v1::HOST_STATE_MAINTENANCE
                                                  : StateOf(record, age)];
    if (!age) ++without_facts;
    if (!record.connected) continue;
    ++versions[record.agent_version];
    if (age) oldest = std::max(oldest, *age);
    if (record.clock_offset && std::chrono::abs(*record.clock_offset) > kClockOff) ++clocks_off;
  }

  Family hosts = Family::Gauge("roceready_hosts",
                               "Hosts that are known, since the start or from before it, by state: "
                               "connected; stale: connected without fresh facts; missing: not "
                               "connected; maintenance: set aside, whatever its agent does.");
  for (const auto& [state, count] : states) {
    hosts.Add(static_cast<double>(count),
              {{"state", LabelOf(v1::HostState_Name(state), "HOST_STATE_")}});
  }
  hosts.AppendTo(families);
  Family::Gauge("roceready_hosts_without_facts", "Hosts of which no facts are known.")
      .Add(static_cast<double>(without_facts))
      .AppendTo(families);
  Family::Gauge(
      "roceready_hosts_clock_off",
      "Connected hosts whose clock is off by more than a second; `roceready hosts` names them.")
      .Add(static_cast<double>(clocks_off))
      .AppendTo(families);
  Family::Gauge("roceready_oldest_fact_age_seconds",
                "Age of the fact that was read longest ago, among connected hosts.")
      .Add(Seconds(oldest))
      .AppendTo(families);
  Family agents =
      Family::Gauge("roceready_agents", "Connected agents by version, the most frequent ones.");
  for (const auto& [version, count] : Bounded(versions, kMaxVersions)) {
    agents.Add(static_cast<double>(count), {{"version", version}});
  }
  agents.AppendTo(families);
  AddStreams(sources.fleet->counters(), families);
  Family::Gauge("roceready_switches", "Switches whose configuration was imported.")
      .Add(static_cast<double>(sources.switches->switches().size()))
      .AppendTo(families);
}

}  // namespace roceready::status
