// SPDX-License-Identifier: Apache-2.0
// Packet filter rules that decide about RoCE v2 (UDP port 4791). They reach software devices only:
// a NIC's RDMA engine passes the kernel's stack by. Does not take RTNL.
#pragma once

#include <vector>

#include "agent/facts/sources.h"
#include "agent/netlink/nftables.h"

namespace roceready::facts {

// More rows than any filter that is written for people has.
inline constexpr int kMostFirewallRows = 256;

// Base chains with the number of their rules, and the rules of all chains that decide, or may
// decide, about a packet to the port. What is in a dormant table sees no packet and is left out.
v1::Firewall FirewallOf(const std::vector<netlink::NftTable>& tables,
                        const std::vector<netlink::NftChain>& chains,
                        const std::vector<netlink::NftRule>& rules);

// Asks only where nf_tables is loaded or built into the kernel: the question itself would load it.
// SKIPPED where neither can be told.
v1::Firewall ReadFirewall(const Sources& sources);

}  // namespace roceready::facts
