// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/lldp_neighbour.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "agent/facts/dcb.h"
#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_LLDP_FRAME;

// The word of a number that counts from 1.
template <size_t kCount>
std::string WordOf(uint32_t number, const std::array<std::string_view, kCount>& words,
                   std::string_view kind) {
  if (number >= 1 && number <= kCount) return std::string(words[number - 1]);
  return fmt::format("{}-{}", kind, number);
}

// IEEE 802.1AB-2016, tables 8-2, 8-3 and 8-4.
constexpr std::array<std::string_view, 7> kChassisSubtypes = {
    "chassis-component", "interface-alias", "port-component", "mac",
    "network-address",   "interface-name",  "local"};
constexpr std::array<std::string_view, 7> kPortSubtypes = {
    "interface-alias", "port-component",   "mac",  "network-address",
    "interface-name",  "agent-circuit-id", "local"};
constexpr std::array<std::string_view, 11> kCapabilities = {
    "other",   "repeater", "bridge", "wlan-access-point", "router", "telephone", "docsis-device",
    "station", "c-vlan",   "s-vlan", "two-port-relay"};
// Table 7-1.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kScopes = {
    {{"01:80:c2:00:00:0e", "nearest-bridge"},
     {"01:80:c2:00:00:03", "nearest-non-tpmr-bridge"},
     {"01:80:c2:00:00:00", "nearest-customer-bridge"}}};

std::string ScopeOf(const std::string& destination) {
  const auto known = std::ranges::find(kScopes, std::string_view(destination),
                                       [](const auto& s) { return s.first; });
  return known == kScopes.end() ? destination : std::string(known->second);
}

void FillPriorities(uint8_t bitmap, v1::Pfc* pfc) {
  for (uint32_t priority = 0; priority < lldp::kPriorities; ++priority) {
    if ((bitmap >> priority & 1) != 0) pfc->add_enabled_priorities(priority);
  }
}

v1::AppTable AppTableOfEntries(const std::vector<lldp::AppEntry>& entries) {
  std::vector<netlink::DcbAppEntry> table;
  table.reserve(entries.size());
  for (const lldp::AppEntry& entry : entries) {
    table.push_back(
        {.selector = entry.selector, .priority = entry.priority, .protocol = entry.protocol});
  }
  return AppTableOf(table);
}

v1::Ets EtsOf(const lldp::Sent<lldp::Ets>& sent, bool is_configuration) {
  v1::Ets ets;
  *ets.mutable_reading() = ReadingOf(sent.status(), kSource);
  if (!sent.ok()) return ets;
  if (is_configuration) {
    ets.set_willing(sent->willing);
    ets.set_capable_classes(sent->capable_classes);
  }
  for (const uint8_t value : sent->priority_to_class) ets.add_priority_to_class(value);
  for (const uint8_t value : sent->bandwidth_percent) ets.add_tx_bandwidth_percent(value);
  for (const uint8_t value : sent->selection_algorithm) {
    ets.add_selection_algorithm(netlink::TsaWord(value));
  }
  return ets;
}

v1::Dcb IeeeOf(const lldp::Lldpdu& said) {
  v1::Dcb dcb;
  *dcb.mutable_ets() = EtsOf(said.ets, true);
  *dcb.mutable_pfc()->mutable_reading() = ReadingOf(said.pfc.status(), kSource);
  if (said.pfc.ok()) {
    v1::Pfc* pfc = dcb.mutable_pfc();
    pfc->set_willing(said.pfc->willing);
    pfc->set_macsec_bypass(said.pfc->macsec_bypass);
    pfc->set_capable_classes(said.pfc->capable_classes);
    FillPriorities(said.pfc->enabled_priorities, pfc);
  }
  if (said.app.ok()) *dcb.mutable_app() = AppTableOfEntries(*said.app);
  *dcb.mutable_app()->mutable_reading() = ReadingOf(said.app.status(), kSource);
  return dcb;
}

void AddFeature(std::string_view name, const lldp::CeeState& state, v1::LldpNeighbour* neighbour) {
  v1::CeeFeature* feature = neighbour->add_cee_features();
  feature->set_name(std::string(name));
  feature->set_enabled(state.enabled);
  feature->set_willing(state.willing);
  feature->set_error(state.error);
}

