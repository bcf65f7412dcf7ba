// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/grh.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/agent/wire/packets.h"

namespace roceready::wire {
namespace {

using Header = std::array<uint8_t, kGrhBytes>;

Header From(const Bytes& bytes) {
  Header header{};
  std::copy_n(bytes.begin(), header.size(), header.begin());
  return header;
}

// 20 bytes of anything, then the IPv4 header of kWrite with its checksum: the sum of its words is
// 0x45 6a + 10 3c + 40 00 + 40 11 + 0a 00 + 00 01 + 0a 00 + 00 02 = 0xe9ba.
Header Ipv4() {
  Header header;
  header.fill(0x66);
  std::copy_n(kWrite.begin(), 20, header.begin() + 20);
  header[30] = 0x16;
  header[31] = 0x45;
  return header;
}

TEST(NetworkHeader, OfIpv4StandsInTheLastTwentyBytes) {
  EXPECT_EQ(DecodeNetworkHeader(Ipv4()),
            (NetworkHeader{
                .protocol = v1::WIRE_PROTOCOL_ROCE_V2, .traffic_class = 106, .ip_bytes = 4156}));
}

TEST(NetworkHeader, OfIpv6AndOfRoceV1AreToldApartByWhatFollows) {
  EXPECT_EQ(
      DecodeNetworkHeader(From(kIpv6Ack)),
      (NetworkHeader{.protocol = v1::WIRE_PROTOCOL_ROCE_V2, .traffic_class = 0, .ip_bytes = 68}));
  EXPECT_EQ(
      DecodeNetworkHeader(From(kRoceV1Read)),
      (NetworkHeader{.protocol = v1::WIRE_PROTOCOL_ROCE_V1, .traffic_class = 106, .ip_bytes = 76}));
}

TEST(NetworkHeader, ThatMayBeIpv6IsToldByTheChecksum) {
  Header header = Ipv4();
  header[21] ^= 3;
  // The first bytes do not begin another one either: 0x66 says version 6, but not what follows.
  EXPECT_FALSE(DecodeNetworkHeader(header));
  // Which nobody need fill where there is no doubt.
  header[0] = 0;
  EXPECT_EQ(DecodeNetworkHeader(header)->traffic_class, 106 ^ 3);
}

TEST(NetworkHeader, OfAnotherProtocolIsNone) {
  Header tcp = Ipv4();
  tcp[29] = 6;
  tcp[31] += 11;
  EXPECT_FALSE(DecodeNetworkHeader(tcp));
  Header icmp = From(kIpv6Ack);
  icmp[6] = 58;
  EXPECT_FALSE(DecodeNetworkHeader(icmp));
  EXPECT_FALSE(DecodeNetworkHeader(Header{}));
}

}  // namespace
}  // namespace roceready::wire
