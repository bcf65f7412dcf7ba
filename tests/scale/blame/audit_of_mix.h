// SPDX-License-Identifier: Apache-2.0
// One mix and one seed as an audit: hosts' facts and probe results are made, the product's own code
// judges them, and what it names is put into the words of fabric.h.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checks/evaluate.h"
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
  const std::vector<checks::HostJudgementPtr>& judgements() const { return judgements_; }
  const v1::ProbeEnd& end(size_t host, size_t rail) const { return ends_[host][rail]; }

 private:
  EffectivePolicy policy_;
  std::vector<checks::HostJudgementPtr> judgements_;
  std::vector<std::vector<v1::ProbeEnd>> ends_;
};

// What the report names: blames that are root causes, and pairs that nobody is blamed for.
std::set<std::string> NamedIn(const v1::AuditReport& report, const Hosts& hosts);

v1::AuditReport Audit(const Mix& mix, const Fabric& fabric, const Hosts& hosts,
                      std::mt19937_64& random);

}  // namespace roceready::scale
