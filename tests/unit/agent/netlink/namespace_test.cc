// SPDX-License-Identifier: Apache-2.0
// Readings of devices that the test makes (by libnl-route, so by other code than ours), on the
// kernel that runs it, in a network namespace of its own. Skipped where neither root nor user
// namespaces allow one.
#include <gtest/gtest.h>
#include <net/if.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <netlink/socket.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/netlink/ethtool_ioctl.h"
#include "agent/netlink/ethtool_nl.h"
#include "agent/netlink/rtnl.h"
#include "agent/netlink/socket.h"

namespace roceready::netlink {
namespace {

using std::chrono::steady_clock;

template <typename Object, void (*kRelease)(Object*)>
struct Releases {
  void operator()(Object* object) const { kRelease(object); }
};
using NlSocket = std::unique_ptr<nl_sock, Releases<nl_sock, nl_socket_free>>;
using NlLink = std::unique_ptr<rtnl_link, Releases<rtnl_link, rtnl_link_put>>;
using NlAddress = std::unique_ptr<rtnl_addr, Releases<rtnl_addr, rtnl_addr_put>>;
using NlBytes = std::unique_ptr<nl_addr, Releases<nl_addr, nl_addr_put>>;

// A veth pair `left` (up, MTU 4200, 02:00:00:00:00:11, 192.0.2.1/24) and `right` (down).
void MakeDevices() {
  NlSocket socket(nl_socket_alloc());
  ASSERT_EQ(nl_connect(socket.get(), NETLINK_ROUTE), 0);
  ASSERT_EQ(rtnl_link_veth_add(socket.get(), "left", "right", getpid()), 0);
  rtnl_link* found = nullptr;
  ASSERT_EQ(rtnl_link_get_kernel(socket.get(), 0, "left", &found), 0);
  const NlLink left(found);
  const NlLink change(rtnl_link_alloc());
  nl_addr* mac = nullptr;
  ASSERT_EQ(nl_addr_parse("02:00:00:00:00:11", AF_LLC, &mac), 0);
  const NlBytes mac_bytes(mac);
  rtnl_link_set_addr(change.get(), mac);
  rtnl_link_set_mtu(change.get(), 4200);
  rtnl_link_set_flags(change.get(), IFF_UP);
  ASSERT_EQ(rtnl_link_change(socket.get(), left.get(), change.get(), 0), 0);
  const NlAddress address(rtnl_addr_alloc());
  nl_addr* ip = nullptr;
  ASSERT_EQ(nl_addr_parse("192.0.2.1/24", AF_INET, &ip), 0);
  const NlBytes ip_bytes(ip);
  ASSERT_EQ(rtnl_addr_set_local(address.get(), ip), 0);
  rtnl_addr_set_ifindex(address.get(), rtnl_link_get_ifindex(left.get()));
  ASSERT_EQ(rtnl_addr_add(socket.get(), address.get(), 0), 0);
}

class Namespace : public testing::Test {
 protected:
  // Once for all tests of this program, each of which only reads.
  static void SetUpTestSuite() {
    separate_ = unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    if (separate_) MakeDevices();
  }

  void SetUp() override {
    if (!separate_) GTEST_SKIP() << "no network namespace for this user";
    auto socket = Socket::Open(Protocol::kRoute, steady_clock::now() + std::chrono::minutes(1));
    ASSERT_TRUE(socket.ok()) << socket.status();
    route_ = *std::move(socket);
    auto links = ReadLinks(*route_);
    ASSERT_TRUE(links.ok()) << links.status();
    links_ = *std::move(links);
  }

  const Link& Named(std::string_view name) const {
    const auto found = std::find_if(links_.begin(), links_.end(),
                                    [name](const Link& link) { return link.name == name; });
    EXPECT_NE(found, links_.end()) << name;
    return found == links_.end() ? links_.front() : *found;
  }

