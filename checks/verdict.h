// SPDX-License-Identifier: Apache-2.0
// From settled and folded findings to the report: order, verdict, coverage.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "checks/evaluate.h"
#include "checks/fleet_judgement.h"
#include "checks/fold.h"
#include "checks/probe_view.h"

namespace roceready::checks {

struct Settled {
  const FleetJudgement& judged;
  const FleetInput& fleet;
  const std::vector<ProbedPair>& probes;
  std::deque<Draft> drafts;
  Tallies tallies;
};

v1::AuditReport MakeReport(Settled settled);

// Hosts that blocking findings name. One about a pair blames both ends until one of them is in the
// most such pairs: then that one alone.
std::set<std::string> HostsBlamed(const std::vector<Block>& blocks);

}  // namespace roceready::checks
