// SPDX-License-Identifier: Apache-2.0
// Changes to the rails of a host that stay consistent: address, GID and route together.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/checks/audit.h"

namespace roceready::checks {

// The rail's port gets another address, its GID and connected route with it.
void MoveRail(builders::HostBuilder& host, int rail, const std::string& address, uint32_t bits);

// The VLAN device of the rail gets 10.78.RAIL.NUMBER/24, as the host's own address ends.
void AddressVlan(builders::HostBuilder& host, int rail);

// Each host gets 10.90.NUMBER.1/31 on its first rail and, last, a gateway route to 10.90.0.0/16.
void RouteEachCable(std::vector<builders::HostBuilder>& hosts);

v1::IpRoute& AddRoute(builders::HostBuilder& host, int rail, const std::string& destination,
                      const std::string& gateway = {});

// From any source.
v1::IpRule& AddRule(builders::HostBuilder& host, uint32_t priority, const std::string& action);

void WantRails(EffectivePolicy& policy, const std::vector<std::string>& subnets);

}  // namespace roceready::checks
