// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/ip_stack.h"

#include <sys/socket.h>

#include <algorithm>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_RTNETLINK;
// include/uapi/linux/rtnetlink.h
constexpr uint32_t kTableLocal = 255;
constexpr uint8_t kRouteUnicast = 1;

std::string Prefix(const std::optional<netlink::IpAddressBytes>& address, uint8_t bits,
                   uint8_t family) {
  if (!address.has_value()) return family == AF_INET ? "0.0.0.0/0" : "::/0";
  return fmt::format("{}/{}", address->Text(), bits);
}

void AddRoute(const netlink::Route& route, const Inventory& inventory, v1::IpStack* stack) {
  const auto add = [&](const std::optional<netlink::IpAddressBytes>& gateway,
                       std::optional<uint32_t> link_index) {
    v1::IpRoute* row = stack->add_routes();
    row->set_table(route.table);
    row->set_destination(Prefix(route.destination, route.destination_bits, route.family));
    if (gateway) row->set_gateway(gateway->Text());
    const NetDeviceEntry* device = link_index ? inventory.FindNetDevice(*link_index) : nullptr;
    if (device != nullptr) row->set_net_device_id(device->id);
    if (route.source) row->set_source(route.source->Text());
    if (route.metric) row->set_metric(*route.metric);
    if (route.mtu_bytes) row->set_mtu_bytes(*route.mtu_bytes);
  };
  if (route.next_hops.empty()) {
    add(route.gateway, route.link_index);
    return;
  }
  for (const netlink::RouteNextHop& hop : route.next_hops) add(hop.gateway, hop.link_index);
}

}  // namespace

v1::NetSysctl ReadNetSysctl(const HostRoot& root, const std::string& net_device) {
  v1::NetSysctl sysctl;
  *sysctl.mutable_reading() = OkReading(v1::SOURCE_PROCFS);
  const auto effective = [&](std::string_view name) -> std::optional<uint32_t> {
    const absl::StatusOr<int64_t> all =
        root.ReadNumber(fmt::format("/proc/sys/net/ipv4/conf/all/{}", name));
    const absl::StatusOr<int64_t> own =
        root.ReadNumber(fmt::format("/proc/sys/net/ipv4/conf/{}/{}", net_device, name));
    for (const absl::Status& status : {all.status(), own.status()}) {
      if (!status.ok()) *sysctl.mutable_reading() = ReadingOf(status, v1::SOURCE_PROCFS);
    }
    if (!all.ok() || !own.ok()) return std::nullopt;
    return static_cast<uint32_t>(std::max(*all, *own));
  };
  // arp_filter is 0 or 1, so that "either" is the larger as well.
  if (const auto value = effective("rp_filter")) sysctl.set_rp_filter(*value);
  if (const auto value = effective("arp_ignore")) sysctl.set_arp_ignore(*value);
  if (const auto value = effective("arp_announce")) sysctl.set_arp_announce(*value);
  if (const auto value = effective("arp_filter")) sysctl.set_arp_filter(*value);
  // The folder is missing where the kernel was started without IPv6: switched off as well.
  const absl::StatusOr<int64_t> off =
      root.ReadNumber(fmt::format("/proc/sys/net/ipv6/conf/{}/disable_ipv6", net_device));
  if (off.ok()) {
    sysctl.set_ipv6_disabled(*off != 0);
  } else if (!root.Exists("/proc/sys/net/ipv6")) {
    sysctl.set_ipv6_disabled(true);
  }
  return sysctl;
}

v1::IpStack ReadIpStack(netlink::Transport& route, const Inventory& inventory) {
  v1::IpStack stack;
  *stack.mutable_reading() = OkReading(kSource);
  size_t left_out = 0;
  for (const uint8_t family : {AF_INET, AF_INET6}) {
    const auto rules = netlink::ReadRules(route, family);
    const auto routes = netlink::ReadRoutes(route, family);
    for (const absl::Status& status : {rules.status(), routes.status()}) {
      // A kernel can be without IPv6; IPv4's answer then is the whole. No other refusal makes it
      // so.
      const bool without = family == AF_INET6 && absl::IsUnimplemented(status);
      if (!status.ok() && !without) *stack.mutable_reading() = ReadingOf(status, kSource);
    }
    if (rules.ok()) {
      for (const netlink::Rule& rule : *rules) {
        v1::IpRule* row = stack.add_rules();
        row->set_priority(rule.priority);
        row->set_from(Prefix(rule.from, rule.from_bits, family));
        row->set_table(rule.table);
        row->set_action(netlink::RuleActionWord(rule.action));
        if (rule.to) row->set_to(Prefix(rule.to, rule.to_bits, family));
        if (rule.input_device) row->set_input_device(*rule.input_device);
        if (rule.output_device) row->set_output_device(*rule.output_device);
        if (rule.mark) row->set_mark(*rule.mark);
      }
    }
    if (!routes.ok()) continue;
    for (const netlink::Route& entry : *routes) {
      if (entry.table == kTableLocal || entry.type != kRouteUnicast) continue;
      if (static_cast<size_t>(stack.routes_size()) >= kMostRoutes) {
        ++left_out;
      } else {
        AddRoute(entry, inventory, &stack);
      }
    }
  }
  if (left_out > 0) {
    stack.mutable_reading()->set_detail(fmt::format("{} further routes were left out", left_out));
  }
  return stack;
}

}  // namespace roceready::facts
