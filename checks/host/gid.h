// SPDX-License-Identifier: Apache-2.0
// What a GID is: of which address family, and whose.
#pragma once

#include <algorithm>
#include <string_view>

#include "checks/ports.h"
#include "checks/reading.h"

namespace roceready::checks {

inline bool IsIpv4Gid(std::string_view gid) {
  // RoCEv2 annex: an IPv4 address is an IPv4-mapped IPv6 address.
  return gid.starts_with("::ffff:") || gid.starts_with("0000:0000:0000:0000:0000:ffff:");
}

inline bool IsLinkLocalGid(std::string_view gid) {
  return gid.starts_with("fe80:") || gid.starts_with("FE80:");
}

inline bool IsOnPort(const v1::Gid& gid, const PortView& port) {
  return std::ranges::any_of(port.AddressedNetDevices(), [&](const v1::NetDevice* net_device) {
    return net_device->id() == gid.net_device_id();
  });
}

// Whether the GID's net device is known to be none of the port's. It is not, where a link was not
// read: what lies on what is then not known either.
inline bool IsElsewhere(const v1::HostFacts& facts, const v1::Gid& gid, const PortView& port) {
  if (gid.net_device_id().empty() || port.net_device == nullptr) return false;
  if (IsOnPort(gid, port) || !IsOk(port.net_device->link().reading())) return false;
  const v1::NetDevice* net_device = FindNetDevice(facts, gid.net_device_id());
  return net_device == nullptr || IsOk(net_device->link().reading());
}

}  // namespace roceready::checks
