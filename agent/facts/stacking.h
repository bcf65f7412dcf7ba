// SPDX-License-Identifier: Apache-2.0
// How net devices stand on each other, and RDMA devices on them. From sysfs, without RTNL.
#pragma once

#include <set>
#include <string>

#include "agent/facts/inventory.h"

namespace roceready::facts {

// The net devices at the bottom of this one, those that frames come in by: a bond's members, a VLAN
// device's parent, itself where it stands on nothing. Of a bond's member, all members of the bond.
std::set<std::string> BottomOf(const HostRoot& root, const std::string& net_device);

// Whether it is a net device of the RDMA device itself. Representors share their function's
// address, but not its id.
bool BelongsTo(const NetDeviceEntry& net_device, const RdmaDeviceEntry& rdma);

}  // namespace roceready::facts
