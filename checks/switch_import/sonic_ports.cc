// SPDX-License-Identifier: Apache-2.0
// The switch, its ports, and what is at their other ends.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "checks/switch_import/sonic_tables.h"

namespace roceready::switches {
namespace {

// 802.1Q, and what any port speed there is fits into.
constexpr Bounds kVlanIds{1, 4094};
constexpr Bounds kSpeeds{1, 10'000'000};
// sonic-port.yang: 68 to 9216; newer hardware may take more.
constexpr Bounds kMtus{68, 65535};
constexpr Bounds kMetres{0, 100'000};

std::string LowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "leaf1.json" of "saved/leaf1.json" without what comes after the first dot.
std::string StemOf(std::string_view file_name) {
  file_name.remove_prefix(file_name.rfind('/') + 1);
  return std::string(file_name.substr(0, file_name.find('.')));
}

// What sonic-port.yang documents for fields that are left out.
void FillDefaults(v1::SwitchPort& port) {
  if (!port.has_admin_up()) {
    port.set_admin_up(false);
    port.add_vendor_defaults("admin_up");
  }
  if (!port.has_role()) {
    port.set_role("Ext");
    port.add_vendor_defaults("role");
  }
}

}  // namespace

void ReadIdentity(SonicInput& input, std::string_view file_name) {
  v1::SwitchFacts& facts = input.facts;
  facts.set_schema_version(1);
  v1::SwitchIdentity& identity = *facts.mutable_identity();
  identity.set_system("sonic");
  RowReader& reader = input.reader;
  if (const Row* row = input.tables.Find("DEVICE_METADATA", "localhost")) {
    *identity.mutable_reading() = reader.ReadingOf(*row);
    if (auto text = reader.Text(*row, "hostname")) identity.set_hostname(*text);
    if (auto text = reader.Text(*row, "mac")) identity.set_mac(LowerCase(*text));
    if (auto text = reader.Text(*row, "platform")) identity.set_platform(*text);
    if (auto text = reader.Text(*row, "hwsku")) identity.set_hardware(*text);
    if (auto text = reader.Text(*row, "type")) identity.set_role(*text);
    if (auto text = reader.Text(*row, "asic_name")) identity.set_asic(*text);
    if (auto text = reader.Text(*row, "buffer_model")) identity.set_buffer_model(*text);
    facts.set_complete(true);
  } else {
    *identity.mutable_reading() =
        reader.Absent("DEVICE_METADATA|localhost", "the file is no whole configuration");
  }
  std::string name = identity.has_hostname() ? identity.hostname() : StemOf(file_name);
  if (identity.has_asic()) name += "." + identity.asic();
  facts.set_name(LowerCase(name));
  v1::Reading& reading = *facts.mutable_reading();
  reading.set_outcome(v1::OUTCOME_OK);
  reading.set_source(v1::SOURCE_SWITCH_CONFIG);
  reading.set_locator(std::string(file_name.substr(file_name.rfind('/') + 1)));
}

void ReadPorts(SonicInput& input) {
  RowReader& reader = input.reader;
  const std::vector<Row>& rows = input.tables.Of("PORT");
  if (rows.size() > kMaxPorts) {
    reader.Problem(rows[kMaxPorts], rows[kMaxPorts].at, {},
                   fmt::format("found {} ports, expected at most {}", rows.size(), kMaxPorts));
    return;
  }
  for (const Row& row : rows) {
    v1::SwitchPort& port = *input.facts.add_ports();
    port.set_name(row.key);
    *port.mutable_reading() = reader.ReadingOf(row);
    if (auto text = reader.Text(row, "alias")) port.set_alias(*text);
    if (auto text = reader.Text(row, "description")) port.set_description(*text);
    if (auto speed = reader.Number(row, "speed", kSpeeds)) {
      port.set_speed_mbps(static_cast<std::uint32_t>(*speed));
    }
    if (auto mtu = reader.Number(row, "mtu", kMtus)) {
      port.set_mtu_bytes(static_cast<std::uint32_t>(*mtu));
    }
    if (auto up = reader.Flag(row, "admin_status", "up", "down")) port.set_admin_up(*up);
    if (auto text = reader.Text(row, "fec")) port.set_fec(*text);
    if (auto text = reader.Text(row, "role")) port.set_role(*text);
    if (auto on = reader.Flag(row, "pfc_asym", "on", "off")) port.set_asymmetric_pfc(*on);
    FillDefaults(port);
  }
  // Now that no row is added any more.
  for (v1::SwitchPort& port : *input.facts.mutable_ports()) input.ports[port.name()] = &port;
}

void ReadNeighboursAndVlans(SonicInput& input) {
  RowReader& reader = input.reader;
  for (const Row& row : input.tables.Of("DEVICE_NEIGHBOR")) {
    v1::SwitchPort* port = input.Port(row.key);
    if (port == nullptr) continue;
    v1::PlannedNeighbour& neighbour = *port->mutable_planned_neighbour();
    *neighbour.mutable_reading() = reader.ReadingOf(row);
    if (auto text = reader.Text(row, "name")) neighbour.set_name(*text);
    if (auto text = reader.Text(row, "port")) neighbour.set_port(*text);
  }
  for (const Row& row : input.tables.Of("VLAN_MEMBER")) {
    const auto parts = Split(row.key, '|');
    v1::SwitchPort* port = parts.size() == 2 ? input.Port(parts[1]) : nullptr;
    if (port == nullptr || !parts[0].starts_with("Vlan")) continue;
    const auto ids = reader.Range(row, parts[0].substr(4), kVlanIds.max);
    if (ids.size() != 1) continue;
    v1::SwitchVlanMember& member = *port->add_vlans();
    member.set_vlan_id(ids.front());
    *member.mutable_reading() = reader.ReadingOf(row);
    if (auto mode = reader.OneOf(row, "tagging_mode", {"tagged", "untagged", "priority_tagged"})) {
      member.set_tagged(*mode == "tagged");
    }
  }
  for (const Row& row : input.tables.Of("PORTCHANNEL_MEMBER")) {
    const auto parts = Split(row.key, '|');
    if (v1::SwitchPort* port = parts.size() == 2 ? input.Port(parts[1]) : nullptr) {
      port->set_port_channel(std::string(parts[0]));
    }
  }
  for (const Row& row : input.tables.Of("CABLE_LENGTH")) {
    for (const auto& [name, field] : row.fields) {
      v1::SwitchPort* port = input.Port(name);
      if (port == nullptr) continue;
      Row metres{.table = row.table, .key = row.key, .at = row.at, .fields = {{name, field}}};
      std::string& word = metres.fields[name].word;
      if (word.ends_with('m')) word.pop_back();
      const auto length = reader.Number(metres, name, kMetres);
      if (!length) continue;
      *port->mutable_cable_length()->mutable_reading() = reader.ReadingOf(row, name);
      port->mutable_cable_length()->set_metres(static_cast<std::uint32_t>(*length));
    }
  }
}

}  // namespace roceready::switches
