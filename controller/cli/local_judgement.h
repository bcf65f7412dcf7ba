// SPDX-License-Identifier: Apache-2.0
// The controller's judgement made here: hosts whose facts are at hand, a policy of this machine, no
// probes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/evaluate.h"
#include "checks/policy/loaded_policy.h"
#include "checks/switch/policed_switches.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

struct KnownHost {
  v1::HostState state = v1::HOST_STATE_CONNECTED;
  // Why it is not judged, where it is not.
  std::string state_reason;
  // None: there are none.
  std::optional<v1::HostFacts> facts;
  std::optional<v1::HostCounters> counters;
  std::optional<checks::Age> counters_age;
  // By part key (proto/contract/fact_parts.h).
  std::map<std::string, checks::Age, std::less<>> fact_ages;

  // Of the fact read longest ago; none: not known.
  std::optional<checks::Age> OldestFact() const;
};

// By name, in lower case.
using KnownHosts = std::map<std::string, KnownHost>;

v1::AuditReport JudgeHere(const KnownHosts& hosts, const LoadedPolicy& policy,
                          std::vector<checks::KnownSwitch> switches, checks::WallTime now);

}  // namespace roceready::cli
