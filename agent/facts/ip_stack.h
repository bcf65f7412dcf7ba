// SPDX-License-Identifier: Apache-2.0
// IP settings that RoCE address resolution depends on: routes and rules (rtnetlink, RTNL-bound),
// reverse-path filter and ARP settings (procfs).
#pragma once

#include <string>

#include "agent/facts/inventory.h"
#include "agent/netlink/rtnl.h"

namespace roceready::facts {

// The effective values: for rp_filter, arp_ignore and arp_announce the larger of "all" and the
// device's, for arp_filter either (kernel Documentation/networking/ip-sysctl.rst).
v1::NetSysctl ReadNetSysctl(const HostRoot& root, const std::string& net_device);

// Unicast routes of IPv4 and IPv6, without the `local` table, at most kMostRoutes; the reading says
// how many were left out.
v1::IpStack ReadIpStack(netlink::Transport& route, const Inventory& inventory);

inline constexpr size_t kMostRoutes = 256;

}  // namespace roceready::facts