  static inline bool separate_ = false;
  std::unique_ptr<Socket> route_;
  std::vector<Link> links_;
};

TEST_F(Namespace, LinkIsReadAsItWasMade) {
  const Link& left = Named("left");
  EXPECT_EQ(left.kind, "veth");
  EXPECT_EQ(left.hardware_type, 1);
  EXPECT_EQ(left.mtu_bytes, 4200u);
  EXPECT_EQ(MacText(left.mac.value()), "02:00:00:00:00:11");
  EXPECT_TRUE(left.admin_up());
  EXPECT_EQ(left.lower_index, Named("right").index);
  // Its other end is down, so it has no carrier (operstate 3: LOWERLAYERDOWN, or 2: DOWN).
  EXPECT_FALSE(Named("right").admin_up());
  EXPECT_EQ(left.carrier, false);
}

TEST_F(Namespace, AddressAndItsRouteAreRead) {
  const auto addresses = ReadAddresses(*route_);
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  const auto address =
      std::find_if(addresses->begin(), addresses->end(),
                   [](const InterfaceAddress& each) { return each.address.Text() == "192.0.2.1"; });
  ASSERT_NE(address, addresses->end());
  EXPECT_EQ(address->link_index, Named("left").index);
  EXPECT_EQ(address->prefix_bits, 24);
  EXPECT_TRUE(address->permanent());
  // Traffic to the own address is local (type 2).
  const auto route =
      LookUpRoute(*route_, *IpAddressBytes::Parse("192.0.2.1"), std::nullopt, std::nullopt);
  ASSERT_TRUE(route.ok()) << route.status();
  EXPECT_EQ(route->type, 2);
}

TEST_F(Namespace, NowhereIsUnreachable) {
  const auto route =
      LookUpRoute(*route_, *IpAddressBytes::Parse("198.51.100.1"), std::nullopt, std::nullopt);
  EXPECT_EQ(ErrnoOf(route.status()), ENETUNREACH);
}

TEST_F(Namespace, EthtoolTellsDriverStatisticsAndLink) {
  const auto control = OpenEthtoolControl();
  ASSERT_TRUE(control.ok()) << control.status();
  const auto info = ReadEthtoolDriverInfo(**control, "left");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->driver, "veth");
  const auto statistics = ReadEthtoolStatistics(**control, "left");
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  // veth's first statistic is the index of its other end.
  ASSERT_FALSE(statistics->empty());
  EXPECT_EQ(statistics->front(), (EthtoolStatistic{"peer_ifindex", Named("right").index}));
  EXPECT_EQ(ReadEthtoolStatistics(**control, "lo").status().code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ReadEthtoolPermanentAddress(**control, "left").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(Namespace, EthtoolNetlinkAgreesWithTheLink) {
  auto generic = Socket::Open(Protocol::kGeneric, steady_clock::now() + std::chrono::minutes(1));
  ASSERT_TRUE(generic.ok()) << generic.status();
  const auto family = ResolveGenericFamily(**generic, kEthtoolFamily);
  if (ErrnoOf(family.status()) == ENOENT) GTEST_SKIP() << "kernel without ethtool netlink";
  ASSERT_TRUE(family.ok()) << family.status();
  const auto modes = ReadEthtoolLinkModes(**generic, *family, "left");
  ASSERT_TRUE(modes.ok()) << modes.status();
  EXPECT_EQ(modes->device.index, Named("left").index);
  // What veth claims for itself.
  EXPECT_EQ(modes->speed_mbps, 10000u);
  const auto state = ReadEthtoolLinkState(**generic, *family, "left");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->link, false);
  EXPECT_EQ(ErrnoOf(ReadEthtoolFec(**generic, *family, "left").status()), EOPNOTSUPP);
  EXPECT_EQ(ErrnoOf(ResolveGenericFamily(**generic, "no-such-family").status()), ENOENT);
}

}  // namespace
}  // namespace roceready::netlink
