// SPDX-License-Identifier: Apache-2.0
// All that can be said of a fleet without probes, kept: what each host said, and what follows from
// many of them. After hosts changed only what they take part in is judged again, and a report is
// drawn from it as often as wanted. It is the very report that Conclude() gives of the same hosts.
#pragma once

#include <string_view>
#include <vector>

#include "checks/evaluate.h"
#include "checks/fleet_hosts.h"
#include "checks/judged_groups.h"
#include "checks/judged_pairs.h"
#include "checks/judged_switches.h"

namespace roceready::checks {

struct OpenPairs;  // blame/open_pairs.h

class FleetJudgement {
 public:
  // The hosts have different names. Policy (what holds for all hosts) and switches (null: none is
  // known) outlive this, and so does what the hosts were judged with.
  FleetJudgement(std::vector<HostJudgementPtr> hosts, const EffectivePolicy& policy,
                 const SwitchSet* switches);
  FleetJudgement(const FleetJudgement&) = delete;

  // These hosts, of different names, were judged anew. Ones of their names are among the hosts.
  // What they take part in together is judged once: all at once costs no more than from nothing.
  void Replace(std::vector<HostJudgementPtr> hosts);
  void Replace(HostJudgementPtr host);

  // `fleet` has the policy and the switches that this was made with. `open`, where it is not null,
  // is set to what the probes leave open.
  v1::AuditReport Conclude(const FleetInput& fleet, OpenPairs* open = nullptr) const;

  const std::vector<HostJudgementPtr>& hosts() const { return hosts_.all(); }
  HostJudgementPtr FindHost(std::string_view name) const { return hosts_.Find(name); }
  const JudgedPairs& pairs() const { return pairs_; }
  const JudgedGroups& groups() const { return groups_; }
  const JudgedSwitches& switches() const { return switches_; }
  // What the hosts' own checks counted.
  const TallySum& host_tallies() const { return host_tallies_; }

 private:
  FleetHosts hosts_;
  TallySum host_tallies_;
  JudgedSwitches switches_;
  JudgedPairs pairs_;
  JudgedGroups groups_;
};

}  // namespace roceready::checks
