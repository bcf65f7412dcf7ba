// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/packet.h"

#include <linux/if_ether.h>
#include <netinet/in.h>

#include <algorithm>

namespace roceready::wire {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr size_t kUdpBytes = 8;
// Base transport header: opcode, flags, partition key, destination queue pair, sequence number.
constexpr size_t kBthBytes = 12;
// IPv6 header and GRH have the same fields at the same places.
constexpr size_t kIpv6Bytes = 40;
// IBTA 9.2: the GRH's next header is a base transport header.
constexpr uint8_t kNextHeaderBth = 0x1b;
// IBTA 9.2.1, table 38: the upper three bits of an opcode are the transport service; of the lower
// five, 13 to 18 are READ responses, acknowledgements and atomic acknowledgements.
constexpr uint8_t kOperationMask = 0x1f;
constexpr uint8_t kFirstReply = 0x0d;
constexpr uint8_t kLastReply = 0x12;
// Annex A17.9.3.
constexpr uint8_t kCnp = 0x81;

uint16_t Read16(Bytes bytes, size_t at) {
  return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

v1::WireRole RoleOf(uint8_t opcode) {
  if (opcode == kCnp) return v1::WIRE_ROLE_CNP;
  const uint8_t operation = opcode & kOperationMask;
  return operation >= kFirstReply && operation <= kLastReply ? v1::WIRE_ROLE_REPLY
                                                             : v1::WIRE_ROLE_REQUEST;
}

std::optional<Packet> WithTransport(Packet packet, Bytes bth) {
  if (bth.size() < kBthBytes) return std::nullopt;
  packet.role = RoleOf(bth[0]);
  packet.destination_qp = static_cast<uint32_t>(bth[5] << 16 | bth[6] << 8 | bth[7]);
  return packet;
}

std::optional<Packet> WithUdp(Packet packet, Bytes udp) {
  if (udp.size() < kUdpBytes || Read16(udp, 2) != kRoceV2Port) return std::nullopt;
  packet.protocol = v1::WIRE_PROTOCOL_ROCE_V2;
  packet.source_port = Read16(udp, 0);
  return WithTransport(packet, udp.subspan(kUdpBytes));
}

Address MappedIpv4(Bytes four) {
  Address address{};
  address[10] = address[11] = 0xff;
  std::copy_n(four.begin(), 4, address.begin() + 12);
  return address;
}

Address Ipv6(Bytes sixteen) {
  Address address{};
  std::copy_n(sixteen.begin(), address.size(), address.begin());
  return address;
}

std::optional<Packet> DecodeIpv4(Bytes bytes) {
  constexpr size_t kShortest = 20;
  constexpr uint16_t kMoreFragmentsAndOffset = 0x3fff;
  if (bytes.size() < kShortest || bytes[0] >> 4 != 4) return std::nullopt;
  const size_t header = static_cast<size_t>(bytes[0] & 0x0f) * 4;
  if (header < kShortest || bytes.size() < header) return std::nullopt;
  if (bytes[9] != IPPROTO_UDP || (Read16(bytes, 6) & kMoreFragmentsAndOffset) != 0) {
    return std::nullopt;
  }
  return WithUdp({.traffic_class = bytes[1],
                  .ip_bytes = Read16(bytes, 2),
                  .source = MappedIpv4(bytes.subspan(12)),
                  .destination = MappedIpv4(bytes.subspan(16))},
                 bytes.subspan(header));
}

// Of an IPv6 header or a GRH.
Packet FieldsOf(Bytes header) {
  return {.traffic_class = static_cast<uint8_t>(Read16(header, 0) >> 4),
          .ip_bytes = static_cast<uint32_t>(Read16(header, 4) + kIpv6Bytes),
          .source = Ipv6(header.subspan(8)),
          .destination = Ipv6(header.subspan(24))};
}

// RoCE has no extension headers.
std::optional<Packet> DecodeIpv6(Bytes bytes) {
  if (bytes.size() < kIpv6Bytes || bytes[0] >> 4 != 6 || bytes[6] != IPPROTO_UDP) {
    return std::nullopt;
  }
  return WithUdp(FieldsOf(bytes), bytes.subspan(kIpv6Bytes));
}

std::optional<Packet> DecodeRoceV1(Bytes bytes) {
  if (bytes.size() < kIpv6Bytes || bytes[0] >> 4 != 6 || bytes[6] != kNextHeaderBth) {
    return std::nullopt;
  }
  Packet packet = FieldsOf(bytes);
  packet.protocol = v1::WIRE_PROTOCOL_ROCE_V1;
  return WithTransport(packet, bytes.subspan(kIpv6Bytes));
}

}  // namespace

std::optional<Packet> DecodePacket(uint16_t ether_type, std::span<const uint8_t> bytes) {
  switch (ether_type) {
    case ETH_P_IP:
      return DecodeIpv4(bytes);
    case ETH_P_IPV6:
      return DecodeIpv6(bytes);
    case kRoceV1EtherType:
      return DecodeRoceV1(bytes);
    default:
      return std::nullopt;
  }
}

}  // namespace roceready::wire
