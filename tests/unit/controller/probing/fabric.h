// SPDX-License-Identifier: Apache-2.0
// Ports of a made-up fleet, for tests of plans: host "h0007" has on rail "10.0.3.0/24" the adapter
// "nic3", plugged into leaf "leaf3-0".
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "checks/rails.h"

namespace roceready {

struct Fabric {
  std::uint32_t hosts = 0;
  std::uint32_t rails = 1;
  // 0: LLDP tells no leaves.
  std::uint32_t hosts_of_a_leaf = 0;
  // Rails that share one physical adapter, as with adapters of two ports.
  std::uint32_t ports_of_an_adapter = 1;
};

// In the order that PairPorts() wants.
inline std::vector<checks::RailPort> PortsOf(const Fabric& fabric) {
  std::vector<checks::RailPort> ports;
  for (std::uint32_t rail = 0; rail < fabric.rails; ++rail) {
    for (std::uint32_t host = 0; host < fabric.hosts; ++host) {
      checks::RailPort& port = ports.emplace_back();
      port.rail = fmt::format("10.0.{}.0/24", rail);
      port.host = fmt::format("h{:04}", host);
      port.rdma_device_id = fmt::format("mlx5_{}", rail);
      port.port = 1;
      port.adapter_id = fmt::format("nic{}", rail / fabric.ports_of_an_adapter);
      port.label = fmt::format("eth{} (mlx5_{})", rail, rail);
      port.active = true;
      if (fabric.hosts_of_a_leaf > 0) {
        port.leaf = fmt::format("leaf{}-{:03}", rail, host / fabric.hosts_of_a_leaf);
      }
    }
  }
  return ports;
}

}  // namespace roceready
