// SPDX-License-Identifier: Apache-2.0
// Maps, which of them a port uses, and PFC.
#include "checks/switch_import/sonic_tables.h"

namespace roceready::switches {
namespace {

// Classes, queues and priority groups: SONiC has 8 of each; some ASICs have more queues.
constexpr std::uint32_t kMaxDscp = 63;
constexpr std::uint32_t kMaxPriority = 7;
constexpr std::uint32_t kMaxClass = 15;
constexpr std::uint32_t kMaxQueue = 31;

struct MapTable {
  v1::SwitchMapKind kind;
  // What PORT_QOS_MAP calls it.
  std::string_view field;
  // The tables it may stand in.
  std::vector<std::string_view> tables;
  std::uint32_t max_from;
  std::uint32_t max_to;
};

const std::vector<MapTable>& MapTables() {
  static const std::vector<MapTable> tables = {
      {v1::SWITCH_MAP_KIND_DSCP_TO_TC, "dscp_to_tc_map", {"DSCP_TO_TC_MAP"}, kMaxDscp, kMaxClass},
      {v1::SWITCH_MAP_KIND_PCP_TO_TC,
       "dot1p_to_tc_map",
       {"DOT1P_TO_TC_MAP"},
       kMaxPriority,
       kMaxClass},
      {v1::SWITCH_MAP_KIND_TC_TO_QUEUE,
       "tc_to_queue_map",
       {"TC_TO_QUEUE_MAP"},
       kMaxClass,
       kMaxQueue},
      {v1::SWITCH_MAP_KIND_TC_TO_PRIORITY_GROUP,
       "tc_to_pg_map",
       {"TC_TO_PRIORITY_GROUP_MAP"},
       kMaxClass,
       kMaxPriority},
      {v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_QUEUE,
       "pfc_to_queue_map",
       {"MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_QUEUE_MAP"},
       kMaxPriority,
       kMaxQueue},
      {v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_PRIORITY_GROUP,
       "pfc_to_pg_map",
       {"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"},
       kMaxPriority,
       kMaxPriority},
  };
  return tables;
}

void AddUses(RowReader& reader, const Row& row,
             google::protobuf::RepeatedPtrField<v1::SwitchMapUse>& uses) {
  for (const MapTable& table : MapTables()) {
    const auto name = reader.Reference(row, table.field, table.tables);
    if (!name) continue;
    v1::SwitchMapUse& use = *uses.Add();
    use.set_kind(table.kind);
    use.set_map_name(*name);
    *use.mutable_reading() = reader.ReadingOf(row, table.field);
  }
}

void ReadRow(RowReader& reader, const Row& row, v1::SwitchPort& port) {
  v1::SwitchPortQos& qos = *port.mutable_qos();
  *qos.mutable_reading() = reader.ReadingOf(row);
  AddUses(reader, row, *qos.mutable_maps());
  constexpr Bounds kPriorities{0, kMaxPriority};
  if (const auto enabled = reader.List(row, "pfc_enable", kPriorities)) {
    *qos.mutable_pfc()->mutable_reading() = reader.ReadingOf(row, "pfc_enable");
    qos.mutable_pfc()->mutable_enabled_priorities()->Add(enabled->begin(), enabled->end());
  } else {
    *qos.mutable_pfc()->mutable_reading() =
        reader.Absent("PORT_QOS_MAP|" + row.key, "pfc_enable is left out");
  }
  // Which priorities the watchdog looks at; older releases do not have it.
  if (const auto watched = reader.List(row, "pfcwd_sw_enable", kPriorities)) {
    v1::WatchedPriorities& priorities = *port.mutable_pfc_watchdog()->mutable_watched();
    *priorities.mutable_reading() = reader.ReadingOf(row, "pfcwd_sw_enable");
    priorities.mutable_priorities()->Add(watched->begin(), watched->end());
  }
}

}  // namespace

void ReadMaps(SonicInput& input) {
  for (const MapTable& table : MapTables()) {
    for (const std::string_view name : table.tables) {
      for (const Row& row : input.tables.Of(name)) {
        v1::SwitchMap& map = *input.facts.add_maps();
        map.set_kind(table.kind);
        map.set_name(row.key);
        *map.mutable_reading() = input.reader.ReadingOf(row);
        for (const auto& [from, to] : input.reader.Entries(row, table.max_from, table.max_to)) {
          v1::QosMapping& entry = *map.add_entries();
          entry.set_from(from);
          entry.set_to(to);
        }
      }
    }
  }
}

void ReadPortQos(SonicInput& input) {
  for (v1::SwitchPort& port : *input.facts.mutable_ports()) {
    *port.mutable_qos()->mutable_reading() = input.reader.Absent(
        "PORT_QOS_MAP|" + port.name(), input.tables.Has("PORT_QOS_MAP")
                                           ? "the port has no row in PORT_QOS_MAP"
                                           : "the file has no table PORT_QOS_MAP");
  }
  for (const Row& row : input.tables.Of("PORT_QOS_MAP")) {
    if (row.key == "global") {
      AddUses(input.reader, row, *input.facts.mutable_default_maps());
      continue;
    }
    for (v1::SwitchPort* port : ResolveKey(input, row.key).ports) {
      if (port->qos().reading().outcome() == v1::OUTCOME_OK) {
        input.reader.Problem(row, row.at, {},
                             "found a second row for " + port->name() + ", expected one");
        continue;
      }
      ReadRow(input.reader, row, *port);
    }
  }
}

void ReadPfcWatchdog(SonicInput& input) {
  RowReader& reader = input.reader;
  const bool has_table = input.tables.Has("PFC_WD") || input.tables.Has("PFC_WD_TABLE");
  for (v1::SwitchPort& port : *input.facts.mutable_ports()) {
    *port.mutable_pfc_watchdog()->mutable_reading() =
        reader.Absent("PFC_WD|" + port.name(),
                      has_table ? "the port has no row in PFC_WD" : "the file has no table PFC_WD");
  }
  // sonic-pfcwd.yang and pfcwd's own limits, generously.
  constexpr Bounds kMilliseconds{1, 600'000};
  for (const std::string_view table : {"PFC_WD", "PFC_WD_TABLE"}) {
    for (const Row& row : input.tables.Of(table)) {
      if (row.key == "GLOBAL") {
        if (auto time = reader.Number(row, "POLL_INTERVAL", kMilliseconds)) {
          input.facts.set_pfc_watchdog_poll_ms(static_cast<std::uint32_t>(*time));
        }
        continue;
      }
      v1::SwitchPort* port = input.Port(row.key);
      if (port == nullptr) continue;
      v1::PfcWatchdog& watchdog = *port->mutable_pfc_watchdog();
      *watchdog.mutable_reading() = reader.ReadingOf(row);
      if (auto action = reader.OneOf(row, "action", {"drop", "forward", "alert"})) {
        watchdog.set_action(*action);
      }
      if (auto time = reader.Number(row, "detection_time", kMilliseconds)) {
        watchdog.set_detection_ms(static_cast<std::uint32_t>(*time));
      }
      if (auto time = reader.Number(row, "restoration_time", kMilliseconds)) {
        watchdog.set_restoration_ms(static_cast<std::uint32_t>(*time));
      }
    }
  }
}

}  // namespace roceready::switches
