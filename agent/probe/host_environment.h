// SPDX-License-Identifier: Apache-2.0
// The host we run on, as probes need it. Nothing here waits for RTNL: names come from sysfs,
// counters and users from RDMA netlink.
#pragma once

#include <roceready/v1/config.pb.h>

#include <memory>

#include "agent/probe/environment.h"

namespace roceready::probe {

std::shared_ptr<const Environment> MakeHostEnvironment(const v1::AgentProbeLimits& limits);

}  // namespace roceready::probe
