// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/links.h"

#include <algorithm>
#include <optional>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_RTNETLINK;

// The id of the device with that index; nullopt where it is not ours to see.
std::optional<std::string> IdOf(const Inventory& inventory, std::optional<uint32_t> index) {
  if (!index.has_value()) return std::nullopt;
  const NetDeviceEntry* device = inventory.FindNetDevice(*index);
  return device == nullptr ? std::nullopt : std::optional(device->id);
}

std::string HexText(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// "pf0vf3", "pf0sf1", "c1pf0": ends of functions; "p0" and "p0s1" are ports to the network
// (net/devlink port names).
bool NamesAFunction(std::string_view port_name) {
  return port_name.find("pf") != std::string_view::npos;
}

v1::NetLink NetLinkOf(const netlink::Link& link, const Inventory& inventory) {
  v1::NetLink result;
  *result.mutable_reading() = OkReading(kSource);
  // 0 means that the driver names no limit.
  if (link.max_mtu_bytes.value_or(0) > 0) result.set_max_mtu_bytes(*link.max_mtu_bytes);
  if (link.min_mtu_bytes.value_or(0) > 0) result.set_min_mtu_bytes(*link.min_mtu_bytes);
  if (link.operstate) result.set_operstate(netlink::OperstateWord(*link.operstate));
  if (link.carrier) result.set_carrier(*link.carrier);
  result.set_admin_up(link.admin_up());
  if (link.mac) result.set_mac(netlink::MacText(*link.mac));
  if (link.kind) result.set_kind(*link.kind);
  // An index of another network namespace means another device here.
  if (!link.lower_netns_id) {
    if (const auto id = IdOf(inventory, link.lower_index)) result.set_lower_id(*id);
  }
  if (const auto id = IdOf(inventory, link.master_index)) result.set_master_id(*id);
  if (link.port_name && !link.port_name->empty()) result.set_port_name(*link.port_name);
  if (link.switch_id && !link.switch_id->empty()) {
    result.set_switch_id(HexText(*link.switch_id));
    result.set_representor(link.port_name && NamesAFunction(*link.port_name));
  }
  return result;
}

v1::Vlan VlanOf(const netlink::LinkVlan& vlan) {
  v1::Vlan result;
  *result.mutable_reading() = OkReading(kSource);
  if (vlan.id) result.set_vlan_id(*vlan.id);
  if (vlan.protocol) result.set_protocol(netlink::VlanProtocolWord(*vlan.protocol));
  const auto fill = [](const std::vector<netlink::VlanQosMapping>& mappings, auto* rows) {
    for (const netlink::VlanQosMapping& mapping : mappings) {
      v1::QosMapping* row = rows->Add();
      row->set_from(mapping.from);
      row->set_to(mapping.to);
    }
    std::sort(rows->begin(), rows->end(),
              [](const auto& a, const auto& b) { return a.from() < b.from(); });
  };
  fill(vlan.ingress, result.mutable_ingress());
  fill(vlan.egress, result.mutable_egress());
  return result;
}

v1::Bond BondOf(const netlink::LinkBond& bond, const Inventory& inventory) {
  v1::Bond result;
  *result.mutable_reading() = OkReading(kSource);
  if (bond.mode) result.set_mode(netlink::BondModeWord(*bond.mode));
  if (bond.xmit_hash_policy) {
    result.set_xmit_hash_policy(netlink::BondHashWord(*bond.xmit_hash_policy));
  }
  if (const auto id = IdOf(inventory, bond.active_member)) result.set_active_member_id(*id);
  if (bond.lacp_rate) result.set_lacp_rate(netlink::BondLacpRateWord(*bond.lacp_rate));
  if (bond.miimon_ms) result.set_miimon_ms(*bond.miimon_ms);
  if (bond.min_links) result.set_min_links(*bond.min_links);
  if (bond.aggregator) {
    if (bond.aggregator->ports) result.set_aggregator_ports(*bond.aggregator->ports);
    if (bond.aggregator->partner_mac) {
      result.set_partner_mac(netlink::MacText(*bond.aggregator->partner_mac));
    }
  }
  return result;
}

v1::BondMember BondMemberOf(const netlink::LinkBondMember& member) {
  v1::BondMember result;
  *result.mutable_reading() = OkReading(kSource);
  if (member.state) result.set_state(netlink::BondMemberStateWord(*member.state));
  if (member.mii_status) result.set_mii_status(netlink::BondMiiWord(*member.mii_status));
  if (member.aggregator_id) result.set_aggregator_id(*member.aggregator_id);
  if (member.actor_port_state) result.set_actor_port_state(*member.actor_port_state);
  if (member.partner_port_state) result.set_partner_port_state(*member.partner_port_state);
  return result;
}

v1::NetDevice RowOf(const NetDeviceEntry& entry) {
  v1::NetDevice row;
  row.set_id(entry.id);
  row.set_index(entry.index);
  row.set_name(entry.name);
  return row;
}

}  // namespace

