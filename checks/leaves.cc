// SPDX-License-Identifier: Apache-2.0
#include "checks/leaves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace roceready::checks {

bool IsSwitch(const v1::LldpNeighbour& neighbour) {
  if (neighbour.capabilities().empty()) return true;
  return std::ranges::any_of(neighbour.capabilities(), [](const std::string& capability) {
    return capability == "bridge" || capability == "router";
  });
}

std::string NameOfSwitch(const v1::LldpNeighbour& neighbour) {
  if (neighbour.system_name().empty()) return neighbour.chassis_id();
  if (neighbour.chassis_id().empty()) return neighbour.system_name();
  return fmt::format("{} ({})", neighbour.system_name(), neighbour.chassis_id());
}

std::string LeafOf(const PortView& port) {
  std::set<std::string> switches;
  for (const Carrier& carrier : port.carriers) {
    for (const v1::LldpNeighbour& neighbour : carrier.net_device->lldp().neighbours()) {
      const std::string name = NameOfSwitch(neighbour);
      if (IsSwitch(neighbour) && !name.empty()) switches.insert(name);
    }
  }
  return fmt::format("{}", fmt::join(switches, "+"));
}

}  // namespace roceready::checks
