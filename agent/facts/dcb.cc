// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/dcb.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_DCBNL;

v1::Reading LeftOut() {
  return MissingReading(v1::OUTCOME_ABSENT, kSource,
                        "the driver left this attribute out: unsupported or failed, the kernel "
                        "does not say which");
}

void Fill(const netlink::DcbPfc& pfc, v1::Pfc* result) {
  result->set_capable_classes(pfc.capable_classes);
  for (uint32_t priority = 0; priority < netlink::kDcbPriorities; ++priority) {
    if ((pfc.enabled_priorities >> priority) & 1u) result->add_enabled_priorities(priority);
  }
  result->set_macsec_bypass(pfc.macsec_bypass);
  result->set_delay(pfc.delay);
}

void Fill(const netlink::DcbEts& ets, v1::Ets* result) {
  result->set_willing(ets.willing);
  result->set_capable_classes(ets.capable_classes);
  for (const uint8_t value : ets.priority_to_class) result->add_priority_to_class(value);
  for (const uint8_t value : ets.tx_bandwidth_percent) result->add_tx_bandwidth_percent(value);
  for (const uint8_t value : ets.rx_bandwidth_percent) result->add_rx_bandwidth_percent(value);
  for (const uint8_t value : ets.selection_algorithm) {
    result->add_selection_algorithm(netlink::TsaWord(value));
  }
}

void Fill(const std::vector<netlink::DcbAppEntry>& table, v1::AppTable* result) {
  *result->mutable_entries() = std::move(*AppTableOf(table).mutable_entries());
}

void Fill(const netlink::DcbBuffer& buffer, v1::PortBuffer* result) {
  for (const uint8_t value : buffer.priority_to_buffer) result->add_priority_to_buffer(value);
  for (const uint32_t value : buffer.buffer_bytes) result->add_buffer_bytes(value);
  result->set_total_bytes(buffer.total_bytes);
}

void Fill(const std::array<uint64_t, netlink::kDcbPriorities>& rates, v1::Maxrate* result) {
  for (const uint64_t rate : rates) result->add_class_kbps(rate);
}

void Fill(const std::vector<uint8_t>& selectors, v1::AppTrust* result) {
  for (const uint8_t selector : selectors) {
    result->add_order(netlink::DcbSelectorWord(selector));
  }
}

void Fill(uint8_t modes, v1::Dcbx* result) {
  for (const std::string& word : netlink::DcbxWords(modes)) result->add_modes(word);
}

template <typename Attribute, typename Group>
void FillGroup(const std::optional<Attribute>& attribute, Group* group) {
  *group->mutable_reading() = attribute.has_value() ? OkReading(kSource) : LeftOut();
  if (attribute.has_value()) Fill(*attribute, group);
}

}  // namespace

v1::AppTable AppTableOf(const std::vector<netlink::DcbAppEntry>& table) {
  std::map<std::pair<uint8_t, uint8_t>, std::set<uint16_t>> folded;
  for (const netlink::DcbAppEntry& entry : table) {
    folded[{entry.selector, entry.priority}].insert(entry.protocol);
  }
  v1::AppTable result;
  for (const auto& [key, protocols] : folded) {
    v1::AppEntry* entry = result.add_entries();
    entry->set_selector(netlink::DcbSelectorWord(key.first));
    entry->set_priority(key.second);
    entry->mutable_protocols()->Add(protocols.begin(), protocols.end());
  }
  return result;
}

v1::Dcb DcbOf(const netlink::DcbState& state) {
  v1::Dcb dcb;
  FillGroup(state.pfc, dcb.mutable_pfc());
  FillGroup(state.ets, dcb.mutable_ets());
  FillGroup(state.app, dcb.mutable_app());
  FillGroup(state.buffer, dcb.mutable_buffer());
  FillGroup(state.dcbx, dcb.mutable_dcbx());
  FillGroup(state.app_trust, dcb.mutable_app_trust());
  FillGroup(state.maxrate_kbps, dcb.mutable_maxrate());
  FillGroup(state.peer_pfc, dcb.mutable_peer_pfc());
  FillGroup(state.peer_ets, dcb.mutable_peer_ets());
  FillGroup(state.peer_app, dcb.mutable_peer_app());
  return dcb;
}

v1::Dcb DcbMissing(const v1::Reading& reading) {
  v1::Dcb dcb;
  *dcb.mutable_pfc()->mutable_reading() = reading;
  *dcb.mutable_ets()->mutable_reading() = reading;
  *dcb.mutable_app()->mutable_reading() = reading;
  *dcb.mutable_buffer()->mutable_reading() = reading;
  *dcb.mutable_dcbx()->mutable_reading() = reading;
  *dcb.mutable_app_trust()->mutable_reading() = reading;
  *dcb.mutable_maxrate()->mutable_reading() = reading;
  *dcb.mutable_peer_pfc()->mutable_reading() = reading;
  *dcb.mutable_peer_ets()->mutable_reading() = reading;
  *dcb.mutable_peer_app()->mutable_reading() = reading;
  return dcb;
}

v1::Dcb ReadDcbFacts(netlink::Transport& route, const std::string& name) {
  const absl::StatusOr<netlink::DcbState> state = netlink::ReadDcb(route, name);
  if (!state.ok()) return DcbMissing(ReadingOf(state.status(), kSource));
  return DcbOf(*state);
}

}  // namespace roceready::facts
