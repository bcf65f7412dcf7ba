// SPDX-License-Identifier: Apache-2.0
// What the fleet checks said of each group of observations, kept so that after hosts changed
// only the groups in which one of them says something else are judged again.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checks/host_judgement.h"

namespace roceready::checks {

class JudgedGroups {
 public:
  // Judges all groups of these hosts. The policy outlives this.
  JudgedGroups(const std::vector<HostJudgementPtr>& hosts, const EffectivePolicy& policy);

  // `hosts` are those of before, but for those that changed: each group is judged once, however
  // many of its hosts did.
  void Replace(const std::vector<HostJudgementPtr>& hosts,
               const std::vector<RejudgedHost>& changes);

  const TallySum& tallies() const { return tallies_; }
  // Appended by check, as in the catalogue, and by group.
  void AppendDrafts(std::deque<Draft>& drafts) const;

 private:
  using Names = std::set<std::string, std::less<>>;

  struct Judged {
    v1::CheckTally tally;
    std::deque<Draft> drafts;
    // Whose evidence the drafts show.
    Names shown;
  };
  // By name.
  using Groups = std::map<std::string, Judged, std::less<>>;

  void JudgeGroups(const Check& check, const std::vector<HostJudgementPtr>& hosts,
                   const Names* touched);
  // Adds the groups in which the host says something else, or is shown.
  void AddTouched(const Check& check, const RejudgedHost& change, Names& touched) const;
  bool RestsOn(const Check& check, std::string_view group, const std::string& host) const;
  void Forget(const Check& check, const Names& groups);

  const EffectivePolicy& policy_;
  // By CatalogIndexOf() the check.
  std::map<size_t, Groups> groups_;
  TallySum tallies_;
};

}  // namespace roceready::checks
