// SPDX-License-Identifier: Apache-2.0
// From settled and folded findings to the report: order, verdict, coverage.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "checks/evaluate.h"
#include "checks/fold.h"
#include "checks/host_judgement.h"
#include "checks/probe_view.h"
#include "checks/switch/scope.h"

namespace roceready::checks {

struct Settled {
  const std::vector<HostJudgementPtr>& hosts;
  const FleetInput& fleet;
  const std::vector<ProbedPair>& probes;
  const SwitchScope& switches;
  std::deque<Draft> drafts;
  Tallies tallies;
};

v1::AuditReport MakeReport(Settled settled);

// Hosts that blocking findings name. One about a pair blames both ends until one of them is in the
// most such pairs: then that one alone.
std::set<std::string> HostsBlamed(const std::vector<Block>& blocks);

}  // namespace roceready::checks
