// SPDX-License-Identifier: Apache-2.0
// What the fleet checks said of each group of observations, kept so that after one host changed
// only the groups in which it says something else are judged again.
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

  // `hosts` are those of before, but for the one that was `before` and is now `after`.
  void Replace(const std::vector<HostJudgementPtr>& hosts, const HostJudgement& before,
               const HostJudgement& after);

  const TallySum& tallies() const { return tallies_; }
  // Appended by check, as in the catalogue, and by group.
  void AppendDrafts(std::deque<Draft>& drafts) const;

 private:
  struct Judged {
    v1::CheckTally tally;
    std::deque<Draft> drafts;
  };
  // By name.
  using Groups = std::map<std::string, Judged, std::less<>>;
  using Names = std::set<std::string, std::less<>>;

  void JudgeGroups(const Check& check, const std::vector<HostJudgementPtr>& hosts,
                   const Names* touched);
  Names TouchedGroups(const Check& check, const HostJudgement& before,
                      const HostJudgement& after) const;
  bool RestsOn(const Check& check, std::string_view group, const std::string& host) const;
  void Forget(const Check& check, const Names& groups);

  const EffectivePolicy& policy_;
  // By CatalogIndexOf() the check.
  std::map<size_t, Groups> groups_;
  TallySum tallies_;
};

}  // namespace roceready::checks
