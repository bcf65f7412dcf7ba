// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/local_judgement.h"

#include <algorithm>
#include <utility>

namespace roceready::cli {

std::optional<checks::Age> KnownHost::OldestFact() const {
  std::optional<checks::Age> oldest;
  for (const auto& [key, age] : fact_ages) oldest = std::max(oldest.value_or(age), age);
  return oldest;
}

v1::AuditReport JudgeHere(const KnownHosts& hosts, const LoadedPolicy& policy,
                          std::vector<checks::KnownSwitch> switches, checks::WallTime now) {
  const checks::PolicedSwitches policed(policy, std::move(switches));
  std::map<std::string, EffectivePolicy> policies;
  checks::AuditInput input;
  for (const auto& [name, host] : hosts) {
    checks::HostInput one;
    one.host = name;
    one.state = host.state;
    one.state_reason = host.state_reason;
    one.facts = host.facts ? &*host.facts : nullptr;
    one.counters = host.counters ? &*host.counters : nullptr;
    one.counters_age = host.counters_age;
    one.fact_ages = host.fact_ages;
    one.switches = policed.set();
    one.policy = &policies.emplace(name, policy.ForHost(name)).first->second;
    input.hosts.push_back(std::move(one));
  }
  const EffectivePolicy for_all = policy.ForAllHosts();
  input.fleet.policy = &for_all;
  input.fleet.switches = policed.set();
  input.fleet.now = now;
  return checks::Evaluate(input);
}

}  // namespace roceready::cli
