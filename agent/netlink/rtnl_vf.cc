// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/rtnl_vf.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

// The kernel's own mark of "the driver said nothing" (rtnl_fill_vfinfo presets -1).
std::optional<bool> SettingOf(uint32_t setting) {
  if (setting == UINT32_MAX) return std::nullopt;
  return setting != 0;
}

// Each attribute repeats the index of the VF; they must agree.
template <typename Struct>
std::optional<Struct> ReadOf(Attributes& entry, uint16_t type, std::optional<uint32_t>& index) {
  std::optional<Struct> value = entry.Copy<Struct>(type);
  if (!value) return std::nullopt;
  if (index && *index != value->vf) entry.Refuse("attributes of two functions in one entry");
  index = value->vf;
  return value;
}

LinkVf ReadVf(Attributes entry) {
  LinkVf vf;
  std::optional<uint32_t> index;
  if (const auto mac = ReadOf<ifla_vf_mac>(entry, IFLA_VF_MAC, index)) {
    vf.mac.emplace();
    std::copy_n(mac->mac, vf.mac->size(), vf.mac->begin());
  }
  if (const auto vlan = ReadOf<ifla_vf_vlan>(entry, IFLA_VF_VLAN, index)) {
    vf.vlan_id = vlan->vlan;
    vf.vlan_priority = vlan->qos;
  }
  // The newer list holds the same one and no other (MAX_VLAN_LIST_LEN), and the kind of its tag.
  if (auto vlans = entry.Nest(IFLA_VF_VLAN_LIST, "VLANs of a virtual function")) {
    if (const auto vlan = ReadOf<ifla_vf_vlan_info>(*vlans, IFLA_VF_VLAN_INFO, index)) {
      vf.vlan_protocol = ntohs(vlan->vlan_proto);
    }
  }
  if (const auto rate = ReadOf<ifla_vf_rate>(entry, IFLA_VF_RATE, index)) {
    vf.min_rate = rate->min_tx_rate;
    vf.max_rate = rate->max_tx_rate;
  }
  if (const auto spoof = ReadOf<ifla_vf_spoofchk>(entry, IFLA_VF_SPOOFCHK, index)) {
    vf.spoof_check = SettingOf(spoof->setting);
  }
  if (const auto state = ReadOf<ifla_vf_link_state>(entry, IFLA_VF_LINK_STATE, index)) {
    vf.link_state = state->link_state;
  }
  if (const auto trust = ReadOf<ifla_vf_trust>(entry, IFLA_VF_TRUST, index)) {
    vf.trust = SettingOf(trust->setting);
  }
  if (!index) entry.Refuse("no index of the function");
  vf.index = index.value_or(0);
  return vf;
}

}  // namespace

Request LinkVfsRequest(uint32_t index) {
  PayloadBuilder payload;
  payload.PutHeader(ifinfomsg{.ifi_family = AF_UNSPEC, .ifi_index = static_cast<int>(index)});
  payload.PutU32(IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS);
  return {.type = RTM_GETLINK,
          .payload = payload.Take(),
          .what = fmt::format("virtual functions of link {}", index)};
}

absl::StatusOr<LinkVfs> DecodeLinkVfs(const Message& message) {
  if (message.type != RTM_NEWLINK) return DataLoss("message type {} is no link", message.type);
  ifinfomsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "link", header));
  absl::Status malformed;
  Attributes attributes(rest, "link", malformed);
  LinkVfs vfs;
  if (auto list = attributes.Nest(IFLA_VFINFO_LIST, "virtual functions")) {
    vfs.emplace();
    for (const Attribute& attribute : list->all()) {
      if (attribute.type != IFLA_VF_INFO) continue;
      vfs->push_back(ReadVf(list->Entry(attribute, "virtual function")));
    }
    std::ranges::sort(*vfs, {}, &LinkVf::index);
    const auto twice = std::ranges::adjacent_find(*vfs, {}, &LinkVf::index);
    if (malformed.ok() && twice != vfs->end()) list->Refuse("one function twice");
  }
  RETURN_IF_ERROR(malformed);
  return vfs;
}

absl::StatusOr<LinkVfs> ReadLinkVfs(Transport& route, uint32_t index) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(route, LinkVfsRequest(index)));
  ifinfomsg header;
  RETURN_IF_ERROR(TakeHeader(message.payload, "link", header).status());
  if (header.ifi_index != static_cast<int>(index)) {
    return DataLoss("link {} was answered for {}", index, header.ifi_index);
  }
  return DecodeLinkVfs(message);
}

}  // namespace roceready::netlink
