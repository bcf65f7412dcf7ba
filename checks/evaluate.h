// SPDX-License-Identifier: Apache-2.0
// From facts, probe results and policy to findings and a verdict. Pure: no I/O, no clock.
//
// Evaluate() does all of it. JudgeHost() and Conclude() are its two halves: a controller keeps a
// HostJudgement for each host and makes it again only when that host's facts or policy changed.
// A HostJudgement holds no pointer into the facts, so these can be dropped after it is made.
//
// Verdict: a blocking FAIL -> NOT_READY; else an UNKNOWN whose check is marked on_unknown: block
// (host.heard-from and the probe checks among them) -> UNDETERMINED; else READY, if anything passed
// at all. Waived findings stay in the report and do not count.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checks/rails.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/finding.pb.h"
#include "roceready/v1/fleet.pb.h"
#include "roceready/v1/probe.pb.h"
#include "roceready/v1/switch.pb.h"

namespace roceready {
struct EffectivePolicy;  // checks/policy/effective_policy.h
}

namespace roceready::checks {

using Age = std::chrono::nanoseconds;
using WallTime = std::chrono::system_clock::time_point;

class SwitchSet;  // switch/switch_set.h: the switches of an audit, and what is plugged in where

// A switch whose configuration is known. Nothing is owned.
struct SwitchInput {
  // Never null.
  const v1::SwitchFacts* facts = nullptr;
  // Since it was imported; none: not stated.
  std::optional<Age> age;
  // What holds for a host of the switch's name. Never null.
  const EffectivePolicy* policy = nullptr;
};

// One host that was asked for. Nothing is owned; facts and counters must live until JudgeHost()
// returns, the policy until Conclude() does.
struct HostInput {
  // The name asked for. Facts of another name are judged under this one.
  std::string host;
  v1::HostState state = v1::HOST_STATE_CONNECTED;
  // Why it is not connected, for people: "not heard for 2 h 14 min, agent 0.4.1".
  std::string state_reason;
  // Null: none are known. A host without facts is silent, one in maintenance is not judged.
  const v1::HostFacts* facts = nullptr;
  const v1::HostCounters* counters = nullptr;
  std::optional<Age> counters_age;
  // By part key (proto/contract/fact_parts.h). A part without an age: its age is not stated.
  std::map<std::string, Age, std::less<>> fact_ages;
  // Facts older than this make host.heard-from UNKNOWN. Without it STALE does: the facts are judged
  // all the same.
  std::optional<Age> max_fact_age;
  // Never null.
  const EffectivePolicy* policy = nullptr;
  // Null: no switch is known. Else the same as in FleetInput; must live until Conclude() returns.
  const SwitchSet* switches = nullptr;
};

// What JudgeHost() found, complete in itself; kept by the caller and not looked into.
struct HostJudgement;
using HostJudgementPtr = std::shared_ptr<const HostJudgement>;

HostJudgementPtr JudgeHost(const HostInput& input);

// One pair that was to be probed (both ways).
struct PlannedProbe {
  v1::ProbeEnd a;
  v1::ProbeEnd b;
  // Why there is no result, where one is not there yet: "out of budget".
  std::string missing_reason;
  // As in its order (Incast.group); empty: the pair is probed alone.
  std::string incast_group = {};
  // Not of the plan: an end of a bad pair with a port that is well, to tell who is to blame
  // (blame/open_pairs.h). What it does not tell is noted and decides nothing.
  bool is_retest = false;
};

struct ProbeInput {
  // Probes belong to this audit: a planned pair without a result is then UNKNOWN.
  bool asked = false;
  std::vector<PlannedProbe> planned;
  // In any order; of several attempts at a probe (by its id) the last counts.
  std::vector<const v1::ProbeResult*> results;
  // Which bad pairs could not be probed again with others, and why; empty: of none that is to be
  // told.
  std::string not_retested = {};
};

struct FleetInput {
  // What holds for all hosts (no overrides): severities of pair and fleet findings. Never null.
  const EffectivePolicy* policy = nullptr;
  ProbeInput probes;
  // Made by the caller, such as fleet.duplicate-host: check_id, subject, status, expected, actual
  // and reason; severity, key and waiver are set here.
  std::vector<v1::Finding> given;
  // Null: no switch is known.
  const SwitchSet* switches = nullptr;
  WallTime now;
};

v1::AuditReport Conclude(const std::vector<HostJudgementPtr>& hosts, const FleetInput& fleet);

struct AuditInput {
  std::vector<HostInput> hosts;
  FleetInput fleet;
};
v1::AuditReport Evaluate(const AuditInput& input);

// "check.id host=gpu017 net=pci:0000:3b:00.0/0": check id and subject ids, no names of the moment.
std::string FindingKey(std::string_view check_id, const v1::Subject& subject);

}  // namespace roceready::checks
