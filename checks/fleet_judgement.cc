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

void FleetJudgement::Replace(HostJudgementPtr host) {
  const HostJudgementPtr before = hosts_.Find(host->host), after = host;
  for (const auto& [check_id, tally] : before->tallies) host_tallies_.Remove(check_id, tally);
  for (const auto& [check_id, tally] : after->tallies) host_tallies_.Add(check_id, tally);
  pairs_.Leave(*before);
  hosts_.Replace(std::move(host));
  pairs_.Enter(*after);
  groups_.Replace(hosts_.all(), *before, *after);
  switches_.Replace(hosts_.all(), *before, *after);
}

}  // namespace roceready::checks
