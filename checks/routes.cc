// SPDX-License-Identifier: Apache-2.0
#include "checks/routes.h"

#include <algorithm>

namespace roceready::checks {
namespace {

// include/uapi/linux/rtnetlink.h: RT_TABLE_MAIN and RT_TABLE_DEFAULT, which the kernel looks into
// where nobody has written rules.
constexpr uint32_t kMainTable = 254, kDefaultTable = 253;

IpPrefix EverythingLike(const IpPrefix& source) {
  return *IpPrefix::Parse(source.is_ipv6() ? "::/0" : "0.0.0.0/0");
}

bool EndsTheLookUp(std::string_view action) {
  return action == "prohibit" || action == "unreachable" || action == "blackhole";
}

// The destinations that the rule holds for, or none: it is not for these packets.
std::optional<IpPrefix> HoldsFor(const v1::IpRule& rule, const IpPrefix& source,
                                 const v1::NetDevice& net_device) {
  // Marked packets and forwarded ones are not the host's own RoCE.
  if (rule.mark() != 0 || !rule.input_device().empty()) return std::nullopt;
  if (!rule.output_device().empty() && rule.output_device() != net_device.name()) {
    return std::nullopt;
  }
  if (!rule.from().empty()) {
    const std::optional<IpPrefix> from = IpPrefix::Parse(rule.from());
    if (!from || !from->Contains(source.Address())) return std::nullopt;
  }
  if (rule.to().empty()) return EverythingLike(source);
  const std::optional<IpPrefix> to = IpPrefix::Parse(rule.to());
  return to && to->is_ipv6() == source.is_ipv6() ? to : std::nullopt;
}

void AddTable(const v1::IpStack& stack, uint32_t table, const IpPrefix& rule_to,
              const v1::NetDevice& net_device, std::vector<RouteStep>& steps) {
  for (const v1::IpRoute& route : stack.routes()) {
    if (route.table() != table || route.net_device_id() != net_device.id()) continue;
    const std::optional<IpPrefix> destination = IpPrefix::Parse(route.destination());
    if (destination) {
      steps.push_back({.stopped_by = {}, .rule_to = rule_to, .destination = *destination});
    }
  }
}

}  // namespace

std::vector<RouteStep> StepsFrom(const v1::IpStack& stack, const IpPrefix& source,
                                 const v1::NetDevice& net_device) {
  const IpPrefix everything = EverythingLike(source);
  std::vector<RouteStep> steps;
  std::vector<const v1::IpRule*> rules;
  for (const v1::IpRule& rule : stack.rules()) rules.push_back(&rule);
  std::ranges::stable_sort(rules, {}, [](const v1::IpRule* rule) { return rule->priority(); });
  for (const v1::IpRule* rule : rules) {
    const std::optional<IpPrefix> to = HoldsFor(*rule, source, net_device);
    if (!to) continue;
    if (EndsTheLookUp(rule->action())) {
      steps.push_back({.stopped_by = rule->action(), .rule_to = *to, .destination = everything});
    } else if (rule->action().empty() || rule->action() == "lookup") {
      AddTable(stack, rule->table(), *to, net_device, steps);
    }
  }
  if (rules.empty()) {
    for (const uint32_t table : {kMainTable, kDefaultTable}) {
      AddTable(stack, table, everything, net_device, steps);
    }
  }
  return steps;
}

const RouteStep* StepTo(const std::vector<RouteStep>& steps, const IpPrefix& address) {
  const auto taken = std::ranges::find_if(
      steps, [&](const RouteStep& step) { return step.Takes(address.Address()); });
  return taken == steps.end() ? nullptr : &*taken;
}

}  // namespace roceready::checks
