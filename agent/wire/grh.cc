// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/grh.h"

#include <netinet/in.h>

namespace roceready::wire {
namespace {

constexpr size_t kIpv4At = 20;
constexpr size_t kIpv4Bytes = 20;
// IBTA 9.2: the GRH's next header is a base transport header.
constexpr uint8_t kNextHeaderBth = 0x1b;

uint16_t Read16(std::span<const uint8_t> bytes, size_t at) {
  return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

// RFC 1071: the sum over a header with its checksum is all ones.
bool HasRightChecksum(std::span<const uint8_t> header) {
  uint32_t sum = 0;
  for (size_t at = 0; at < header.size(); at += 2) sum += Read16(header, at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

}  // namespace

std::optional<NetworkHeader> DecodeNetworkHeader(std::span<const uint8_t, kGrhBytes> bytes) {
  const auto ipv4 = bytes.subspan<kIpv4At, kIpv4Bytes>();
  constexpr uint8_t kVersion4WithoutOptions = 0x45;
  const bool may_be_ipv6 = bytes[0] >> 4 == 6;
  if (ipv4[0] == kVersion4WithoutOptions && (!may_be_ipv6 || HasRightChecksum(ipv4))) {
    if (ipv4[9] != IPPROTO_UDP) return std::nullopt;
    return NetworkHeader{.protocol = v1::WIRE_PROTOCOL_ROCE_V2,
                         .traffic_class = ipv4[1],
                         .ip_bytes = Read16(ipv4, 2)};
  }
  if (!may_be_ipv6) return std::nullopt;
  NetworkHeader header{.protocol = v1::WIRE_PROTOCOL_ROCE_V2,
                       .traffic_class = static_cast<uint8_t>(Read16(bytes, 0) >> 4),
                       .ip_bytes = static_cast<uint32_t>(Read16(bytes, 4) + kGrhBytes)};
  if (bytes[6] == IPPROTO_UDP) return header;
  header.protocol = v1::WIRE_PROTOCOL_ROCE_V1;
  if (bytes[6] == kNextHeaderBth) return header;
  return std::nullopt;
}

}  // namespace roceready::wire
