// SPDX-License-Identifier: Apache-2.0
// Rails: the RDMA net devices of one IPv4 subnet. Ports of one rail can reach each other, so pairs
// are planned and compared within a rail. Derived from facts alone; pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roceready/v1/facts.pb.h"
#include "roceready/v1/probe.pb.h"

namespace roceready::checks {

// One RDMA port on one rail. A port whose net devices (its own and the VLANs on it) have addresses
// in several subnets is on several rails, once for each.
struct RailPort {
  // "10.77.0.0/24", the network of `address`.
  std::string rail;
  std::string host;
  std::string rdma_device_id;
  uint32_t port = 0;
  // The net device that has `address`: the port's own, or a VLAN on it.
  std::string net_device_id;
  std::string address;
  // The physical adapter: ports that share one must not be measured at the same time.
  std::string adapter_id;
  // Names of the moment, for people: "eth0 (rxe0)".
  std::string label;
  // The port's state is ACTIVE; false also where it could not be read.
  bool active = false;
  // The switch that it hears by LLDP; empty where that is not known.
  std::string leaf;

  bool operator==(const RailPort&) const = default;
};

// By rail, each sorted by host, device and port.
using Rails = std::map<std::string, std::vector<RailPort>>;

// The rails of one host's RoCE ports, in the order of its devices. Link-local addresses
// (169.254/16) and loopback make no rail.
std::vector<RailPort> RailsOfHost(const v1::HostFacts& facts);

Rails GroupByRail(std::span<const RailPort> ports);

// The network of an IPv4 address: ("10.77.0.1", 24) -> "10.77.0.0/24"; empty when it is not IPv4 or
// the prefix is longer than 32 bits.
std::string NetworkOf(std::string_view ipv4_address, uint32_t prefix_bits);

// The pairs a quick ring would probe: each port of a rail with the next of another host, the last
// with the first. Two hosts give one pair. Ports of one host are never paired.
struct RailPair {
  RailPort a;
  RailPort b;
};
std::vector<RailPair> RingOf(std::span<const RailPort> rail);
// The same as places in `rail`.
std::vector<std::pair<size_t, size_t>> RingPlacesOf(std::span<const RailPort> rail);

}  // namespace roceready::checks
