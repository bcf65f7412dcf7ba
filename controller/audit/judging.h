// SPDX-License-Identifier: Apache-2.0
// The judging of one audit, as functions of values: what the worker's thread runs. Hosts, pairs and
// fleet are judged once; the conclusion is drawn once before probes (for findings that can be shown
// already) and once after.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checks/fleet_judgement.h"
#include "checks/policy/loaded_policy.h"
#include "checks/rails.h"
#include "checks/switch/policed_switches.h"
#include "controller/fleet/fleet.h"
#include "controller/fleet/switch_book.h"

namespace roceready {

// One host as it stood when the audit stopped waiting for facts. Shares what does not change.
struct HostSnapshot {
  std::string host;
  v1::HostState state = v1::HOST_STATE_UNSPECIFIED;
  std::string state_reason;
  bool has_facts = false;
  std::shared_ptr<const FactParts> parts;
  std::map<std::string, Duration, std::less<>> fact_ages;
  std::shared_ptr<const v1::HostCounters> counters;  // null: none
  Duration counters_age{};
};

HostSnapshot TakeSnapshot(const Fleet& fleet, const std::string& host, MonotonicTime now);

// The switches that are known, with their ages.
std::vector<checks::KnownSwitch> TakeSwitches(const SwitchBook& switches, MonotonicTime now);

struct HostsToJudge {
  std::vector<HostSnapshot> hosts;
  std::vector<checks::KnownSwitch> switches;
  std::shared_ptr<const LoadedPolicy> policy;
  std::optional<Duration> max_fact_age;
};

struct JudgedHosts {
  std::shared_ptr<const LoadedPolicy> policy;
  EffectivePolicy for_all_hosts;
  std::unique_ptr<const checks::PolicedSwitches> switches;
  std::optional<Duration> max_fact_age;
  // By the rules of the policy that concern a host. Judgements point at their host's policy, so
  // these stay where they are.
  std::map<std::vector<bool>, EffectivePolicy> for_rules;
  std::map<std::string, const EffectivePolicy*> for_each_host;
  // Drawn from for each conclusion: pairs and fleet are judged once as well.
  std::unique_ptr<checks::FleetJudgement> fleet;
  // The ports of all hosts whose facts are known, for planning.
  std::vector<checks::RailPort> ports;
};

// Parts that cannot be put together leave their host without facts, with the reason.
std::shared_ptr<JudgedHosts> JudgeHosts(HostsToJudge input);

// Some of the judged hosts have changed: they are judged again, and what they take part in.
void JudgeAgain(std::vector<HostSnapshot> changed, JudgedHosts* judged);

struct ProbesToJudge {
  bool asked = false;
  std::vector<checks::PlannedProbe> planned;
  std::vector<std::shared_ptr<const v1::ProbeResult>> results;
  // As in checks::ProbeInput.
  std::string not_retested;
};

// `open`, where it is not null, is set to what the probes leave open.
v1::AuditReport ConcludeAudit(const JudgedHosts& hosts, const ProbesToJudge& probes,
                              std::vector<v1::Finding> given, WallTime now,
                              checks::OpenPairs* open = nullptr);

// fleet.duplicate-host, to be given to ConcludeAudit.
std::vector<v1::Finding> FindingsOfDuplicates(const Fleet& fleet,
                                              const std::vector<std::string>& hosts);

}  // namespace roceready
