// SPDX-License-Identifier: Apache-2.0
// One mix and one seed as an audit: hosts' facts and probe results are made, the product's own code
// judges them, and what it names is put into the words of fabric.h.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checks/evaluate.h"
#include "checks/fleet_judgement.h"
#include "checks/policy/effective_policy.h"
#include "tests/scale/blame/fabric.h"
#include "tests/support/builders/large_fleet.h"

namespace roceready::scale {

// Host `number` of a mix: right in every respect, on its leaves by LLDP.
builders::HostBuilder HostOfMix(const Mix& mix, size_t number);

// Judged hosts of a fabric, which are the same for all of its seeds.
class Hosts {
 public:
  explicit Hosts(const Mix& mix);

  const EffectivePolicy& policy() const { return policy_; }
  const checks::FleetJudgement& fleet() const { return *fleet_; }
  const v1::ProbeEnd& end(size_t host, size_t rail) const { return ends_[host][rail]; }
  // Of all hosts, as ChooseRetests() wants them; and of each its host and rail.
  const std::vector<checks::RailPort>& ports() const { return ports_; }
  std::pair<size_t, size_t> HostAndRailOf(const checks::RailPort& port) const;

 private:
  EffectivePolicy policy_;
  std::unique_ptr<const checks::FleetJudgement> fleet_;
  std::vector<std::vector<v1::ProbeEnd>> ends_;
  std::vector<checks::RailPort> ports_;
};

// What the report names: blames that are root causes, and pairs that nobody is blamed for.
std::set<std::string> NamedIn(const v1::AuditReport& report, const Hosts& hosts);

struct MixAudit {
  v1::AuditReport of_plan_alone;
  // With the pairs that were added to tell who is to blame; the same where there are none.
  v1::AuditReport report;
  size_t retests = 0;
};

MixAudit Audit(const Mix& mix, const Fabric& fabric, const Hosts& hosts, std::mt19937_64& random);

}  // namespace roceready::scale
