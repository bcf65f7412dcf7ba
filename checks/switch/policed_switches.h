// SPDX-License-Identifier: Apache-2.0
// Switches with what a policy wants of each, kept together for as long as an audit needs them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "checks/policy/loaded_policy.h"
#include "checks/switch/switch_set.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::checks {

struct KnownSwitch {
  std::shared_ptr<const v1::SwitchFacts> facts;
  std::optional<Age> age;
};

class PolicedSwitches {
 public:
  PolicedSwitches(const LoadedPolicy& policy, std::vector<KnownSwitch> switches);
  PolicedSwitches(const PolicedSwitches&) = delete;

  // Null where there is no switch: then none is judged.
  const SwitchSet* set() const { return set_ ? &*set_ : nullptr; }

  // The switches alone, without any host.
  v1::ImportSwitchesResponse JudgeAlone(WallTime now) const;

 private:
  const std::vector<KnownSwitch> switches_;
  const EffectivePolicy for_all_;
  std::deque<EffectivePolicy> for_each_;
  std::optional<SwitchSet> set_;
};

}  // namespace roceready::checks