void FillLink(const netlink::Link& link, const Inventory& inventory, v1::NetDevice* device) {
  *device->mutable_mtu()->mutable_reading() = OkReading(kSource);
  if (link.mtu_bytes) device->mutable_mtu()->set_mtu_bytes(*link.mtu_bytes);
  *device->mutable_link() = NetLinkOf(link, inventory);
  if (link.vlan) *device->mutable_vlan() = VlanOf(*link.vlan);
  if (link.bond) *device->mutable_bond() = BondOf(*link.bond, inventory);
  if (link.bond_member) *device->mutable_bond_member() = BondMemberOf(*link.bond_member);
}

v1::IpAddresses AddressesOf(const std::vector<netlink::InterfaceAddress>& addresses,
                            uint32_t link_index) {
  v1::IpAddresses result;
  *result.mutable_reading() = OkReading(kSource);
  for (const netlink::InterfaceAddress& address : addresses) {
    if (address.link_index != link_index) continue;
    v1::IpAddress* row = result.add_addresses();
    row->set_address(address.address.Text());
    row->set_prefix_bits(address.prefix_bits);
    row->set_permanent(address.permanent());
    row->set_tentative(address.tentative());
    row->set_scope(netlink::AddressScopeWord(address.scope));
  }
  auto* rows = result.mutable_addresses();
  std::sort(rows->begin(), rows->end(),
            [](const auto& a, const auto& b) { return a.address() < b.address(); });
  return result;
}

v1::HostFacts ReadLinks(netlink::Transport& route, const Inventory& inventory) {
  const absl::StatusOr<std::vector<netlink::Link>> links = netlink::ReadLinks(route);
  if (!links.ok()) return LinksMissing(ReadingOf(links.status(), kSource), inventory);
  const absl::StatusOr<std::vector<netlink::InterfaceAddress>> addresses =
      netlink::ReadAddresses(route);
  v1::HostFacts facts;
  for (const NetDeviceEntry& entry : inventory.net_devices) {
    v1::NetDevice* device = facts.add_net_devices();
    *device = RowOf(entry);
    const auto link = std::ranges::find(*links, entry.index, &netlink::Link::index);
    if (link == links->end()) {
      // Gone since the inventory was made; no MTU either, but sysfs may still have had it.
      const v1::Reading gone = MissingReading(v1::OUTCOME_ABSENT, kSource, "the device is gone");
      *device->mutable_link()->mutable_reading() = gone;
      *device->mutable_addresses()->mutable_reading() = gone;
      continue;
    }
    FillLink(*link, inventory, device);
    if (addresses.ok()) {
      *device->mutable_addresses() = AddressesOf(*addresses, entry.index);
    } else {
      *device->mutable_addresses()->mutable_reading() = ReadingOf(addresses.status(), kSource);
    }
  }
  return facts;
}

v1::HostFacts LinksMissing(const v1::Reading& reading, const Inventory& inventory) {
  v1::HostFacts facts;
  for (const NetDeviceEntry& entry : inventory.net_devices) {
    v1::NetDevice* device = facts.add_net_devices();
    *device = RowOf(entry);
    *device->mutable_link()->mutable_reading() = reading;
    *device->mutable_addresses()->mutable_reading() = reading;
  }
  return facts;
}

v1::NetMtu ReadMtuFromSysfs(const HostRoot& root, const std::string& name) {
  v1::NetMtu mtu;
  const absl::StatusOr<int64_t> bytes = root.ReadNumber(fmt::format("/sys/class/net/{}/mtu", name));
  *mtu.mutable_reading() = ReadingOf(bytes.status(), v1::SOURCE_SYSFS);
  if (bytes.ok()) mtu.set_mtu_bytes(static_cast<uint32_t>(*bytes));
  return mtu;
}

}  // namespace roceready::facts
