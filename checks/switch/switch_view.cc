// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/switch_view.h"

#include <algorithm>

#include "checks/policy/pattern.h"

namespace roceready::checks {

SwitchView::SwitchView(const SwitchInput& input) : input_(input) {
  for (const v1::SwitchPort& port : facts().ports()) {
    if (IsJudged(port)) ports_.push_back(&port);
  }
  for (const v1::SwitchMap& map : facts().maps())
    maps_.emplace(std::pair(map.kind(), std::string_view(map.name())), &map);
  for (const v1::WredProfile& profile : facts().wred_profiles()) {
    wred_profiles_.emplace(profile.name(), &profile);
  }
  for (const v1::SwitchBufferProfile& profile : facts().buffer_profiles()) {
    buffer_profiles_.emplace(profile.name(), &profile);
  }
}

bool SwitchView::IsJudged(const v1::SwitchPort& port) const {
  if (port.has_role() && port.role() != "Ext") return false;
  if (port.has_admin_up() && !port.admin_up()) return false;
  const std::string whole = fmt::format("{}:{}", name(), port.name());
  return std::ranges::none_of(policy().switches.ignored_ports(), [&](const std::string& pattern) {
    return MatchesPattern(pattern, whole);
  });
}

const v1::SwitchMap* SwitchView::FindMap(v1::SwitchMapKind kind, std::string_view name) const {
  const auto found = maps_.find({kind, name});
  return found == maps_.end() ? nullptr : found->second;
}

const v1::WredProfile* SwitchView::FindWredProfile(std::string_view name) const {
  const auto found = wred_profiles_.find(name);
  return found == wred_profiles_.end() ? nullptr : found->second;
}

const v1::SwitchBufferProfile* SwitchView::FindBufferProfile(std::string_view name) const {
  const auto found = buffer_profiles_.find(name);
  return found == buffer_profiles_.end() ? nullptr : found->second;
}

v1::Subject SwitchView::SubjectOf(const v1::SwitchPort& port) const {
  v1::Subject subject;
  subject.set_switch_name(name());
  subject.set_switch_port(port.name());
  subject.set_label(fmt::format("{} {}", name(), port.name()));
  return subject;
}

v1::Evidence SwitchView::EvidenceAt(std::string path, std::string value,
                                    const v1::Reading& reading) const {
  v1::Evidence evidence;
  evidence.set_switch_name(name());
  evidence.set_fact_path(std::move(path));
  evidence.set_value(std::move(value));
  *evidence.mutable_reading() = reading;
  if (input_.age) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*input_.age);
    evidence.mutable_age()->set_seconds(seconds.count());
  }
  return evidence;
}

std::string SwitchPortPath(const v1::SwitchPort& port, std::string_view rest) {
  return fmt::format("ports[{}].{}", port.name(), rest);
}

const v1::SwitchQueue* FindQueue(const v1::SwitchPort& port, uint32_t queue) {
  const auto found = std::ranges::find(port.queues(), queue, &v1::SwitchQueue::queue);
  return found == port.queues().end() ? nullptr : &*found;
}

const v1::SwitchPriorityGroup* FindPriorityGroup(const v1::SwitchPort& port, uint32_t group) {
  const auto found =
      std::ranges::find(port.priority_groups(), group, &v1::SwitchPriorityGroup::priority_group);
  return found == port.priority_groups().end() ? nullptr : &*found;
}

Draft& MendedOnSwitch(Draft& draft, const SwitchView& view, std::string text,
                      std::string sonic_command) {
  if (!view.IsSonic() || sonic_command.empty()) return draft.MendedBy(std::move(text));
  return draft.MendedBy(std::move(text) + " Keep it with `config save`.", std::move(sonic_command),
                        false);
}

}  // namespace roceready::checks
