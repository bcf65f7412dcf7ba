// SPDX-License-Identifier: Apache-2.0
// An IPv4 or IPv6 address with a prefix length: an address and its subnet, a route, a rail.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roceready {

class IpPrefix {
 public:
  // "10.1.0.0/24", "fd00:77::/64"; a length is wanted.
  static std::optional<IpPrefix> Parse(std::string_view text);
  static std::optional<IpPrefix> Of(std::string_view address, uint32_t bits);

  bool is_ipv6() const { return ipv6_; }
  uint32_t bits() const { return bits_; }

  // Without the bits of the host: 10.1.0.7/24 is in 10.1.0.0/24.
  IpPrefix Network() const;
  bool IsNetwork() const { return Network() == *this; }
  // The address alone: 10.1.0.7/24 -> 10.1.0.7/32.
  IpPrefix Address() const;

  // Whether the subnet of this one holds all of the other's.
  bool Contains(const IpPrefix& other) const;
  bool Overlaps(const IpPrefix& other) const { return Contains(other) || other.Contains(*this); }

  // "10.1.0.7/24".
  std::string Text() const;

  // A subnet comes before those inside it.
  auto operator<=>(const IpPrefix&) const = default;

 private:
  bool ipv6_ = false;
  std::array<uint8_t, 16> octets_{};
  uint32_t bits_ = 0;
};

}  // namespace roceready
