// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/rtnl.h"

#include <gmock/gmock.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

IpAddressBytes Ip(const std::string& text) { return IpAddressBytes::Parse(text).value(); }

TEST(IpAddresses, AreReadAndWritten) {
  EXPECT_EQ(Ip("192.0.2.1").Text(), "192.0.2.1");
  EXPECT_EQ(Ip("192.0.2.1").family, AF_INET);
  EXPECT_EQ(Ip("fe80::1").Text(), "fe80::1");
  EXPECT_EQ(IpAddressBytes::Parse("192.0.2.256"), std::nullopt);
  EXPECT_EQ(IpAddressBytes::Parse("eth0"), std::nullopt);
  EXPECT_EQ(IpAddressBytes().Text(), "");
}

TEST(Addresses, OfARecordedGuest) {
  FakeTransport route = Guest("route");
  const auto addresses = ReadAddresses(route);
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  const auto of_eth0 = [&](const std::string& text) {
    const auto found =
        std::find_if(addresses->begin(), addresses->end(), [&](const InterfaceAddress& address) {
          return address.link_index == 2 && address.address.Text() == text;
        });
    EXPECT_NE(found, addresses->end()) << text;
    return found == addresses->end() ? InterfaceAddress() : *found;
  };
  const InterfaceAddress v4 = of_eth0("192.0.2.11");
  EXPECT_EQ(v4.prefix_bits, 24);
  EXPECT_EQ(v4.scope, 0);
  EXPECT_TRUE(v4.permanent());
  EXPECT_FALSE(v4.tentative());
  EXPECT_EQ(v4.peer, std::nullopt);
  const InterfaceAddress global = of_eth0("2001:db8::11");
  EXPECT_EQ(global.prefix_bits, 64);
  EXPECT_TRUE(global.permanent());
  const InterfaceAddress link_local = of_eth0("fe80::5054:ff:fecc:1");
  EXPECT_EQ(link_local.scope, 253);
}

TEST(Addresses, FarEndOfAPointToPointLinkIsThePeer) {
  const auto address = DecodeAddress(
      MessageOf(RTM_NEWADDR, "02208000 05000000 08000100 c0000202 08000200 c0000201"));
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->address, Ip("192.0.2.1"));
  EXPECT_EQ(address->peer, Ip("192.0.2.2"));
}

TEST(Addresses, FlagsBeyondTheFirstByteCount) {
  // IFA_FLAGS 0x340: tentative (0x40), manage-temporary-address and no-prefix-route.
  const auto address =
      DecodeAddress(MessageOf(RTM_NEWADDR,
                              "0a400000 05000000 14000100 fe800000000000000000000000000001"
                              "08000800 40030000"));
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->flags, 0x340u);
  EXPECT_TRUE(address->tentative());
  EXPECT_FALSE(address->permanent());
}

TEST(Addresses, WrongFamiliesSizesAndPrefixesAreRefused) {
  // Family 28 (MPLS); 4 bytes in IPv6; 33 bits in IPv4; no address at all.
  for (const std::string_view hex :
       {"1c188000 05000000 08000100 c0000202", "0a400000 05000000 08000100 c0000202",
        "02218000 05000000 08000100 c0000202", "02188000 05000000"}) {
    EXPECT_EQ(DecodeAddress(MessageOf(RTM_NEWADDR, hex)).status().code(),
              absl::StatusCode::kDataLoss)
        << hex;
  }
}

class RecordedRoutes : public testing::Test {
 protected:
  void SetUp() override {
    FakeTransport route = Guest("route");
    auto routes = ReadRoutes(route, AF_UNSPEC);
    ASSERT_TRUE(routes.ok()) << routes.status();
    routes_ = *std::move(routes);
  }
  const Route& To(const std::string& destination) const {
    for (const Route& route : routes_) {
      if (route.destination && route.destination->Text() == destination) return route;
    }
    ADD_FAILURE() << "no route to " << destination;
    return routes_.front();
  }
  std::vector<Route> routes_;
};

