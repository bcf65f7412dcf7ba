// SPDX-License-Identifier: Apache-2.0
#include "tests/support/builders/switch_builder.h"

#include <fmt/core.h>

#include <algorithm>

#include "tests/support/builders/facts_builder.h"

namespace roceready::builders {
namespace {

v1::Reading FromConfig(std::string_view what) {
  v1::Reading reading = Answered(v1::SOURCE_SWITCH_CONFIG);
  reading.set_locator(fmt::format("config_db.json:1:1 {}", what));
  return reading;
}

// All maps lead to the same number, but best effort, RoCE and CNP have the DSCPs 0, 26 and 48.
void AddMaps(v1::SwitchFacts& facts) {
  const std::pair<v1::SwitchMapKind, uint32_t> kinds[] = {
      {v1::SWITCH_MAP_KIND_DSCP_TO_TC, 64},
      {v1::SWITCH_MAP_KIND_TC_TO_QUEUE, 8},
      {v1::SWITCH_MAP_KIND_TC_TO_PRIORITY_GROUP, 8},
      {v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_QUEUE, 8}};
  for (const auto& [kind, size] : kinds) {
    v1::SwitchMap& map = *facts.add_maps();
    map.set_kind(kind);
    map.set_name("ROCE");
    *map.mutable_reading() = FromConfig("MAP|ROCE");
    for (uint32_t from = 0; from < size; ++from) {
      v1::QosMapping& entry = *map.add_entries();
      entry.set_from(from);
      const bool is_dscp = kind == v1::SWITCH_MAP_KIND_DSCP_TO_TC;
      entry.set_to(!is_dscp ? from : from == 26 ? 3 : from == 48 ? 6 : 0);
    }
  }
}

void AddProfiles(v1::SwitchFacts& facts) {
  v1::WredProfile& wred = *facts.add_wred_profiles();
  wred.set_name("LOSSLESS");
  *wred.mutable_reading() = FromConfig("WRED_PROFILE|LOSSLESS");
  wred.mutable_green()->set_marks_ecn(true);
  wred.mutable_green()->set_drops(true);
  wred.mutable_green()->set_drop_min_bytes(500'000);
  wred.mutable_green()->set_drop_max_bytes(1'500'000);
  wred.mutable_green()->set_drop_max_percent(20);
  v1::SwitchBufferProfile& profile = *facts.add_buffer_profiles();
  profile.set_name("pg_lossless_100000_40m_profile");
  *profile.mutable_reading() = FromConfig("BUFFER_PROFILE|pg_lossless_100000_40m_profile");
  profile.set_pool("egress_lossless_pool");
  profile.set_xoff_bytes(177'632);
  v1::SwitchBufferPool& pool = *facts.add_buffer_pools();
  pool.set_name("egress_lossless_pool");
  *pool.mutable_reading() = FromConfig("BUFFER_POOL|egress_lossless_pool");
  pool.set_direction("egress");
  pool.set_size_bytes(43'468'672);
}

void AddPort(v1::SwitchFacts& facts, int index) {
  v1::SwitchPort& port = *facts.add_ports();
  port.set_name(fmt::format("Ethernet{}", index * 4));
  *port.mutable_reading() = FromConfig("PORT|" + port.name());
  port.set_alias(fmt::format("etp{}", index + 1));
  port.set_speed_mbps(100'000);
  port.set_mtu_bytes(9100);
  port.set_admin_up(true);
  port.set_role("Ext");
  v1::SwitchPortQos& qos = *port.mutable_qos();
  *qos.mutable_reading() = FromConfig("PORT_QOS_MAP|" + port.name());
  *qos.mutable_pfc()->mutable_reading() = FromConfig("PORT_QOS_MAP|" + port.name());
  qos.mutable_pfc()->add_enabled_priorities(3);
  for (const v1::SwitchMap& map : facts.maps()) {
    v1::SwitchMapUse& use = *qos.add_maps();
    use.set_kind(map.kind());
    use.set_map_name(map.name());
    *use.mutable_reading() = qos.reading();
  }
  v1::SwitchQueue& queue = *port.add_queues();
  queue.set_queue(3);
  *queue.mutable_reading() = FromConfig("QUEUE|" + port.name() + "|3");
  queue.set_wred_profile("LOSSLESS");
  v1::SwitchPriorityGroup& group = *port.add_priority_groups();
  group.set_priority_group(3);
  *group.mutable_reading() = FromConfig("BUFFER_PG|" + port.name() + "|3");
  group.set_buffer_profile("pg_lossless_100000_40m_profile");
  *port.mutable_cable_length()->mutable_reading() = FromConfig("CABLE_LENGTH|ROCE");
  port.mutable_cable_length()->set_metres(40);
  *port.mutable_pfc_watchdog()->mutable_reading() = FromConfig("PFC_WD|" + port.name());
  port.mutable_pfc_watchdog()->set_action("drop");
}

}  // namespace

SwitchBuilder::SwitchBuilder(std::string_view name, int ports) {
  facts_.set_schema_version(1);
  facts_.set_name(std::string(name));
  facts_.set_complete(true);
  *facts_.mutable_reading() = FromConfig("");
  v1::SwitchIdentity& identity = *facts_.mutable_identity();
  *identity.mutable_reading() = FromConfig("DEVICE_METADATA|localhost");
  identity.set_hostname(std::string(name));
  identity.set_mac("52:54:00:aa:00:01");
  identity.set_hardware("Test-64x100G");
  identity.set_system("sonic");
  AddMaps(facts_);
  AddProfiles(facts_);
  for (int index = 0; index < ports; ++index) AddPort(facts_, index);
}

v1::SwitchMap& SwitchBuilder::map(v1::SwitchMapKind kind) {
  return *std::ranges::find(*facts_.mutable_maps(), kind, &v1::SwitchMap::kind);
}

SwitchBuilder& SwitchBuilder::WithPfc(std::vector<uint32_t> priorities, int index) {
  auto& enabled = *port(index).mutable_qos()->mutable_pfc()->mutable_enabled_priorities();
  enabled.Clear();
  enabled.Add(priorities.begin(), priorities.end());
  return *this;
}

SwitchBuilder& SwitchBuilder::WithDscp(uint32_t dscp, std::optional<uint32_t> traffic_class) {
  auto& entries = *map(v1::SWITCH_MAP_KIND_DSCP_TO_TC).mutable_entries();
  const auto entry = std::ranges::find(entries, dscp, &v1::QosMapping::from);
  if (traffic_class) {
    entry->set_to(*traffic_class);
  } else {
    entries.erase(entry);
  }
  return *this;
}

SwitchBuilder& SwitchBuilder::Plan(std::string_view host, std::string_view net_device, int index) {
  v1::PlannedNeighbour& planned = *port(index).mutable_planned_neighbour();
  *planned.mutable_reading() = FromConfig("DEVICE_NEIGHBOR|" + port(index).name());
  planned.set_name(std::string(host));
  planned.set_port(std::string(net_device));
  return *this;
}

v1::Lldp SwitchBuilder::HeardAt(int index) const {
  v1::Lldp lldp;
  *lldp.mutable_reading() = Answered(v1::SOURCE_LLDP_FRAME);
  v1::LldpNeighbour& neighbour = *lldp.add_neighbours();
  neighbour.set_system_name(facts_.identity().hostname());
  neighbour.set_chassis_id(facts_.identity().mac());
  neighbour.set_port_id(facts_.ports(index).alias());
  return lldp;
}

}  // namespace roceready::builders
