// SPDX-License-Identifier: Apache-2.0
// What the controller knows of one host: the parts as its agent sent them, when each was last read,
// its counters, and how it stands with its agent. Belongs to the event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proto/contract/fact_parts.h"
#include "proto/process/clock.h"
#include "roceready/v1/agent_link.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

// When each part was last read by the agent, on the controller's monotonic clock (arrival - age).
using ReadTimes = std::map<std::string, MonotonicTime, std::less<>>;

struct HostRecord {
  std::string host;

  // Of the agent that speaks, or spoke last.
  std::string machine_id;
  std::string speaker;  // which start of it: Hello.instance
  std::string agent_version;
  std::vector<std::string> features;
  v1::ProbeLimits limits;
  // Its clock minus ours when its last Hello came; nothing where it did not say its time.
  std::optional<Duration> clock_offset;

  // Never null. Replaced, not changed, so that a judge on another thread may hold it.
  std::shared_ptr<const FactParts> parts = std::make_shared<const FactParts>();
  ReadTimes read_at;
  std::string instance;          // the agent's start that these facts are of
  std::uint64_t generation = 0;  // 0: no facts of a stream yet
  // Set while the facts are those that an earlier start of this controller has kept: when what was
  // read longest ago was read. No stream builds on them or confirms them, for `generation` is 0:
  // the agent sends everything.
  std::optional<WallTime> kept_of;
  std::string facts_digest;
  // Parts of the last generation that could not be taken, and why; empty when all is well.
  std::string facts_trouble;

  std::shared_ptr<const v1::HostCounters> counters;  // null: none yet
  MonotonicTime counters_at{};

  bool connected = false;
  MonotonicTime last_heard{};
  std::string last_words;  // why the last stream ended

  bool HasFacts() const { return generation > 0 || kept_of.has_value(); }
  // Its facts are kept ones, and this controller has just started: that it has not been heard yet
  // says nothing about it.
  bool IsAwaited(MonotonicTime now) const;
  // The age of the part that was read longest ago; nothing without facts.
  std::optional<Duration> OldestFact(MonotonicTime now) const;
};

// How long facts stay good: an agent reads everything at least once a minute (collect_interval), so
// three missed rounds mean that it does not read any more.
inline constexpr std::chrono::seconds kFactsGoodFor{180};

// After its start a controller has not heard of its hosts yet: for so long that is no news. Agents
// dial again after 60 s at most, and not all of them send their facts at a time.
inline constexpr std::chrono::minutes kStartTakes{2};

// CONNECTED = a live stream with facts younger than kFactsGoodFor; STALE = a live stream without;
// MISSING = no stream. `age` is that of its oldest fact.
v1::HostState StateOf(const HostRecord& record, std::optional<Duration> age);

// The state and the reason for it in words, as shown to people.
v1::Host DescribeHost(const HostRecord& record, MonotonicTime now);

// The row of a name nobody has connected as.
v1::Host DescribeUnknownHost(const std::string& host);

// "2026-03-01 14:03:05 UTC".
std::string MomentInWords(WallTime moment);

// "2 h 14 min", "41 s", "350 ms": two units at most.
std::string InWords(Duration span);

}  // namespace roceready
