// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet_judgement.h"

#include <utility>

namespace roceready::checks {

FleetJudgement::FleetJudgement(std::vector<HostJudgementPtr> hosts, const EffectivePolicy& policy,
                               const SwitchSet* switches)
    : hosts_(std::move(hosts)),
      switches_(hosts_.all(), switches),
      pairs_(hosts_, policy),
      groups_(hosts_.all(), policy) {
  for (const HostJudgementPtr& host : hosts_.all()) {
    for (const auto& [check_id, tally] : host->tallies) host_tallies_.Add(check_id, tally);
  }
}

void FleetJudgement::Replace(std::vector<HostJudgementPtr> hosts) {
  std::vector<RejudgedHost> changes;
  changes.reserve(hosts.size());
  for (HostJudgementPtr& host : hosts) {
    const HostJudgementPtr before = hosts_.Find(host->host);
    changes.push_back({.before = before, .after = std::move(host)});
  }
  // Rings look into judgements: all leave before any is replaced.
  for (const auto& [before, after] : changes) {
    for (const auto& [check_id, tally] : before->tallies) host_tallies_.Remove(check_id, tally);
    for (const auto& [check_id, tally] : after->tallies) host_tallies_.Add(check_id, tally);
    pairs_.Leave(*before);
  }
  for (const RejudgedHost& change : changes) hosts_.Replace(change.after);
  for (const RejudgedHost& change : changes) pairs_.Enter(*change.after);
  pairs_.JudgeNew();
  groups_.Replace(hosts_.all(), changes);
  switches_.Replace(hosts_.all(), changes);
}

void FleetJudgement::Replace(HostJudgementPtr host) {
  std::vector<HostJudgementPtr> hosts;
  hosts.push_back(std::move(host));
  Replace(std::move(hosts));
}

}  // namespace roceready::checks
