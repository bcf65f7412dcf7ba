// SPDX-License-Identifier: Apache-2.0
#include "checks/judged_switches.h"

#include <algorithm>
#include <map>

#include "checks/policy/effective_policy.h"
#include "checks/switch/planned_end.h"

namespace roceready::checks {

JudgedSwitches::JudgedSwitches(const std::vector<HostJudgementPtr>& hosts,
                               const SwitchSet* switches)
    : switches_(switches) {
  JudgeAll(hosts);
}

void JudgedSwitches::Replace(const std::vector<HostJudgementPtr>& hosts,
                             const std::vector<RejudgedHost>& changes) {
  const bool are_same = std::ranges::all_of(changes, [](const RejudgedHost& change) {
    return change.before->in_maintenance == change.after->in_maintenance &&
           change.before->plugged_into == change.after->plugged_into;
  });
  if (!are_same) JudgeAll(hosts);
}

// What is wrong with a switch port concerns the hosts' ports that are plugged into it.
void JudgedSwitches::JudgeAll(const std::vector<HostJudgementPtr>& hosts) {
  if (switches_ == nullptr) return;
  std::map<PortKey, std::vector<PortKey>> plugged_into;
  AuditedHosts audited;
  for (const HostJudgementPtr& host : hosts) {
    if (!host->in_maintenance) audited.names.insert(ShortName(host->host));
    for (const auto& [port, above] : host->plugged_into) {
      audited.plugged_into.insert(port);
      std::vector<PortKey>& all = plugged_into[port];
      all.insert(all.end(), above.begin(), above.end());
    }
  }
  scope_ = ScopeOf(*switches_, audited);
  drafts_.clear();
  tallies_.clear();
  for (const SwitchView& view : scope_.views) {
    for (const Check& check : Catalog()) {
      if (check.at_switch == nullptr || !view.policy().RuleOf(check.id).enabled) continue;
      Judge judge(check, v1::SCOPE_SWITCH, view.policy());
      check.at_switch(view, judge);
      AddTally(tallies_, check.id, judge.tally());
      for (Draft& draft : judge.TakeDrafts()) drafts_.push_back(std::move(draft));
    }
  }
  for (Draft& draft : drafts_) {
    const v1::Subject& subject = draft.finding.subject();
    const auto above =
        plugged_into.find(SwitchPortKey(subject.switch_name(), subject.switch_port()));
    if (above == plugged_into.end()) continue;
    draft.touches.insert(draft.touches.end(), above->second.begin(), above->second.end());
  }
}

const EffectivePolicy* JudgedSwitches::PolicyOf(const std::string& switch_name) const {
  const EffectivePolicy* policy = nullptr;
  for (const SwitchView& view : scope_.views) {
    if (view.name() == switch_name) policy = &view.policy();
  }
  return policy;
}

}  // namespace roceready::checks
