// SPDX-License-Identifier: Apache-2.0
// The headers of one RoCE packet. Pure.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace roceready::wire {

// EtherType of RoCEv1 (IBTA, annex A16), and UDP port of RoCEv2 (annex A17).
inline constexpr uint16_t kRoceV1EtherType = 0x8915;
inline constexpr uint16_t kRoceV2Port = 4791;

// All that DecodePacket() looks at: the longest IP header, UDP, and the base transport header.
inline constexpr uint32_t kHeaderBytes = 60 + 8 + 12;

// As a GID has it: IPv4 mapped into IPv6 (::ffff:a.b.c.d).
using Address = std::array<uint8_t, 16>;

struct Packet {
  v1::WireProtocol protocol = v1::WIRE_PROTOCOL_UNSPECIFIED;
  v1::WireRole role = v1::WIRE_ROLE_UNSPECIFIED;
  // DSCP << 2 | ECN.
  uint8_t traffic_class = 0;
  // With the IP header, as that says; with RoCEv1 the GRH and what follows.
  uint32_t ip_bytes = 0;
  // UDP; 0 with RoCEv1.
  uint16_t source_port = 0;
  // Whose packet it is. Of the queue pair 24 bits: each host counts its own, so that others have
  // the same number.
  uint32_t destination_qp = 0;
  Address source{};
  Address destination{};

  bool operator==(const Packet&) const = default;
};

// `bytes` begin with the network header and may end behind the base transport header. None: another
// protocol, a fragment, or too short to tell.
std::optional<Packet> DecodePacket(uint16_t ether_type, std::span<const uint8_t> bytes);

}  // namespace roceready::wire
