// SPDX-License-Identifier: Apache-2.0
#include "tests/support/builders/large_fleet.h"

#include <fmt/core.h>

namespace roceready::builders {

HostBuilder HostOfLargeFleet(std::string_view name, uint32_t number, int rails) {
  HostBuilder host(name, number, Nic::kMlx5, rails);
  for (int rail = 0; rail < rails; ++rail) {
    const std::string address =
        fmt::format("10.{}.{}.{}", 100 + rail, number / 250, 1 + number % 250);
    v1::NetDevice& net = host.net(rail);
    net.mutable_link()->set_mac(
        fmt::format("52:54:{:02x}:77:{:02x}:{:02x}", rail, number / 256, number % 256));
    net.mutable_addresses()->mutable_addresses(0)->set_address(address);
    net.mutable_addresses()->mutable_addresses(0)->set_prefix_bits(16);
    host.facts().mutable_ip_stack()->mutable_routes(rail)->set_destination(
        fmt::format("10.{}.0.0/16", 100 + rail));
    host.port(rail).mutable_gid_table()->mutable_gids(1)->set_gid("::ffff:" + address);
  }
  return host;
}

}  // namespace roceready::builders
