// SPDX-License-Identifier: Apache-2.0
// The parts of ImportSonic(), one file a topic. Each fills what it knows of `facts`, whose ports
// are made first.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "checks/switch_import/json_tables.h"
#include "checks/switch_import/row_reader.h"
#include "roceready/v1/switch.pb.h"

namespace roceready::switches {

// The most that any SONiC platform has, generously.
inline constexpr std::size_t kMaxPorts = 2048;

struct SonicInput {
  const Tables& tables;
  RowReader& reader;
  v1::SwitchFacts& facts;
  // By name; pointers into `facts`.
  std::map<std::string, v1::SwitchPort*, std::less<>> ports;

  v1::SwitchPort* Port(std::string_view name) const {
    const auto found = ports.find(name);
    return found == ports.end() ? nullptr : found->second;
  }
};

// The ports that a key such as "Ethernet0,Ethernet4|3-4" or, on a chassis, "HOST|ASIC|Ethernet0|3"
// names, and the rest of it. No ports: they are another line card's, or not in PORT.
struct PortsOfKey {
  std::vector<v1::SwitchPort*> ports;
  std::string_view rest;
};
PortsOfKey ResolveKey(const SonicInput& input, std::string_view key);

// sonic_ports.cc
void ReadIdentity(SonicInput& input, std::string_view file_name);
void ReadPorts(SonicInput& input);
void ReadNeighboursAndVlans(SonicInput& input);
// sonic_qos.cc
void ReadMaps(SonicInput& input);
void ReadPortQos(SonicInput& input);
void ReadPfcWatchdog(SonicInput& input);
// sonic_buffers.cc
void ReadWredProfiles(SonicInput& input);
void ReadQueues(SonicInput& input);
void ReadBuffers(SonicInput& input);

}  // namespace roceready::switches
