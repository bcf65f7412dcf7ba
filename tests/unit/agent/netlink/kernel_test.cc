// SPDX-License-Identifier: Apache-2.0
// The socket against the kernel that runs the test: only what every Linux has.
#include <gtest/gtest.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "agent/netlink/dcb.h"
#include "agent/netlink/nldev.h"
#include "agent/netlink/rtnl.h"
#include "agent/netlink/socket.h"

namespace roceready::netlink {
namespace {

using std::chrono::steady_clock;

std::unique_ptr<Socket> OpenRoute() {
  auto socket = Socket::Open(Protocol::kRoute, steady_clock::now() + std::chrono::minutes(1));
  EXPECT_TRUE(socket.ok()) << socket.status();
  return *std::move(socket);
}

TEST(Kernel, LoopbackIsAmongTheLinks) {
  const auto socket = OpenRoute();
  const auto links = ReadLinks(*socket);
  ASSERT_TRUE(links.ok()) << links.status();
  const auto lo = std::find_if(links->begin(), links->end(),
                               [](const Link& link) { return link.name == "lo"; });
  ASSERT_NE(lo, links->end());
  EXPECT_EQ(lo->hardware_type, 772);
  EXPECT_EQ(lo->mac, MacAddress{});
  EXPECT_TRUE(lo->mtu_bytes.has_value());
  const auto alone = ReadLink(*socket, lo->index);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->name, "lo");
  EXPECT_EQ(alone->mtu_bytes, lo->mtu_bytes);
}

TEST(Kernel, UnknownLinkIsNotFoundWithItsErrno) {
  const auto socket = OpenRoute();
  const auto link = ReadLink(*socket, 0x7ffffff0);
  EXPECT_EQ(link.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrnoOf(link.status()), ENODEV);
}

TEST(Kernel, LoopbackHasNoDcb) {
  const auto socket = OpenRoute();
  const auto dcb = ReadDcb(*socket, "lo");
  EXPECT_EQ(dcb.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ErrnoOf(dcb.status()), EOPNOTSUPP);
}

TEST(Kernel, DcbOfAnUnknownNameIsNotFound) {
  const auto socket = OpenRoute();
  const auto dcb = ReadDcb(*socket, "no-such-dev");
  EXPECT_EQ(dcb.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrnoOf(dcb.status()), ENODEV);
}

TEST(Kernel, TheSocketServesOnAfterARefusal) {
  const auto socket = OpenRoute();
  EXPECT_FALSE(ReadDcb(*socket, "lo").ok());
  EXPECT_TRUE(ReadLinks(*socket).ok());
}

TEST(Kernel, ARefusalCarriesTheKernelsOwnText) {
  const auto socket = OpenRoute();
  PayloadBuilder payload;
  payload.PutHeader(ndmsg{.ndm_family = AF_INET});
  const auto answer = socket->Exchange(
      {.type = RTM_GETNEIGH, .payload = payload.Take(), .what = "a neighbour without an address"});
  EXPECT_EQ(ErrnoOf(answer.status()), EINVAL);
  EXPECT_NE(KernelTextOf(answer.status()), "");
}

TEST(Kernel, AddressesRulesAndRoutesDecode) {
  const auto socket = OpenRoute();
  const auto addresses = ReadAddresses(*socket);
  EXPECT_TRUE(addresses.ok()) << addresses.status();
  const auto rules = ReadRules(*socket, 0);
  ASSERT_TRUE(rules.ok()) << rules.status();
  // Every namespace has the rule for table local (255) at priority 0.
  EXPECT_TRUE(std::any_of(rules->begin(), rules->end(), [](const Rule& rule) {
    return rule.priority == 0 && rule.table == RT_TABLE_LOCAL;
  }));
  const auto routes = ReadRoutes(*socket, 0);
  EXPECT_TRUE(routes.ok()) << routes.status();
  const auto neighbours = ReadNeighbours(*socket, 0);
  EXPECT_TRUE(neighbours.ok()) << neighbours.status();
}

TEST(Kernel, NothingIsAskedAfterTheDeadline) {
  auto now = steady_clock::time_point() + std::chrono::hours(1);
  auto socket = Socket::Open(Protocol::kRoute, now, [&now] { return now; });
  ASSERT_TRUE(socket.ok()) << socket.status();
  EXPECT_EQ(ReadLinks(**socket).status().code(), absl::StatusCode::kDeadlineExceeded);
  (*socket)->set_deadline(now + std::chrono::seconds(1));
  EXPECT_TRUE(ReadLinks(**socket).ok());
}

TEST(Kernel, ADeadlineThatPassesWhileWaitingEndsTheWait) {
  // The clock jumps over the deadline once the request is sent.
  int looks = 0;
  const auto start = steady_clock::time_point() + std::chrono::hours(1);
  auto socket = Socket::Open(Protocol::kRoute, start + std::chrono::seconds(1), [&looks, start] {
    return start + (looks++ == 0 ? std::chrono::seconds(0) : std::chrono::seconds(2));
  });
  ASSERT_TRUE(socket.ok()) << socket.status();
  const auto links = ReadLinks(**socket);
  EXPECT_EQ(links.status().code(), absl::StatusCode::kDeadlineExceeded);
  // The answer that was left behind does not disturb the next question.
  looks = 0;
  (*socket)->set_deadline(start + std::chrono::hours(1));
  EXPECT_TRUE(ReadLinks(**socket).ok());
}

TEST(Kernel, RdmaIsSpokenOrSaidToBeMissing) {
  auto socket = Socket::Open(Protocol::kRdma, steady_clock::now() + std::chrono::minutes(1));
  if (!socket.ok()) {
    EXPECT_EQ(socket.status().code(), absl::StatusCode::kUnimplemented) << socket.status();
    EXPECT_EQ(ErrnoOf(socket.status()), EPROTONOSUPPORT);
    return;
  }
  const auto devices = ReadRdmaDevices(**socket);
  EXPECT_TRUE(devices.ok()) << devices.status();
}

}  // namespace
}  // namespace roceready::netlink
