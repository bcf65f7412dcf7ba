// SPDX-License-Identifier: Apache-2.0
// What a physical function's network device says of its virtual functions, by rtnetlink RTM_GETLINK
// with RTEXT_FILTER_VF (kernel net/core/rtnetlink.c rtnl_fill_vfinfo).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/netlink/rtnl_link.h"

namespace roceready::netlink {

struct LinkVf {
  uint32_t index = 0;
  // All zeros: the virtual function chose one itself.
  std::optional<MacAddress> mac;
  // 0: the NIC tags nothing.
  std::optional<uint32_t> vlan_id;
  // PCP of the frames that the NIC tags.
  std::optional<uint32_t> vlan_priority;
  // EtherType of the tag. VlanProtocolWord() of words.h.
  std::optional<uint16_t> vlan_protocol;
  // Mb/s; 0: no limit.
  std::optional<uint32_t> min_rate;
  std::optional<uint32_t> max_rate;
  // Missing where the driver does not know them.
  std::optional<bool> spoof_check;
  std::optional<bool> trust;
  // VfLinkStateWord() of words.h.
  std::optional<uint32_t> link_state;
};

// nullopt: the driver shows none of them, whether there are any or not.
using LinkVfs = std::optional<std::vector<LinkVf>>;

Request LinkVfsRequest(uint32_t index);
// kDataLoss when malformed. Also with more VFs than the list's 16-bit length can hold (some 250):
// the kernel then cuts the length, and what is left makes no sense.
absl::StatusOr<LinkVfs> DecodeLinkVfs(const Message& message);
// kNotFound where there is no such device.
absl::StatusOr<LinkVfs> ReadLinkVfs(Transport& route, uint32_t index);

}  // namespace roceready::netlink
