// SPDX-License-Identifier: Apache-2.0
// The RDMA subsystem as a whole (namespace mode, library version), who uses it, and the defaults of
// its connection manager.
#pragma once

#include <string>

#include "agent/facts/inventory.h"
#include "agent/netlink/nldev.h"

namespace roceready::facts {

// `rdma` may be null (no RDMA netlink): then sysfs gives the mode, or the reading says why not.
v1::RdmaStack ReadRdmaStack(netlink::Transport* rdma, const HostRoot& root);

// Queue pairs by owner, memory regions and connection ids of one device.
v1::RdmaDeviceUse ReadRdmaDeviceUse(netlink::Transport& rdma, uint32_t device_index,
                                    const std::string& device_id, absl::Status* status);
v1::RdmaUse ReadRdmaUse(netlink::Transport& rdma, const Inventory& inventory);

// Traffic class and RoCE mode that rdma_cm uses by default. The kernel shows them in configfs after
// a mkdir, which is a write: SKIPPED, unless somebody made the directory before.
v1::CmDefaults ReadCmDefaults(const HostRoot& root, const std::string& rdma_device, uint32_t port);

}  // namespace roceready::facts
