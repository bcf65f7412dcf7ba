// SPDX-License-Identifier: Apache-2.0
// What somebody asks for, as people and error messages write it.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roceready::whois {

// In network byte order; IPv4 as ::ffff:a.b.c.d, which is how GIDs have it.
using AddressBytes = std::array<std::uint8_t, 16>;
using MacBytes = std::array<std::uint8_t, 6>;

// "10.77.0.1", "fe80::1", "fe80:0000:...:0001", "::ffff:10.77.0.1".
std::optional<AddressBytes> AddressOf(std::string_view text);
// "52:54:00:77:00:01", "52-54-00-77-00-01".
std::optional<MacBytes> MacOf(std::string_view text);

// One of the three.
struct What {
  std::optional<AddressBytes> address;
  std::optional<MacBytes> mac;
  std::string host;
  // With a host: the name of a net or RDMA device; empty: all of the host.
  std::string device;
};

// Around an address are passed over: brackets, a prefix length (/24), a zone (%eth0), and of IPv4 a
// port (:4791). kInvalidArgument says what may be asked for.
absl::StatusOr<What> ParseWhat(std::string_view text);

}  // namespace roceready::whois
