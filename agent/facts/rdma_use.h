// SPDX-License-Identifier: Apache-2.0
// Who uses RDMA now: queue pairs and connection ids of each device by their owner (RDMA netlink
// resource tracking), processes by name. Does not take RTNL.
#pragma once

#include <string>
#include <vector>

#include "agent/facts/inventory.h"
#include "agent/netlink/nldev.h"

namespace roceready::facts {

// Owners sorted by name. The kernel names a process by its number; `root` gives its program's name,
// where it is still there and visible.
std::vector<v1::RdmaUser> RdmaUsersOf(const HostRoot& root,
                                      const std::vector<netlink::RdmaQueuePair>& queue_pairs,
                                      const std::vector<netlink::RdmaCmId>& cm_ids);

v1::RdmaUse ReadRdmaUse(netlink::Transport& rdma, const HostRoot& root, const Inventory& inventory);

}  // namespace roceready::facts