TEST_F(RecordedRoutes, DefaultRouteOfAnotherTable) {
  const auto found = std::find_if(routes_.begin(), routes_.end(),
                                  [](const Route& route) { return route.table == 1000; });
  ASSERT_NE(found, routes_.end());
  EXPECT_EQ(found->destination, std::nullopt);
  EXPECT_EQ(found->destination_bits, 0);
  EXPECT_EQ(found->gateway, Ip("192.0.2.1"));
  EXPECT_EQ(found->link_index, 2u);
  EXPECT_EQ(found->type, 1);
}

TEST_F(RecordedRoutes, RouteWithItsOwnMtuAndMetric) {
  const Route& route = To("198.18.0.0");
  EXPECT_EQ(route.table, 254u);
  EXPECT_EQ(route.destination_bits, 15);
  EXPECT_EQ(route.metric, 50u);
  EXPECT_EQ(route.mtu_bytes, 4200u);
  EXPECT_EQ(route.gateway, Ip("192.0.2.1"));
  EXPECT_THAT(route.next_hops, IsEmpty());
}

TEST_F(RecordedRoutes, RouteWithSeveralWays) {
  const Route& route = To("198.19.1.0");
  EXPECT_EQ(route.gateway, std::nullopt);
  EXPECT_EQ(route.link_index, std::nullopt);
  ASSERT_EQ(route.next_hops.size(), 2u);
  EXPECT_EQ(route.next_hops[0].link_index, 2u);
  EXPECT_EQ(route.next_hops[0].gateway, Ip("192.0.2.1"));
  EXPECT_EQ(route.next_hops[0].weight, 1u);
  EXPECT_EQ(route.next_hops[1].link_index, 11u);
  EXPECT_EQ(route.next_hops[1].gateway, Ip("203.0.113.1"));
  EXPECT_EQ(route.next_hops[1].weight, 3u);
}

TEST_F(RecordedRoutes, BlackHoleAndConnectedRoute) {
  EXPECT_EQ(To("192.88.99.0").type, 6);
  EXPECT_EQ(To("192.88.99.0").link_index, std::nullopt);
  const Route& connected = To("203.0.113.0");
  EXPECT_EQ(connected.scope, 253);
  EXPECT_EQ(connected.protocol, 2);
  EXPECT_EQ(connected.source, Ip("203.0.113.11"));
}

TEST(Routes, LookUpAsksLikeIproute2AndGivesTheRouteTaken) {
  const Request request = RouteLookupRequest(Ip("198.18.5.5"), Ip("192.0.2.11"), 2);
  EXPECT_EQ(HexOfBytes(request.payload),
            "022020000000000000100000"
            "08000100c6120505"
            "08000200c000020b"
            "0800040002000000");
  FakeTransport fake = Guest("route");
  const auto route = LookUpRoute(fake, Ip("198.18.5.5"), std::nullopt, std::nullopt);
  ASSERT_TRUE(route.ok()) << route.status();
  EXPECT_EQ(route->gateway, Ip("192.0.2.1"));
  EXPECT_EQ(route->link_index, 2u);
  EXPECT_EQ(route->source, Ip("192.0.2.11"));
  EXPECT_EQ(route->mtu_bytes, 4200u);
}

TEST(Routes, NextHopOfTheOtherFamilyIsRead) {
  // Composed: 198.51.100.0/24 via inet6 fe80::1 dev 2 (RTA_VIA 18).
  const auto route = DecodeRoute(MessageOf(RTM_NEWROUTE,
                                           "02180000 fe030001 00000000 08000100 c6336400"
                                           "16001200 0a00 fe800000000000000000000000000001 0000"
                                           "08000400 02000000"));
  ASSERT_TRUE(route.ok()) << route.status();
  EXPECT_EQ(route->gateway, Ip("fe80::1"));
}

TEST(Routes, MalformedNextHopListsAreRefused) {
  // RTA_MULTIPATH (9) with half a next hop; with one that says 64 bytes.
  for (const std::string_view hex : {"0a000900 080000000200 0000", "0c000900 4000000002000000"}) {
    EXPECT_EQ(DecodeRoute(MessageOf(RTM_NEWROUTE, "02180000 fe030001 00000000" + std::string(hex)))
                  .status()
                  .code(),
              absl::StatusCode::kDataLoss)
        << hex;
  }
}

