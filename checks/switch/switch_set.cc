// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/switch_set.h"

#include "checks/reading.h"
#include "checks/switch/planned_end.h"

namespace roceready::checks {
namespace {

std::string PlanKey(std::string_view host, std::string_view port) {
  return ShortName(host) + " " + LowerCase(port);
}

}  // namespace

SwitchSet::SwitchSet(const std::vector<SwitchInput>& switches) {
  for (const SwitchInput& input : switches) {
    const SwitchView& view = views_.emplace_back(input);
    const v1::SwitchIdentity& identity = view.facts().identity();
    if (identity.has_hostname()) by_identity_.emplace(LowerCase(identity.hostname()), &view);
    if (identity.has_mac()) by_identity_.emplace(LowerCase(identity.mac()), &view);
    for (const v1::SwitchPort& port : view.facts().ports()) {
      const auto end = PlannedEndOf(port);
      if (!end || end->port.empty()) continue;
      planned_.emplace(PlanKey(end->name, end->port), SwitchEnd{&view, &port, false});
    }
  }
}

std::optional<SwitchEnd> SwitchSet::Heard(const v1::LldpNeighbour& neighbour) const {
  for (const std::string& identity : {neighbour.system_name(), neighbour.chassis_id()}) {
    if (identity.empty()) continue;
    const auto [first, last] = by_identity_.equal_range(LowerCase(identity));
    for (auto found = first; found != last; ++found) {
      for (const v1::SwitchPort& port : found->second->facts().ports()) {
        const bool is_it = (port.has_alias() && port.alias() == neighbour.port_id()) ||
                           port.name() == neighbour.port_id();
        if (is_it) return SwitchEnd{found->second, &port, true};
      }
    }
  }
  return std::nullopt;
}

std::optional<SwitchEnd> SwitchSet::EndOf(std::string_view host,
                                          const v1::NetDevice& net_device) const {
  if (IsOk(ReadingOf(net_device.has_lldp(), net_device.lldp()))) {
    for (const v1::LldpNeighbour& neighbour : net_device.lldp().neighbours()) {
      if (const auto end = Heard(neighbour)) return end;
    }
    // Somebody answers, and it is no switch of ours: what was planned does not hold.
    if (!net_device.lldp().neighbours().empty()) return std::nullopt;
  }
  const auto [first, last] = planned_.equal_range(PlanKey(host, net_device.name()));
  if (first == last || std::next(first) != last) return std::nullopt;
  return first->second;
}

}  // namespace roceready::checks
