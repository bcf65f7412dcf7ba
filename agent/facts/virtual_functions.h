// SPDX-License-Identifier: Apache-2.0
// The virtual functions of a net device's PCI function, as the physical function sets them up.
// RTNL-bound.
#pragma once

#include "agent/facts/inventory.h"
#include "agent/facts/sources.h"
#include "agent/netlink/rtnl_vf.h"

namespace roceready::facts {

v1::VirtualFunctions VirtualFunctionsOf(const absl::StatusOr<netlink::LinkVfs>& answer);

// ABSENT where sysfs says that the PCI function has none: the drivers ask their firmware for each
// of them while they hold RTNL, so rtnetlink is asked only where there are some.
v1::VirtualFunctions ReadVirtualFunctions(const Sources& sources, const NetDeviceEntry& entry);

}  // namespace roceready::facts