// 10.0.0.0/8 on device 2, as the kernel answers to whoever asks for routes of any family.
TEST(Routes, OfAKernelWithoutIpv6AreNotIpv4sOnceMore) {
  const Message of_ipv4 =
      MessageOf(RTM_NEWROUTE, "02080000 fe030001 00000000 08000100 0a000000 08000400 02000000");
  FakeTransport route;
  route.Answer(RoutesRequest(AF_INET), {of_ipv4});
  route.Answer(RoutesRequest(AF_INET6), {of_ipv4});
  EXPECT_EQ(ReadRoutes(route, AF_INET)->size(), 1u);
  const auto of_ipv6 = ReadRoutes(route, AF_INET6);
  ASSERT_TRUE(of_ipv6.ok()) << of_ipv6.status();
  EXPECT_THAT(*of_ipv6, IsEmpty());
}

TEST(Rules, OfARecordedGuest) {
  FakeTransport route = Guest("route");
  const auto rules = ReadRules(route, AF_UNSPEC);
  ASSERT_TRUE(rules.ok()) << rules.status();
  // The rules of multicast routing (families 128 and 129) in the same answer are left out.
  ASSERT_EQ(rules->size(), 6u);
  const Rule& local = (*rules)[0];
  EXPECT_EQ(local.priority, 0u);
  EXPECT_EQ(local.table, 255u);
  EXPECT_EQ(local.from, std::nullopt);
  const Rule& from = (*rules)[1];
  EXPECT_EQ(from.priority, 500u);
  EXPECT_EQ(from.table, 1000u);
  EXPECT_EQ(from.action, 1);
  EXPECT_EQ(from.from, Ip("192.0.2.11"));
  EXPECT_EQ(from.from_bits, 32);
  EXPECT_EQ(from.mark, std::nullopt);
}

TEST(Rules, DeviceAndMarkAreRead) {
  const auto rule = DecodeRule(MessageOf(RTM_NEWRULE,
                                         "02000000 fe000001 00000000 09000300 65746830 00000000"
                                         "09001100 65746831 00000000 08000a00 07000000"));
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->input_device, "eth0");
  EXPECT_EQ(rule->output_device, "eth1");
  EXPECT_EQ(rule->mark, 7u);
}

TEST(Neighbours, OfARecordedGuest) {
  FakeTransport route = Guest("route");
  const auto neighbours = ReadNeighbours(route, AF_UNSPEC);
  ASSERT_TRUE(neighbours.ok()) << neighbours.status();
  const auto found = std::find_if(
      neighbours->begin(), neighbours->end(),
      [](const Neighbour& neighbour) { return neighbour.address == Ip("192.0.2.12"); });
  ASSERT_NE(found, neighbours->end());
  EXPECT_EQ(found->link_index, 2u);
  EXPECT_EQ(MacText(*found->mac), "52:54:00:cc:00:02");
  EXPECT_EQ(found->state, 0x80);
}

TEST(Neighbours, UnresolvedOneHasNoMac) {
  const auto neighbour =
      DecodeNeighbour(MessageOf(RTM_NEWNEIGH, "02000000 02000000 20000001 08000100 c000020d"));
  ASSERT_TRUE(neighbour.ok()) << neighbour.status();
  EXPECT_EQ(neighbour->mac, std::nullopt);
  EXPECT_EQ(neighbour->state, 0x20);
}

TEST(Rtnl, CutAnswersAreRefused) {
  FakeTransport route = Guest("route");
  for (const Message& message : Answered(route, RoutesRequest(0))) {
    ExpectCutsAreRefused(message, 12, &DecodeRoute);
  }
  ExpectCutsAreRefused(Answered(route, RulesRequest(0)).at(1), 12, &DecodeRule);
  ExpectCutsAreRefused(Answered(route, NeighboursRequest(0)).at(0), 12, &DecodeNeighbour);
  ExpectCutsAreRefused(Answered(route, AddressesRequest()).at(0), 8, &DecodeAddress);
}

}  // namespace
}  // namespace roceready::netlink
