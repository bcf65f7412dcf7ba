// SPDX-License-Identifier: Apache-2.0
// What is kept of one host after its facts are dropped: what its checks said, and what it says
// about itself for pairs, rails and fleets.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/check.h"
#include "checks/evaluate.h"
#include "checks/judge.h"
#include "checks/port_capacity.h"
#include "checks/rails.h"

namespace roceready::checks {

using Tallies = std::map<std::string, v1::CheckTally, std::less<>>;

struct HostJudgement {
  std::string host;
  const EffectivePolicy* policy = nullptr;
  // Its facts were judged; false for one that is silent or in maintenance.
  bool judged = false;
  bool in_maintenance = false;
  std::deque<Draft> drafts;
  Tallies tallies;
  // By check id.
  std::map<std::string, std::vector<Observation>, std::less<>> observations;
  std::vector<RailPort> rails;
  std::map<PortKey, std::string> labels;
  // Names of the RDMA devices at the moment, for commands.
  std::map<PortKey, std::string> rdma_devices;
  std::map<PortKey, PortCapacity> capacities;
  // Physical ports, and of those whose switch port is known: that port -> the RDMA ports above.
  size_t carriers = 0;
  std::map<PortKey, std::vector<PortKey>> plugged_into;
  // Not judged: HostView::idle_virtual_functions().
  size_t idle_virtual_functions = 0;
  std::optional<Age> oldest_fact;
};

// Adds one check's counts to the tallies under its id.
void AddTally(Tallies& tallies, std::string_view check_id, const v1::CheckTally& tally);

}  // namespace roceready::checks
