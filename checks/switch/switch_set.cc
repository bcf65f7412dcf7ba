// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/switch_set.h"

#include <algorithm>
#include <cctype>

#include "checks/reading.h"

namespace roceready::checks {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string PlanKey(std::string_view host, std::string_view port) {
  return ShortName(host) + " " + LowerCase(port);
}

// What the configuration says is at the other end: DEVICE_NEIGHBOR, else a description such as
// "gpu017:ens7f0" or "gpu017 ens7f0".
std::optional<std::string> PlannedAt(const v1::SwitchPort& port) {
  if (port.has_planned_neighbour()) {
    const v1::PlannedNeighbour& planned = port.planned_neighbour();
    if (planned.has_name() && planned.has_port()) return PlanKey(planned.name(), planned.port());
    return std::nullopt;
  }
  const std::string_view words = port.description();
  const size_t gap = words.find_first_of(": ");
  if (gap == std::string_view::npos || gap == 0) return std::nullopt;
  const size_t rest = words.find_first_not_of(": ", gap);
  if (rest == std::string_view::npos) return std::nullopt;
  return PlanKey(words.substr(0, gap), words.substr(rest));
}

}  // namespace

std::string ShortName(std::string_view host) { return LowerCase(host.substr(0, host.find('.'))); }

SwitchSet::SwitchSet(const std::vector<SwitchInput>& switches) {
  for (const SwitchInput& input : switches) {
    const SwitchView& view = views_.emplace_back(input);
    const v1::SwitchIdentity& identity = view.facts().identity();
    if (identity.has_hostname()) by_identity_.emplace(LowerCase(identity.hostname()), &view);
    if (identity.has_mac()) by_identity_.emplace(LowerCase(identity.mac()), &view);
    for (const v1::SwitchPort& port : view.facts().ports()) {
      if (const auto key = PlannedAt(port)) planned_.emplace(*key, SwitchEnd{&view, &port, false});
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
