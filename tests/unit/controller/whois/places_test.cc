// SPDX-License-Identifier: Apache-2.0
#include "controller/whois/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders/facts_builder.h"

namespace roceready::whois {
namespace {

std::string MatchIn(const std::vector<v1::Place>& places, std::string_view text) {
  const What what = ParseWhat(text).value();
  std::string found;
  for (const v1::Place& place : places) {
    const std::string match = MatchOf(place, what);
    if (!match.empty()) found += place.net_device() + ": " + match + "\n";
  }
  return found;
}

TEST(Places, AreFoundByAllThatLeadsToThem) {
  builders::HostBuilder host("gpu1", 7, builders::Nic::kMlx5, 2);
  const std::vector<v1::Place> places = PlacesOf(host.facts());
  const std::string net = host.net(1).name(), rdma = host.rdma(1).name();
  EXPECT_EQ(MatchIn(places, "10.77.1.7"), net + ": IPv4 address, GID 1 (RoCEv2)\n");
  EXPECT_EQ(MatchIn(places, "::ffff:10.77.1.7"), net + ": IPv4 address, GID 1 (RoCEv2)\n");
  EXPECT_EQ(MatchIn(places, host.net(1).link().mac()), net + ": MAC\n");
  EXPECT_EQ(MatchIn(places, "gpu1/" + net), net + ": net device\n");
  EXPECT_EQ(MatchIn(places, "gpu1/" + rdma), net + ": RDMA device\n");
  EXPECT_EQ(MatchIn(places, "gpu1/" + rdma + ":1"), net + ": RDMA device\n");
  EXPECT_EQ(MatchIn(places, "gpu1/" + rdma + ":2"), "");
  EXPECT_EQ(MatchIn(places, "gpu2/" + net), "");
  EXPECT_EQ(MatchIn(places, "10.77.1.8"), "");
}

TEST(Places, AnAddressOnAVlanIsOfTheVlansDevice) {
  builders::HostBuilder host("gpu1", 7);
  v1::NetDevice& vlan = host.AddVlan(100);
  vlan.mutable_addresses()->add_addresses()->set_address("10.99.0.7");
  v1::Gid* gid = host.port().mutable_gid_table()->add_gids();
  gid->set_index(5);
  gid->set_gid("::ffff:10.99.0.7");
  gid->set_type(v1::GID_TYPE_ROCE_V2);
  gid->set_net_device_id(vlan.id());
  EXPECT_EQ(MatchIn(PlacesOf(host.facts()), "10.99.0.7"),
            vlan.name() + ": IPv4 address, GID 5 (RoCEv2)\n");
}

TEST(Places, ADeviceWithoutRdmaIsAPlaceAsWell) {
  builders::HostBuilder host("gpu1", 7);
  v1::NetDevice& management = *host.facts().add_net_devices();
  management.set_id("name:mgmt0");
  management.set_name("mgmt0");
  management.mutable_addresses()->add_addresses()->set_address("192.0.2.7");
  EXPECT_EQ(MatchIn(PlacesOf(host.facts()), "192.0.2.7"), "mgmt0: IPv4 address\n");
}

}  // namespace
}  // namespace roceready::whois
