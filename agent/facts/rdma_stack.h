// SPDX-License-Identifier: Apache-2.0
// The RDMA subsystem as a whole (namespace mode, library version) and the defaults of its
// connection manager.
#pragma once

#include <string>

#include "agent/facts/inventory.h"
#include "agent/netlink/nldev.h"

namespace roceready::facts {

// `rdma` may be null (no RDMA netlink): then sysfs gives the mode, or the reading says why not.
v1::RdmaStack ReadRdmaStack(netlink::Transport* rdma, const HostRoot& root);

// Traffic class and RoCE mode that rdma_cm uses by default. The kernel shows them in configfs after
// a mkdir, which is a write: SKIPPED, unless somebody made the directory before.
v1::CmDefaults ReadCmDefaults(const HostRoot& root, const std::string& rdma_device, uint32_t port);

}  // namespace roceready::facts
