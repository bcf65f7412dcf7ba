// SPDX-License-Identifier: Apache-2.0
// What is kept of one host after its facts are dropped: what its checks said, and what it says
// about itself for pairs, rails and fleets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "checks/evaluate.h"
#include "checks/judge.h"
#include "checks/port_capacity.h"
#include "checks/rails.h"
#include "checks/tally_sum.h"

namespace roceready::checks {

// The place of a check of the catalogue in it.
inline size_t CatalogIndexOf(const Check& check) {
  return static_cast<size_t>(&check - Catalog().data());
}

struct HostJudgement {
  std::string host;
  const EffectivePolicy* policy = nullptr;
  // Its facts were judged; false for one that is silent or in maintenance.
  bool judged = false;
  bool in_maintenance = false;
  std::vector<Draft> drafts;
  // By check id, which the catalogue or the policy holds.
  std::vector<std::pair<std::string_view, v1::CheckTally>> tallies;
  // By CatalogIndexOf() the check; empty for a host that is not judged.
  std::vector<std::vector<Observation>> observations;
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

  const std::vector<Observation>& ObservationsOf(const Check& check) const {
    static const std::vector<Observation> none;
    const size_t index = CatalogIndexOf(check);
    return index < observations.size() ? observations[index] : none;
  }
};

// A host that was judged anew.
struct RejudgedHost {
  HostJudgementPtr before;
  HostJudgementPtr after;
};

}  // namespace roceready::checks
