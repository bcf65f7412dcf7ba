// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/text.h"

#include <arpa/inet.h>

#include <array>

namespace roceready::lldp {
namespace {

// https://www.iana.org/assignments/address-family-numbers
constexpr uint8_t kFamilyIpv4 = 1;
constexpr uint8_t kFamilyIpv6 = 2;
constexpr uint8_t kFamilyMac = 6;

std::string Hex(ByteView bytes) {
  std::string text = "0x";
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// How many bytes the character at the start of `bytes` has; 0 when it is not UTF-8 (RFC 3629).
size_t CharacterSize(ByteView bytes) {
  const uint8_t first = bytes[0];
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((bytes[i] & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = bytes[1];
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : size;
}

bool IsControl(ByteView character) {
  if (character.size() == 1) return character[0] < 0x20 || character[0] == 0x7f;
  return character.size() == 2 && character[0] == 0xc2 && character[1] < 0xa0;
}

template <int kFamily, size_t kSize>
std::optional<std::string> IpText(ByteView address) {
  if (address.size() != kSize) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(kFamily, address.data(), text.data(), text.size());
  return std::string(text.data());
}

}  // namespace

std::string TextOf(ByteView bytes) {
  while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
  std::string text;
  for (ByteView rest = bytes; !rest.empty();) {
    const size_t size = CharacterSize(rest);
    if (size == 0) return Hex(bytes);
    const ByteView character = rest.first(size);
    if (IsControl(character)) {
      text += ' ';
    } else {
      text.append(character.begin(), character.end());
    }
    rest = rest.subspan(size);
  }
  return text;
}

std::optional<std::string> MacText(ByteView bytes) {
  if (bytes.size() != 6) return std::nullopt;
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", bytes[0], bytes[1], bytes[2],
                     bytes[3], bytes[4], bytes[5]);
}

std::optional<std::string> AddressText(uint8_t family, ByteView address) {
  switch (family) {
    case kFamilyIpv4:
      return IpText<AF_INET, 4>(address);
    case kFamilyIpv6:
      return IpText<AF_INET6, 16>(address);
    case kFamilyMac:
      return MacText(address);
    default:
      return Hex(address);
  }
}

}  // namespace roceready::lldp