void FillCee(const lldp::Cee& cee, v1::LldpNeighbour* neighbour) {
  v1::Dcb* dcb = neighbour->mutable_cee();
  *dcb->mutable_ets()->mutable_reading() = ReadingOf(cee.groups.status(), kSource);
  if (cee.groups.ok()) {
    AddFeature("priority-groups", cee.groups->state, neighbour);
    v1::Ets* ets = dcb->mutable_ets();
    ets->set_willing(cee.groups->state.willing);
    ets->set_capable_classes(cee.groups->capable_classes);
    for (const uint8_t group : cee.groups->priority_to_group) ets->add_priority_to_class(group);
    for (const uint8_t value : cee.groups->bandwidth_percent) ets->add_tx_bandwidth_percent(value);
  }
  *dcb->mutable_pfc()->mutable_reading() = ReadingOf(cee.pfc.status(), kSource);
  if (cee.pfc.ok()) {
    AddFeature("pfc", cee.pfc->state, neighbour);
    dcb->mutable_pfc()->set_willing(cee.pfc->state.willing);
    dcb->mutable_pfc()->set_capable_classes(cee.pfc->capable_classes);
    FillPriorities(cee.pfc->enabled_priorities, dcb->mutable_pfc());
  }
  if (cee.app.ok()) {
    AddFeature("application", cee.app->state, neighbour);
    *dcb->mutable_app() = AppTableOfEntries(cee.app->entries);
  }
  *dcb->mutable_app()->mutable_reading() = ReadingOf(cee.app.status(), kSource);
}

void FillBasics(const lldp::Lldpdu& said, v1::LldpNeighbour* neighbour) {
  neighbour->set_chassis_id(said.chassis.text);
  neighbour->set_chassis_id_subtype(
      WordOf(said.chassis.subtype, kChassisSubtypes, "chassis-subtype"));
  neighbour->set_port_id(said.port.text);
  neighbour->set_port_id_subtype(WordOf(said.port.subtype, kPortSubtypes, "port-subtype"));
  neighbour->set_ttl_seconds(said.ttl_seconds);
  if (said.system_name) neighbour->set_system_name(*said.system_name);
  if (said.system_description) neighbour->set_system_description(*said.system_description);
  if (said.port_description) neighbour->set_port_description(*said.port_description);
  for (uint32_t bit = 0; bit < 16 && said.enabled_capabilities; ++bit) {
    if ((*said.enabled_capabilities >> bit & 1) == 0) continue;
    neighbour->add_capabilities(WordOf(bit + 1, kCapabilities, "capability"));
  }
  for (const std::string& address : said.management_addresses) {
    neighbour->add_management_addresses(address);
  }
}

void FillPort(const lldp::Lldpdu& said, v1::LldpNeighbour* neighbour) {
  if (said.max_frame_bytes) neighbour->set_max_frame_bytes(*said.max_frame_bytes);
  if (said.port_vlan_id) neighbour->set_port_vlan_id(*said.port_vlan_id);
  std::vector<lldp::Vlan> vlans = said.vlans;
  std::ranges::sort(vlans, {}, &lldp::Vlan::id);
  for (const lldp::Vlan& vlan : vlans) {
    v1::LldpVlan* row = neighbour->add_vlans();
    row->set_vlan_id(vlan.id);
    row->set_name(vlan.name);
  }
  if (said.aggregation) {
    neighbour->mutable_aggregation()->set_capable(said.aggregation->capable);
    neighbour->mutable_aggregation()->set_enabled(said.aggregation->enabled);
    neighbour->mutable_aggregation()->set_port(said.aggregation->port);
  }
}

bool WasSent(const absl::Status& status) { return !absl::IsNotFound(status); }

}  // namespace

v1::LldpNeighbour NeighbourOf(const lldp::Frame& frame) {
  const lldp::Lldpdu& said = frame.said;
  v1::LldpNeighbour neighbour;
  neighbour.set_scope(ScopeOf(frame.destination));
  neighbour.set_source_mac(frame.source);
  FillBasics(said, &neighbour);
  FillPort(said, &neighbour);
  *neighbour.mutable_dcb() = IeeeOf(said);
  *neighbour.mutable_ets_recommendation() = EtsOf(said.ets_recommendation, false);
  if (said.cee) FillCee(*said.cee, &neighbour);
  if (WasSent(said.pfc.status()) || WasSent(said.ets.status()) || WasSent(said.app.status()) ||
      WasSent(said.ets_recommendation.status())) {
    neighbour.add_dcbx_dialects("ieee");
  }
  if (said.cee) neighbour.add_dcbx_dialects("cee");
  if (said.sends_cin) neighbour.add_dcbx_dialects("cin");
  for (const std::string& refused : said.refused) neighbour.add_refused_tlvs(refused);
  return neighbour;
}

}  // namespace roceready::facts
