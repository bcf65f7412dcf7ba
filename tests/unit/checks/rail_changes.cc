// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/rail_changes.h"

namespace roceready::checks {

using builders::HostBuilder;

void MoveRail(HostBuilder& host, int rail, const std::string& address, uint32_t bits) {
  v1::IpAddress& own = *host.net(rail).mutable_addresses()->mutable_addresses(0);
  const std::string before = IpPrefix::Of(own.address(), own.prefix_bits())->Network().Text();
  own.set_address(address);
  own.set_prefix_bits(bits);
  host.port(rail).mutable_gid_table()->mutable_gids(1)->set_gid("::ffff:" + address);
  for (v1::IpRoute& route : *host.facts().mutable_ip_stack()->mutable_routes()) {
    if (route.net_device_id() != host.net(rail).id() || route.destination() != before) continue;
    route.set_destination(IpPrefix::Of(address, bits)->Network().Text());
  }
}

void AddressVlan(HostBuilder& host, int rail) {
  v1::NetDevice& vlan = *host.facts().mutable_net_devices()->rbegin();
  const v1::IpAddress& below = host.net(rail).addresses().addresses(0);
  v1::IpAddress& own = *vlan.mutable_addresses()->add_addresses();
  own = below;
  own.set_address(
      fmt::format("10.78.{}{}", rail, below.address().substr(below.address().rfind('.'))));
  v1::IpRoute& route = *host.facts().mutable_ip_stack()->add_routes();
  route.set_table(254);
  route.set_destination(fmt::format("10.78.{}.0/24", rail));
  route.set_net_device_id(vlan.id());
}

void RouteEachCable(std::vector<HostBuilder>& hosts) {
  for (size_t i = 0; i < hosts.size(); ++i) {
    MoveRail(hosts[i], 0, fmt::format("10.90.{}.1", i), 31);
    AddRoute(hosts[i], 0, "10.90.0.0/16", fmt::format("10.90.{}.0", i));
  }
}

v1::IpRoute& AddRoute(HostBuilder& host, int rail, const std::string& destination,
                      const std::string& gateway) {
  v1::IpRoute& route = *host.facts().mutable_ip_stack()->add_routes();
  route.set_table(254);
  route.set_destination(destination);
  route.set_net_device_id(host.net(rail).id());
  if (!gateway.empty()) route.set_gateway(gateway);
  return route;
}

v1::IpRule& AddRule(HostBuilder& host, uint32_t priority, const std::string& action) {
  v1::IpRule& rule = *host.facts().mutable_ip_stack()->add_rules();
  rule.set_priority(priority);
  rule.set_from("0.0.0.0/0");
  rule.set_action(action);
  return rule;
}

void WantRails(EffectivePolicy& policy, const std::vector<std::string>& subnets) {
  for (const std::string& subnet : subnets) {
    policy.rails.push_back({*IpPrefix::Parse(subnet), "lossless-dscp.yaml:40"});
  }
}

}  // namespace roceready::checks
