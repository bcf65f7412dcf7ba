// SPDX-License-Identifier: Apache-2.0
// What the switch checks said of the switches that concern an audit's hosts. They are judged again
// where a host is plugged in elsewhere.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "checks/host_judgement.h"
#include "checks/switch/scope.h"

namespace roceready::checks {

class JudgedSwitches {
 public:
  // Null: no switch is known. The switches outlive this.
  JudgedSwitches(const std::vector<HostJudgementPtr>& hosts, const SwitchSet* switches);

  // `hosts` are those of before, but for those that changed.
  void Replace(const std::vector<HostJudgementPtr>& hosts,
               const std::vector<RejudgedHost>& changes);

  const SwitchScope& scope() const { return scope_; }
  const std::deque<Draft>& drafts() const { return drafts_; }
  const Tallies& tallies() const { return tallies_; }
  // Null: it is none of those that are judged.
  const EffectivePolicy* PolicyOf(const std::string& switch_name) const;

 private:
  void JudgeAll(const std::vector<HostJudgementPtr>& hosts);

  const SwitchSet* switches_;
  SwitchScope scope_;
  std::deque<Draft> drafts_;
  Tallies tallies_;
};

}  // namespace roceready::checks
