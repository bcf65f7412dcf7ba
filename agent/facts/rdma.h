// SPDX-License-Identifier: Apache-2.0
// RDMA devices and ports as RDMA netlink (nldev) tells them, sysfs where nldev does not answer, and
// whether the character device can be used.
#pragma once

#include <cstdint>
#include <string>

#include "agent/facts/inventory.h"
#include "agent/netlink/nldev.h"

namespace roceready::facts {

// Kernel index of a device by its name; names can change, the index cannot.
absl::StatusOr<uint32_t> FindRdmaIndex(netlink::Transport& rdma, const std::string& name);

// Plain values of a device: index, firmware, GUIDs, protocol, board id. No ports. Does not take
// RTNL. Where nldev fails, sysfs fills what it has and the reading says so.
v1::RdmaDevice ReadRdmaDevice(netlink::Transport* rdma, const HostRoot& root,
                              const RdmaDeviceEntry& entry);

// State, physical state and net device of each port (PORT_GET). Calls the driver's query_port:
// RTNL-bound on most drivers (QueryPortTakesRtnl). Where nldev cannot be opened (null) or fails,
// sysfs gives the states, and the reading says so; the GID table then tells the net device.
v1::RdmaDevice ReadRdmaPorts(netlink::Transport* rdma, const HostRoot& root,
                             const Inventory& inventory, const RdmaDeviceEntry& entry);
v1::RdmaDevice RdmaPortsMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry);

// The character device: its path and mode, and whether we may open it. libibverbs reports ENOENT
// where permission is missing, so the node is opened here, and that errno is reported.
v1::UverbsAccess ReadUverbsAccess(const HostRoot& root, const std::string& rdma_device);

// Which counters of each port are off until somebody switches them on (mlx5).
v1::RdmaDevice ReadOptionalCounters(netlink::Transport& rdma, const RdmaDeviceEntry& entry);
v1::RdmaDevice OptionalCountersMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry);

}  // namespace roceready::facts
