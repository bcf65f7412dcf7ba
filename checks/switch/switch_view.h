// SPDX-License-Identifier: Apache-2.0
// What a switch check sees: one switch's configuration, the ports that are judged, and the means to
// name a subject and to say on which row a finding rests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/evaluate.h"
#include "checks/judge.h"
#include "checks/policy/effective_policy.h"
#include "roceready/v1/switch.pb.h"

namespace roceready::checks {

class SwitchView {
 public:
  // Everything in `input` outlives the view.
  explicit SwitchView(const SwitchInput& input);
  // The same switch with these of its ports.
  SwitchView(const SwitchView& whole, std::vector<const v1::SwitchPort*> ports)
      : SwitchView(whole.input_) {
    ports_ = std::move(ports);
  }
  SwitchView(const SwitchView&) = delete;

  const std::string& name() const { return facts().name(); }
  const v1::SwitchFacts& facts() const { return *input_.facts; }
  const EffectivePolicy& policy() const { return *input_.policy; }
  // Since the configuration was imported, where that is stated.
  std::optional<Age> age() const { return input_.age; }
  const v1::FabricIntent& intent() const { return input_.policy->intent; }

  // Host- and fabric-facing ports in service: external, administratively up, and not ignored by the
  // policy. What the configuration does not say about a port does not take it out.
  const std::vector<const v1::SwitchPort*>& ports() const { return ports_; }
  bool IsJudged(const v1::SwitchPort& port) const;

  // Null where the configuration has none of that name.
  const v1::SwitchMap* FindMap(v1::SwitchMapKind kind, std::string_view name) const;
  const v1::WredProfile* FindWredProfile(std::string_view name) const;
  const v1::SwitchBufferProfile* FindBufferProfile(std::string_view name) const;

  // What the commands of a fix are written for.
  bool IsSonic() const { return facts().identity().system() == "sonic"; }

  v1::Subject SubjectOf(const v1::SwitchPort& port) const;
  // `path` within SwitchFacts.
  v1::Evidence EvidenceAt(std::string path, std::string value, const v1::Reading& reading) const;

 private:
  const SwitchInput input_;
  std::vector<const v1::SwitchPort*> ports_;
  std::map<std::pair<int, std::string_view>, const v1::SwitchMap*> maps_;
  std::map<std::string_view, const v1::WredProfile*> wred_profiles_;
  std::map<std::string_view, const v1::SwitchBufferProfile*> buffer_profiles_;
};

// "ports[Ethernet48].REST".
std::string SwitchPortPath(const v1::SwitchPort& port, std::string_view rest);

const v1::SwitchQueue* FindQueue(const v1::SwitchPort& port, uint32_t queue);
const v1::SwitchPriorityGroup* FindPriorityGroup(const v1::SwitchPort& port, uint32_t group);

// The finding's fix as a command of the switch, where we know its language; kept by `config save`.
Draft& MendedOnSwitch(Draft& draft, const SwitchView& view, std::string text,
                      std::string sonic_command);

}  // namespace roceready::checks
