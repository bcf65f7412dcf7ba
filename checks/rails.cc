// SPDX-License-Identifier: Apache-2.0
#include "checks/rails.h"

#include <arpa/inet.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "checks/leaves.h"
#include "checks/ports.h"
#include "proto/contract/concat.h"

namespace roceready::checks {
namespace {

constexpr uint32_t kIpv4Bits = 32;
// RFC 3927 and RFC 1122: addresses that never name a fabric.
constexpr uint32_t kLinkLocalNet = 0xA9FE0000, kLinkLocalMask = 0xFFFF0000;
constexpr uint32_t kLoopbackNet = 0x7F000000, kLoopbackMask = 0xFF000000;

std::optional<uint32_t> ParseIpv4(std::string_view text) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

bool NamesNoFabric(uint32_t address) {
  return (address & kLinkLocalMask) == kLinkLocalNet || (address & kLoopbackMask) == kLoopbackNet;
}

auto Order(const RailPort& port) {
  return std::tie(port.host, port.rdma_device_id, port.port, port.net_device_id, port.address);
}

}  // namespace

std::string NetworkOf(std::string_view ipv4_address, uint32_t prefix_bits) {
  const std::optional<uint32_t> address = ParseIpv4(ipv4_address);
  if (!address || prefix_bits > kIpv4Bits) return {};
  const uint32_t mask = prefix_bits == 0 ? 0 : ~uint32_t{0} << (kIpv4Bits - prefix_bits);
  const uint32_t network = *address & mask;
  // inet_ntop() goes through sprintf(), and this is asked for every address and every check.
  return Concat({std::to_string(network >> 24), ".", std::to_string(network >> 16 & 0xff), ".",
                 std::to_string(network >> 8 & 0xff), ".", std::to_string(network & 0xff), "/",
                 std::to_string(prefix_bits)});
}

std::vector<RailPort> RailsOfHost(const v1::HostFacts& facts) {
  std::vector<RailPort> rails;
  for (const PortView& port : PortsOf(facts)) {
    std::set<std::string> seen;
    const std::string leaf = LeafOf(port);
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      for (const v1::IpAddress& address : net_device->addresses().addresses()) {
        const std::optional<uint32_t> number = ParseIpv4(address.address());
        if (!number || NamesNoFabric(*number)) continue;
        const std::string network = NetworkOf(address.address(), address.prefix_bits());
        if (network.empty() || !seen.insert(network).second) continue;
        rails.push_back({.rail = network,
                         .host = facts.identity().host(),
                         .rdma_device_id = port.device->id(),
                         .port = port.port->number(),
                         .net_device_id = net_device->id(),
                         .address = address.address(),
                         .adapter_id = port.AdapterId(),
                         .label = port.label,
                         .active = port.port->state() == v1::PORT_STATE_ACTIVE,
                         .leaf = leaf});
      }
    }
  }
  return rails;
}

Rails GroupByRail(std::span<const RailPort> ports) {
  Rails rails;
  for (const RailPort& port : ports) rails[port.rail].push_back(port);
  for (auto& [name, members] : rails) std::ranges::sort(members, {}, Order);
  return rails;
}

std::vector<std::pair<size_t, size_t>> RingPlacesOf(std::span<const RailPort> rail) {
  std::vector<std::pair<size_t, size_t>> ring;
  if (rail.size() < 2) return ring;
  // With two ports the way back is the same pair.
  const size_t pairs = rail.size() == 2 ? 1 : rail.size();
  for (size_t i = 0; i < pairs; ++i) {
    const size_t next = (i + 1) % rail.size();
    if (rail[i].host != rail[next].host) ring.emplace_back(i, next);
  }
  return ring;
}

std::vector<RailPair> RingOf(std::span<const RailPort> rail) {
  std::vector<RailPair> ring;
  for (const auto& [a, b] : RingPlacesOf(rail)) ring.push_back({rail[a], rail[b]});
  return ring;
}

}  // namespace roceready::checks
