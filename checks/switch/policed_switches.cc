// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/policed_switches.h"

#include "checks/switch/summary.h"

namespace roceready::checks {

PolicedSwitches::PolicedSwitches(const LoadedPolicy& policy, std::vector<KnownSwitch> switches)
    : switches_(std::move(switches)), for_all_(policy.ForAllHosts()) {
  if (switches_.empty()) return;
  std::vector<SwitchInput> inputs;
  for (const KnownSwitch& one : switches_) {
    const EffectivePolicy& own = for_each_.emplace_back(policy.ForHost(one.facts->name()));
    inputs.push_back({.facts = one.facts.get(), .age = one.age, .policy = &own});
  }
  set_.emplace(inputs);
}

v1::ImportSwitchesResponse PolicedSwitches::JudgeAlone(WallTime now) const {
  v1::ImportSwitchesResponse response;
  if (set_) {
    for (const SwitchView& view : set_->views()) *response.add_summaries() = SummaryOf(view);
  }
  FleetInput fleet;
  fleet.policy = &for_all_;
  fleet.switches = set();
  fleet.now = now;
  *response.mutable_report() = Conclude({}, fleet);
  return response;
}

}  // namespace roceready::checks
