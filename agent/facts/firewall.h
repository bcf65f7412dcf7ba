// SPDX-License-Identifier: Apache-2.0
// Packet filter rules that decide about RoCE v2 (UDP port 4791). They reach software devices only:
// a NIC's RDMA engine passes the kernel's stack by. Does not take RTNL.
#pragma once

#include <vector>

#include "agent/facts/sources.h"
#include "agent/netlink/nftables.h"

namespace roceready::facts {

// Base chains with the number of their rules, and the rules that name the port.
v1::Firewall FirewallOf(const std::vector<netlink::NftChain>& chains,
                        const std::vector<netlink::NftRule>& rules);

// Asks only where nf_tables is loaded: the question itself would load it.
v1::Firewall ReadFirewall(const Sources& sources);

}  // namespace roceready::facts
