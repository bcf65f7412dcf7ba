// SPDX-License-Identifier: Apache-2.0
// By which routes packets of one address can leave by its own net device. The kernel looks RoCE
// addresses up with the source and the device already chosen (rdma_cm binds to both), so that
// routes by other devices neither help nor hinder; rules by source choose the tables.
#pragma once

#include <string_view>
#include <vector>

#include "checks/policy/ip_prefix.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// One step of the look-up, in the order in which the kernel takes them.
struct RouteStep {
  // A rule ends the look-up: "prohibit", "unreachable", "blackhole". Empty: a route.
  std::string_view stopped_by;
  // What the rule that leads here holds for.
  IpPrefix rule_to;
  IpPrefix destination;

  bool Takes(const IpPrefix& address) const {
    return rule_to.Contains(address) && destination.Contains(address);
  }
};

std::vector<RouteStep> StepsFrom(const v1::IpStack& stack, const IpPrefix& source,
                                 const v1::NetDevice& net_device);

// The step that decides for this address, or nullptr: there is no way.
const RouteStep* StepTo(const std::vector<RouteStep>& steps, const IpPrefix& address);

}  // namespace roceready::checks
