// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/rtnl_link.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

std::optional<MacAddress> ReadMac(Attributes& attributes, uint16_t type) {
  const std::optional<ByteView> raw = attributes.Raw(type);
  // Other lengths are other kinds of addresses (IP over InfiniBand, tunnels).
  if (!raw || raw->size() != MacAddress().size()) return std::nullopt;
  MacAddress mac;
  std::copy(raw->begin(), raw->end(), mac.begin());
  return mac;
}

std::vector<VlanQosMapping> ReadQosMap(Attributes& vlan, uint16_t type) {
  std::vector<VlanQosMapping> map;
  const std::optional<Attributes> entries = vlan.Nest(type, "vlan priority map");
  if (!entries) return map;
  for (const Attribute& entry : entries->all()) {
    if (entry.type != IFLA_VLAN_QOS_MAPPING) continue;
    ifla_vlan_qos_mapping raw;
    if (entry.payload.size() != sizeof(raw)) {
      vlan.Refuse(fmt::format("priority map entry of {} bytes", entry.payload.size()));
      break;
    }
    std::memcpy(&raw, entry.payload.data(), sizeof(raw));
    map.push_back({raw.from, raw.to});
  }
  return map;
}

LinkVlan ReadVlan(Attributes& data) {
  LinkVlan vlan;
  vlan.id = data.U16(IFLA_VLAN_ID);
  vlan.protocol = data.BigEndian16(IFLA_VLAN_PROTOCOL);
  if (const auto flags = data.Copy<ifla_vlan_flags>(IFLA_VLAN_FLAGS)) vlan.flags = flags->flags;
  vlan.ingress = ReadQosMap(data, IFLA_VLAN_INGRESS_QOS);
  vlan.egress = ReadQosMap(data, IFLA_VLAN_EGRESS_QOS);
  return vlan;
}

LinkBond ReadBond(Attributes& data) {
  LinkBond bond;
  bond.mode = data.U8(IFLA_BOND_MODE);
  bond.xmit_hash_policy = data.U8(IFLA_BOND_XMIT_HASH_POLICY);
  bond.lacp_rate = data.U8(IFLA_BOND_AD_LACP_RATE);
  bond.active_member = data.U32(IFLA_BOND_ACTIVE_SLAVE);
  bond.miimon_ms = data.U32(IFLA_BOND_MIIMON);
  bond.min_links = data.U32(IFLA_BOND_MIN_LINKS);
  if (std::optional<Attributes> info = data.Nest(IFLA_BOND_AD_INFO, "bond aggregator")) {
    bond.aggregator = BondAggregator{.id = info->U16(IFLA_BOND_AD_INFO_AGGREGATOR),
                                     .ports = info->U16(IFLA_BOND_AD_INFO_NUM_PORTS),
                                     .actor_key = info->U16(IFLA_BOND_AD_INFO_ACTOR_KEY),
                                     .partner_key = info->U16(IFLA_BOND_AD_INFO_PARTNER_KEY),
                                     .partner_mac = ReadMac(*info, IFLA_BOND_AD_INFO_PARTNER_MAC)};
  }
  return bond;
}

LinkBondMember ReadBondMember(Attributes& data) {
  LinkBondMember member;
  member.state = data.U8(IFLA_BOND_SLAVE_STATE);
  member.mii_status = data.U8(IFLA_BOND_SLAVE_MII_STATUS);
  member.link_failures = data.U32(IFLA_BOND_SLAVE_LINK_FAILURE_COUNT);
  member.permanent_mac = ReadMac(data, IFLA_BOND_SLAVE_PERM_HWADDR);
  member.aggregator_id = data.U16(IFLA_BOND_SLAVE_AD_AGGREGATOR_ID);
  member.actor_port_state = data.U8(IFLA_BOND_SLAVE_AD_ACTOR_OPER_PORT_STATE);
  member.partner_port_state = data.U16(IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE);
  return member;
}

