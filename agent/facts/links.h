// SPDX-License-Identifier: Apache-2.0
// Net devices as rtnetlink tells them: link, MTU, VLAN, bond, bond member, addresses. RTNL-bound.
#pragma once

#include <vector>

#include "agent/facts/inventory.h"
#include "agent/netlink/rtnl.h"
#include "agent/netlink/rtnl_link.h"

namespace roceready::facts {

// Fills `mtu`, `link` and, where the device is such, `vlan`, `bond`, `bond_member`.
void FillLink(const netlink::Link& link, const Inventory& inventory, v1::NetDevice* device);

// Sorted by address text; equal addresses give equal bytes.
v1::IpAddresses AddressesOf(const std::vector<netlink::InterfaceAddress>& addresses,
                            uint32_t link_index);

// All devices of the inventory in two dumps. Those that rtnetlink does not list are ABSENT.
v1::HostFacts ReadLinks(netlink::Transport& route, const Inventory& inventory);

// What stands there when rtnetlink did not answer.
v1::HostFacts LinksMissing(const v1::Reading& reading, const Inventory& inventory);

// The MTU from sysfs, which does not take RTNL.
v1::NetMtu ReadMtuFromSysfs(const HostRoot& root, const std::string& name);

}  // namespace roceready::facts
