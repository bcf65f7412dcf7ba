// SPDX-License-Identifier: Apache-2.0
// Network devices by rtnetlink RTM_GETLINK (kernel include/uapi/linux/if_link.h), with what VLANs,
// bonds and bond members add.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/transport.h"

namespace roceready::netlink {

using MacAddress = std::array<uint8_t, 6>;

// Ingress: from = PCP 0..7, to = socket priority. Egress: from = socket priority, to = PCP 0..7.
struct VlanQosMapping {
  uint32_t from = 0;
  uint32_t to = 0;

  bool operator==(const VlanQosMapping&) const = default;
};

struct LinkVlan {
  std::optional<uint16_t> id;
  // 0x8100 or 0x88a8.
  std::optional<uint16_t> protocol;
  std::optional<uint32_t> flags;
  // The kernel leaves out mappings to 0, and an empty list altogether: no entry means 0.
  std::vector<VlanQosMapping> ingress;
  std::vector<VlanQosMapping> egress;
};

// Only in mode 802.3ad with an active aggregator.
struct BondAggregator {
  std::optional<uint16_t> id;
  std::optional<uint16_t> ports;
  std::optional<uint16_t> actor_key;
  std::optional<uint16_t> partner_key;
  std::optional<MacAddress> partner_mac;
};

struct LinkBond {
  // BondModeWord(), BondHashWord(), BondLacpRateWord() of words.h.
  std::optional<uint8_t> mode;
  std::optional<uint8_t> xmit_hash_policy;
  std::optional<uint8_t> lacp_rate;
  // Index of the active member; modes with one active member only.
  std::optional<uint32_t> active_member;
  std::optional<uint32_t> miimon_ms;
  std::optional<uint32_t> min_links;
  std::optional<BondAggregator> aggregator;
};

struct LinkBondMember {
  // BondMemberStateWord(), BondMiiWord() of words.h.
  std::optional<uint8_t> state;
  std::optional<uint8_t> mii_status;
  std::optional<uint32_t> link_failures;
  std::optional<MacAddress> permanent_mac;
  std::optional<uint16_t> aggregator_id;
  // LACP port state bits of actor and partner (802.1AX).
  std::optional<uint8_t> actor_port_state;
  std::optional<uint16_t> partner_port_state;
};

struct Link {
  uint32_t index = 0;
  std::string name;
  // ARPHRD_*: 1 Ethernet, 772 loopback.
  uint16_t hardware_type = 0;
  // IFF_*; bit 0 is "administratively up".
  uint32_t flags = 0;
  std::optional<uint32_t> mtu_bytes;
  // 0 in max means "no limit said".
  std::optional<uint32_t> min_mtu_bytes;
  std::optional<uint32_t> max_mtu_bytes;
  // OperstateWord() of words.h.
  std::optional<uint8_t> operstate;
  std::optional<bool> carrier;
  std::optional<uint32_t> carrier_changes;
  // Empty where the device has no 6-byte address.
  std::optional<MacAddress> mac;
  std::optional<MacAddress> permanent_mac;
  // "vlan", "bond", "veth" ...; missing for a device of a driver that names no kind.
  std::optional<std::string> kind;
  // What its master is: "bond", "bridge" ...
  std::optional<std::string> member_kind;
  // Index of the device below (of a VLAN), in namespace `lower_netns_id` where that is given.
  std::optional<uint32_t> lower_index;
  std::optional<int32_t> lower_netns_id;
  std::optional<uint32_t> master_index;
  // {"0000:3b:00.0", "pci"}
  std::optional<std::string> parent_device;
  std::optional<std::string> parent_bus;
  // Representors and switch ports have them.
  std::optional<std::vector<uint8_t>> switch_id;
  std::optional<std::string> port_name;
  std::optional<uint32_t> vf_count;
  std::optional<LinkVlan> vlan;
  std::optional<LinkBond> bond;
  std::optional<LinkBondMember> bond_member;

  bool admin_up() const { return (flags & 1u) != 0; }
};

Request LinksRequest();
Request LinkRequest(uint32_t index);
// kDataLoss when malformed, or without index or name.
absl::StatusOr<Link> DecodeLink(const Message& message);
absl::StatusOr<std::vector<Link>> ReadLinks(Transport& route);
// kNotFound where there is no such device.
absl::StatusOr<Link> ReadLink(Transport& route, uint32_t index);

// "52:54:00:cc:00:01"
std::string MacText(const MacAddress& mac);

}  // namespace roceready::netlink
