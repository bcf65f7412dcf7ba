// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/packet.h"

#include <gtest/gtest.h>
#include <linux/if_ether.h>

#include "tests/unit/agent/wire/packets.h"

namespace roceready::wire {
namespace {

Bytes With(Bytes bytes, size_t at, uint8_t value) {
  bytes[at] = value;
  return bytes;
}

TEST(RocePacket, OfIpv4SaysItsClassSizePortAndQueuePair) {
  EXPECT_EQ(DecodePacket(ETH_P_IP, kWrite), (Packet{.protocol = v1::WIRE_PROTOCOL_ROCE_V2,
                                                    .role = v1::WIRE_ROLE_REQUEST,
                                                    .traffic_class = 106,
                                                    .ip_bytes = 4156,
                                                    .source_port = 0xc123,
                                                    .destination_qp = 0x11,
                                                    .source = kHost1,
                                                    .destination = kHost2}));
}

TEST(RocePacket, OfIpv6SaysTheSame) {
  EXPECT_EQ(DecodePacket(ETH_P_IPV6, kIpv6Ack), (Packet{.protocol = v1::WIRE_PROTOCOL_ROCE_V2,
                                                        .role = v1::WIRE_ROLE_REPLY,
                                                        .traffic_class = 0,
                                                        .ip_bytes = 68,
                                                        .source_port = 0xc124,
                                                        .destination_qp = 0x12,
                                                        .source = kIpv6Host2,
                                                        .destination = kIpv6Host1}));
}

TEST(RocePacket, WithItsOwnEtherTypeIsRoceV1) {
  EXPECT_EQ(DecodePacket(0x8915, kRoceV1Read), (Packet{.protocol = v1::WIRE_PROTOCOL_ROCE_V1,
                                                       .role = v1::WIRE_ROLE_REQUEST,
                                                       .traffic_class = 106,
                                                       .ip_bytes = 76,
                                                       .source_port = 0,
                                                       .destination_qp = 0x11,
                                                       .source = kLinkLocal1,
                                                       .destination = kLinkLocal2}));
}

TEST(RocePacket, HasItsHeadersBehindIpOptions) {
  Bytes with_options = With(kWrite, 0, 0x46);
  with_options.insert(with_options.begin() + 20, {0x94, 0x04, 0x00, 0x00});
  const auto packet = DecodePacket(ETH_P_IP, with_options);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->destination_qp, 0x11u);
}

TEST(RocePacket, IsARequestReplyOrNotificationByItsOpcode) {
  const auto role = [](uint8_t opcode) {
    return DecodePacket(ETH_P_IP, With(kWrite, 28, opcode))->role;
  };
  for (const uint8_t request : {0x00, 0x04, 0x06, 0x0a, 0x0b, 0x0c, 0x13, 0x14, 0x16, 0x64}) {
    EXPECT_EQ(role(request), v1::WIRE_ROLE_REQUEST) << int{request};
  }
  // READ RESPONSE FIRST to ONLY, ACKNOWLEDGE, ATOMIC ACKNOWLEDGE; the same of XRC.
  for (const uint8_t reply : {0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0xb1}) {
    EXPECT_EQ(role(reply), v1::WIRE_ROLE_REPLY) << int{reply};
  }
  EXPECT_EQ(role(0x81), v1::WIRE_ROLE_CNP);
}

TEST(RocePacket, IsNothingElse) {
  EXPECT_FALSE(DecodePacket(ETH_P_ARP, kWrite));
  EXPECT_FALSE(DecodePacket(ETH_P_IPV6, kWrite));
  EXPECT_FALSE(DecodePacket(ETH_P_IP, With(kWrite, 9, 6))) << "TCP";
  EXPECT_FALSE(DecodePacket(ETH_P_IP, With(kWrite, 23, 0x35))) << "another UDP port";
  EXPECT_FALSE(DecodePacket(ETH_P_IP, With(kWrite, 7, 0x01))) << "a later fragment";
  EXPECT_FALSE(DecodePacket(ETH_P_IP, With(kWrite, 6, 0x20))) << "a first fragment";
  EXPECT_FALSE(DecodePacket(ETH_P_IP, With(kWrite, 0, 0x44))) << "a header of 16 bytes";
  EXPECT_FALSE(DecodePacket(ETH_P_IPV6, With(kIpv6Ack, 6, 0))) << "an extension header";
  EXPECT_FALSE(DecodePacket(0x8915, With(kRoceV1Read, 6, 0x3b))) << "no transport header";
}

TEST(RocePacket, IsReadOnlyWhole) {
  const auto shorter = [](const Bytes& bytes, size_t size) {
    return Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  };
  for (size_t size = 0; size < 40; ++size) {
    EXPECT_FALSE(DecodePacket(ETH_P_IP, shorter(kWrite, size))) << size;
  }
  for (size_t size = 0; size < 60; ++size) {
    EXPECT_FALSE(DecodePacket(ETH_P_IPV6, shorter(kIpv6Ack, size))) << size;
  }
  for (size_t size = 0; size < 52; ++size) {
    EXPECT_FALSE(DecodePacket(0x8915, shorter(kRoceV1Read, size))) << size;
  }
}

}  // namespace
}  // namespace roceready::wire
