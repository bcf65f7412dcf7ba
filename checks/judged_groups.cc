// SPDX-License-Identifier: Apache-2.0
#include "checks/judged_groups.h"

#include <algorithm>
#include <utility>

#include "checks/policy/effective_policy.h"

namespace roceready::checks {
namespace {

// All that decides. Evidence does not: it is only shown with a finding.
bool SaysTheSame(const Observation& a, const Observation& b) {
  return a.group == b.group && a.value == b.value && a.unknown == b.unknown &&
         a.subject.SerializeAsString() == b.subject.SerializeAsString();
}

}  // namespace

JudgedGroups::JudgedGroups(const std::vector<HostJudgementPtr>& hosts,
                           const EffectivePolicy& policy)
    : policy_(policy) {
  for (const Check& check : Catalog()) {
    if (check.fleet == nullptr || !policy_.RuleOf(check.id).enabled) continue;
    // Counted even where no host says anything.
    tallies_.Add(check.id, {});
    JudgeGroups(check, hosts, nullptr);
  }
}

void JudgedGroups::Replace(const std::vector<HostJudgementPtr>& hosts,
                           const std::vector<RejudgedHost>& changes) {
  for (const Check& check : Catalog()) {
    if (check.fleet == nullptr || !policy_.RuleOf(check.id).enabled) continue;
    Names touched;
    for (const RejudgedHost& change : changes) AddTouched(check, change, touched);
    if (touched.empty()) continue;
    Forget(check, touched);
    JudgeGroups(check, hosts, &touched);
  }
}

// Of `touched` groups; null: of all.
void JudgedGroups::JudgeGroups(const Check& check, const std::vector<HostJudgementPtr>& hosts,
                               const Names* touched) {
  std::map<std::string_view, FleetGroup> groups;
  for (const HostJudgementPtr& host : hosts) {
    for (const Observation& one : host->ObservationsOf(check)) {
      if (touched != nullptr && !touched->contains(one.group)) continue;
      FleetGroup& group = groups[one.group];
      group.name = one.group;
      (one.value.empty() ? group.unknown : group.by_value[one.value]).push_back(&one);
    }
  }
  for (const auto& [name, group] : groups) {
    Judge judge(check, v1::SCOPE_FLEET, policy_);
    check.fleet(group, judge);
    tallies_.Add(check.id, judge.tally());
    Judged judged{.tally = judge.tally(), .drafts = judge.TakeDrafts(), .shown = {}};
    for (const Draft& draft : judged.drafts) {
      for (const v1::Evidence& evidence : draft.finding.evidence()) {
        judged.shown.insert(evidence.host());
      }
    }
    groups_[CatalogIndexOf(check)][std::string(name)] = std::move(judged);
  }
}

void JudgedGroups::AddTouched(const Check& check, const RejudgedHost& change,
                              Names& touched) const {
  const std::vector<Observation>& old = change.before->ObservationsOf(check);
  const std::vector<Observation>& now = change.after->ObservationsOf(check);
  for (size_t i = 0; i < std::max(old.size(), now.size()); ++i) {
    const bool is_same = i < old.size() && i < now.size() && SaysTheSame(old[i], now[i]);
    if (is_same && !RestsOn(check, now[i].group, change.after->host)) continue;
    if (i < old.size()) touched.insert(old[i].group);
    if (i < now.size()) touched.insert(now[i].group);
  }
}

// Whether a finding of the group shows evidence of the host, which may be of another age by now.
bool JudgedGroups::RestsOn(const Check& check, std::string_view group,
                           const std::string& host) const {
  const auto of_check = groups_.find(CatalogIndexOf(check));
  if (of_check == groups_.end()) return false;
  const auto judged = of_check->second.find(group);
  return judged != of_check->second.end() && judged->second.shown.contains(host);
}

void JudgedGroups::Forget(const Check& check, const Names& groups) {
  Groups& of_check = groups_[CatalogIndexOf(check)];
  for (const std::string& name : groups) {
    const auto judged = of_check.find(name);
    if (judged == of_check.end()) continue;
    tallies_.Remove(check.id, judged->second.tally);
    of_check.erase(judged);
  }
}

void JudgedGroups::AppendDrafts(std::deque<Draft>& drafts) const {
  for (const auto& [index, groups] : groups_) {
    for (const auto& [name, judged] : groups) {
      drafts.insert(drafts.end(), judged.drafts.begin(), judged.drafts.end());
    }
  }
}

}  // namespace roceready::checks
