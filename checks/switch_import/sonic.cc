// SPDX-License-Identifier: Apache-2.0
#include "checks/switch_import/sonic.h"

#include "checks/switch_import/sonic_tables.h"

namespace roceready::switches {
namespace {

const std::vector<std::string_view>& WantedTables() {
  static const std::vector<std::string_view> tables = {
      "BUFFER_PG",
      "BUFFER_POOL",
      "BUFFER_PROFILE",
      "CABLE_LENGTH",
      "DEVICE_METADATA",
      "DEVICE_NEIGHBOR",
      "DOT1P_TO_TC_MAP",
      "DSCP_TO_TC_MAP",
      "MAP_PFC_PRIORITY_TO_QUEUE",
      "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
      "PFC_PRIORITY_TO_QUEUE_MAP",
      "PFC_WD",
      "PFC_WD_TABLE",
      "PORT",
      "PORTCHANNEL_MEMBER",
      "PORT_QOS_MAP",
      "QUEUE",
      "TC_TO_PRIORITY_GROUP_MAP",
      "TC_TO_QUEUE_MAP",
      "VLAN_MEMBER",
      "WRED_PROFILE",
  };
  return tables;
}

}  // namespace

PortsOfKey ResolveKey(const SonicInput& input, std::string_view key) {
  PortsOfKey resolved;
  const std::vector<std::string_view> parts = Split(key, '|');
  std::size_t names_at = 0;
  if (parts.size() >= 4) {
    // Queues of a chassis are named by system port; those of other line cards are not ours.
    const v1::SwitchIdentity& identity = input.facts.identity();
    if (parts[0] != identity.hostname() || parts[1] != identity.asic()) return resolved;
    names_at = 2;
  }
  for (const std::string_view name : Split(parts[names_at], ',')) {
    if (v1::SwitchPort* port = input.Port(name)) resolved.ports.push_back(port);
  }
  resolved.rest = parts.size() > names_at + 1 ? parts[names_at + 1] : std::string_view();
  return resolved;
}

ImportResult ImportSonic(std::string_view text, std::string_view file_name) {
  ImportResult result;
  const auto tables = ParseTables(text, file_name, WantedTables(), result.problems);
  if (!tables) return result;
  if (tables->Of("PORT").empty()) {
    result.problems.push_back({std::string(file_name),
                               {},
                               "PORT",
                               "found no port, expected SONiC's config_db.json (as `show "
                               "runningconfiguration all` or `sonic-cfggen -d --print-data` gives "
                               "it)"});
    return result;
  }
  RowReader reader(text, file_name, result.problems);
  SonicInput input{*tables, reader, result.facts, {}};
  ReadIdentity(input, file_name);
  ReadPorts(input);
  ReadNeighboursAndVlans(input);
  ReadMaps(input);
  ReadPortQos(input);
  ReadPfcWatchdog(input);
  ReadWredProfiles(input);
  ReadQueues(input);
  ReadBuffers(input);
  yaml::SortByPosition(result.problems);
  return result;
}

}  // namespace roceready::switches
