// SPDX-License-Identifier: Apache-2.0
// What is heard by LLDP (agent/lldp) on the ports of RDMA devices, as facts.
#pragma once

#include <string>
#include <vector>

#include "agent/facts/fragment.h"
#include "agent/facts/inventory.h"
#include "agent/lldp/ears.h"

namespace roceready::facts {

// The net devices at the bottom of what RDMA devices stand on: a bond's members singly, a VLAN
// device's parent. From sysfs, without RTNL.
std::vector<NetDeviceEntry> LldpPorts(const HostRoot& root, const Inventory& inventory);

v1::Lldp LldpOf(const lldp::Hearing& hearing);

// `lldp` of every net device (SKIPPED where none is to be heard): who is believed to be there now,
// that is, within the time to live of what was last heard. `ears` is null where nobody listens.
Fragment ReadLldp(lldp::Ears* ears, const HostRoot& root, const Inventory& inventory);

// LLDP agents that run on the host, known by their sockets: an unprivileged service cannot see
// other users' processes.
v1::LldpDaemons ReadLldpDaemons(const HostRoot& root);

}  // namespace roceready::facts
