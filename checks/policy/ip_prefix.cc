// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/ip_prefix.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "proto/contract/concat.h"

namespace roceready {

std::optional<IpPrefix> IpPrefix::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  uint32_t bits = 0;
  const char* end = text.end();
  const auto read = std::from_chars(text.begin() + slash + 1, end, bits);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return Of(text.substr(0, slash), bits);
}

std::optional<IpPrefix> IpPrefix::Of(std::string_view address, uint32_t bits) {
  IpPrefix prefix;
  prefix.bits_ = bits;
  prefix.ipv6_ = address.find(':') != std::string_view::npos;
  const int family = prefix.ipv6_ ? AF_INET6 : AF_INET;
  if (bits > (prefix.ipv6_ ? 128U : 32U)) return std::nullopt;
  if (inet_pton(family, std::string(address).c_str(), prefix.octets_.data()) != 1) {
    return std::nullopt;
  }
  return prefix;
}

IpPrefix IpPrefix::Network() const {
  IpPrefix network = *this;
  for (uint32_t i = 0; i < octets_.size(); ++i) {
    const uint32_t kept = std::clamp<int64_t>(int64_t{bits_} - 8 * int64_t{i}, 0, 8);
    network.octets_[i] &= static_cast<uint8_t>(0xff00 >> kept);
  }
  return network;
}

IpPrefix IpPrefix::Address() const {
  IpPrefix address = *this;
  address.bits_ = ipv6_ ? 128 : 32;
  return address;
}

bool IpPrefix::Contains(const IpPrefix& other) const {
  if (ipv6_ != other.ipv6_ || bits_ > other.bits_) return false;
  const uint32_t whole = bits_ / 8, rest = bits_ % 8;
  if (!std::equal(octets_.begin(), octets_.begin() + whole, other.octets_.begin())) return false;
  return rest == 0 || (octets_[whole] ^ other.octets_[whole]) >> (8 - rest) == 0;
}

std::string IpPrefix::Text() const {
  const std::string bits = std::to_string(bits_);
  if (!ipv6_) {
    // inet_ntop() goes through sprintf(), and every rail of a fleet is named more than once.
    return Concat({std::to_string(octets_[0]), ".", std::to_string(octets_[1]), ".",
                   std::to_string(octets_[2]), ".", std::to_string(octets_[3]), "/", bits});
  }
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, octets_.data(), text, sizeof text);
  return Concat({text, "/", bits});
}

}  // namespace roceready
