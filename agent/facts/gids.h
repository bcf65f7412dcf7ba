// SPDX-License-Identifier: Apache-2.0
// GID table of an RDMA port from sysfs: needs no open device and does not take RTNL, but costs a
// file a slot (1024 on Soft-RoCE). The table by verbs (verbs.h) comes first; both give equal rows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/facts/inventory.h"

namespace roceready::facts {

// "fe80:0000:0000:0000:5054:00ff:fe12:3401", as sysfs writes it; conformance compares texts.
std::string GidText(const std::array<uint8_t, 16>& gid);

// Used slots only. The type word "IB/RoCE v1" means IB on an InfiniBand port and RoCE v1 on an
// Ethernet port.
v1::GidTable ReadGidsFromSysfs(const HostRoot& root, const Inventory& inventory,
                               const std::string& rdma_device, uint32_t port);

// How many slots the tables of all these ports have: what verbs need room for. 0 if unknown.
size_t CountGidSlots(const HostRoot& root, const RdmaDeviceEntry& entry);

// The net device that most plainly is the port's: that of the lowest GID. Joins survive by it while
// PORT_GET does not answer.
std::optional<std::string> NetDeviceOfGids(const v1::GidTable& table);

}  // namespace roceready::facts
