// SPDX-License-Identifier: Apache-2.0
// Addresses, routes, policy rules and neighbours by rtnetlink (kernel include/uapi/linux/
// {if_addr,rtnetlink,fib_rules,neighbour}.h). Devices: rtnl_link.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/rtnl_link.h"
#include "agent/netlink/transport.h"

namespace roceready::netlink {

// An IPv4 or IPv6 address in network byte order; 4 or 16 bytes are used.
struct IpAddressBytes {
  // AF_INET or AF_INET6.
  uint8_t family = 0;
  std::array<uint8_t, 16> bytes{};

  static std::optional<IpAddressBytes> Parse(const std::string& text);
  // "192.0.2.1", "fe80::1"
  std::string Text() const;
  bool operator==(const IpAddressBytes&) const = default;
};

struct InterfaceAddress {
  uint32_t link_index = 0;
  IpAddressBytes address;
  uint8_t prefix_bits = 0;
  // AddressScopeWord() of words.h.
  uint8_t scope = 0;
  // IFA_F_*: 0x80 permanent, 0x40 tentative, 0x08 duplicate found.
  uint32_t flags = 0;
  // On point-to-point links the far end; `address` is always the own one.
  std::optional<IpAddressBytes> peer;

  bool permanent() const { return (flags & 0x80u) != 0; }
  bool tentative() const { return (flags & 0x40u) != 0; }
};

struct RouteNextHop {
  std::optional<uint32_t> link_index;
  std::optional<IpAddressBytes> gateway;
  // From 1.
  uint32_t weight = 1;
};

struct Route {
  uint8_t family = 0;
  uint32_t table = 0;
  // RouteTypeWord() of words.h: 1 unicast, 2 local, 6 blackhole, 7 unreachable ...
  uint8_t type = 0;
  uint8_t protocol = 0;
  uint8_t scope = 0;
  // Missing: the default route (0 bits).
  std::optional<IpAddressBytes> destination;
  uint8_t destination_bits = 0;
  std::optional<IpAddressBytes> gateway;
  std::optional<uint32_t> link_index;
  // The preferred source address.
  std::optional<IpAddressBytes> source;
  std::optional<uint32_t> metric;
  // A route's own MTU.
  std::optional<uint32_t> mtu_bytes;
  // More than one way; then gateway and link_index are missing.
  std::vector<RouteNextHop> next_hops;
};

struct Rule {
  uint8_t family = 0;
  uint32_t priority = 0;
  uint32_t table = 0;
  // FR_ACT_*: 1 to table, 6 blackhole, 7 unreachable, 8 prohibit.
  uint8_t action = 0;
  std::optional<IpAddressBytes> from;
  uint8_t from_bits = 0;
  std::optional<IpAddressBytes> to;
  uint8_t to_bits = 0;
  std::optional<std::string> input_device;
  std::optional<std::string> output_device;
  std::optional<uint32_t> mark;
};

struct Neighbour {
  uint32_t link_index = 0;
  std::optional<IpAddressBytes> address;
  // Missing while unresolved.
  std::optional<MacAddress> mac;
  // NUD_* bits, NeighbourStateWord() of words.h.
  uint16_t state = 0;
};

// `family` AF_UNSPEC (0) asks for IPv4 and IPv6.
Request AddressesRequest();
Request RoutesRequest(uint8_t family);
Request RulesRequest(uint8_t family);
Request NeighboursRequest(uint8_t family);
// How the kernel would send from `source` (or as it likes) to `destination`, over `link_index`
// where given.
Request RouteLookupRequest(const IpAddressBytes& destination,
                           const std::optional<IpAddressBytes>& source,
                           std::optional<uint32_t> link_index);

// All decoders: kDataLoss when malformed.
absl::StatusOr<InterfaceAddress> DecodeAddress(const Message& message);
absl::StatusOr<Route> DecodeRoute(const Message& message);
absl::StatusOr<Rule> DecodeRule(const Message& message);
absl::StatusOr<Neighbour> DecodeNeighbour(const Message& message);

// Ask and decode.
absl::StatusOr<std::vector<InterfaceAddress>> ReadAddresses(Transport& route);
absl::StatusOr<std::vector<Route>> ReadRoutes(Transport& route, uint8_t family);
absl::StatusOr<std::vector<Rule>> ReadRules(Transport& route, uint8_t family);
absl::StatusOr<std::vector<Neighbour>> ReadNeighbours(Transport& route, uint8_t family);
// The kernel's ENETUNREACH and EHOSTUNREACH come back as errors.
absl::StatusOr<Route> LookUpRoute(Transport& route, const IpAddressBytes& destination,
                                  const std::optional<IpAddressBytes>& source,
                                  std::optional<uint32_t> link_index);

}  // namespace roceready::netlink