void ReadLinkInfo(Attributes& info, Link& link) {
  link.kind = info.String(IFLA_INFO_KIND);
  link.member_kind = info.String(IFLA_INFO_SLAVE_KIND);
  if (link.kind == "vlan") {
    if (auto data = info.Nest(IFLA_INFO_DATA, "vlan data")) link.vlan = ReadVlan(*data);
  }
  if (link.kind == "bond") {
    if (auto data = info.Nest(IFLA_INFO_DATA, "bond data")) link.bond = ReadBond(*data);
  }
  if (link.member_kind == "bond") {
    if (auto data = info.Nest(IFLA_INFO_SLAVE_DATA, "bond member data")) {
      link.bond_member = ReadBondMember(*data);
    }
  }
}

Request LinkRequestOf(bool dump, uint32_t index, std::string what) {
  PayloadBuilder payload;
  payload.PutHeader(ifinfomsg{.ifi_family = AF_UNSPEC, .ifi_index = static_cast<int>(index)});
  // Statistics are most of an answer, and nobody reads them here. RTEXT_FILTER_VF is left out on
  // purpose: it costs the driver a question to the firmware for each VF of each device, and with
  // some 250 VFs the list outgrows the 16-bit length of its attribute (rtnl_vf.h asks by device).
  payload.PutU32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
  return {.type = RTM_GETLINK, .dump = dump, .payload = payload.Take(), .what = std::move(what)};
}

}  // namespace

Request LinksRequest() { return LinkRequestOf(true, 0, "list of links"); }
Request LinkRequest(uint32_t index) {
  return LinkRequestOf(false, index, fmt::format("link {}", index));
}

absl::StatusOr<Link> DecodeLink(const Message& message) {
  if (message.type != RTM_NEWLINK && message.type != RTM_DELLINK) {
    return DataLoss("message type {} is no link", message.type);
  }
  ifinfomsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "link", header));
  absl::Status malformed;
  Attributes attributes(rest, "link", malformed);
  Link link{.hardware_type = header.ifi_type, .flags = header.ifi_flags};
  const std::optional<std::string> name = attributes.String(IFLA_IFNAME);
  link.mtu_bytes = attributes.U32(IFLA_MTU);
  link.min_mtu_bytes = attributes.U32(IFLA_MIN_MTU);
  link.max_mtu_bytes = attributes.U32(IFLA_MAX_MTU);
  link.operstate = attributes.U8(IFLA_OPERSTATE);
  link.carrier = attributes.Bool(IFLA_CARRIER);
  link.carrier_changes = attributes.U32(IFLA_CARRIER_CHANGES);
  link.mac = ReadMac(attributes, IFLA_ADDRESS);
  link.permanent_mac = ReadMac(attributes, IFLA_PERM_ADDRESS);
  link.lower_index = attributes.U32(IFLA_LINK);
  link.lower_netns_id = attributes.Copy<int32_t>(IFLA_LINK_NETNSID);
  link.master_index = attributes.U32(IFLA_MASTER);
  link.parent_device = attributes.String(IFLA_PARENT_DEV_NAME);
  link.parent_bus = attributes.String(IFLA_PARENT_DEV_BUS_NAME);
  link.port_name = attributes.String(IFLA_PHYS_PORT_NAME);
  link.vf_count = attributes.U32(IFLA_NUM_VF);
  if (const std::optional<ByteView> id = attributes.Raw(IFLA_PHYS_SWITCH_ID)) {
    link.switch_id.emplace(id->begin(), id->end());
  }
  if (auto info = attributes.Nest(IFLA_LINKINFO, "link info")) ReadLinkInfo(*info, link);
  RETURN_IF_ERROR(malformed);
  if (header.ifi_index <= 0 || !name || name->empty()) {
    return DataLoss("link without index or name");
  }
  link.index = static_cast<uint32_t>(header.ifi_index);
  link.name = *name;
  return link;
}

absl::StatusOr<std::vector<Link>> ReadLinks(Transport& route) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages, route.Exchange(LinksRequest()));
  std::vector<Link> links;
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(Link link, DecodeLink(message));
    links.push_back(std::move(link));
  }
  return links;
}

absl::StatusOr<Link> ReadLink(Transport& route, uint32_t index) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(route, LinkRequest(index)));
  ASSIGN_OR_RETURN(Link link, DecodeLink(message));
  if (link.index != index) return DataLoss("link {} was answered for {}", index, link.index);
  return link;
}

std::string MacText(const MacAddress& mac) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3],
                     mac[4], mac[5]);
}

}  // namespace roceready::netlink
