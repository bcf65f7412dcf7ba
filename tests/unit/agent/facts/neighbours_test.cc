// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/neighbours.h"

#include <gtest/gtest.h>
#include <linux/neighbour.h>
#include <sys/socket.h>

#include <cerrno>

namespace roceready::facts {
namespace {

netlink::Neighbour At(const std::string& address, uint32_t device, uint16_t state) {
  netlink::Neighbour neighbour;
  neighbour.link_index = device;
  neighbour.address = netlink::IpAddressBytes::Parse(address);
  neighbour.state = state;
  return neighbour;
}

Inventory OneDevice() {
  Inventory inventory;
  inventory.net_devices = {{"pci:0000:3b:00.0/0", "ens1", 2, "0000:3b:00.0", 0}};
  return inventory;
}

TEST(Neighbours, StatesThatTheClockChangesAreOne) {
  for (const int state : {NUD_REACHABLE, NUD_STALE, NUD_DELAY, NUD_PROBE}) {
    EXPECT_EQ(NeighbourCondition(static_cast<uint16_t>(state)), "resolved");
  }
  EXPECT_EQ(NeighbourCondition(NUD_FAILED), "failed");
  EXPECT_EQ(NeighbourCondition(NUD_INCOMPLETE), "incomplete");
  EXPECT_EQ(NeighbourCondition(NUD_PERMANENT), "permanent");
  EXPECT_EQ(NeighbourCondition(NUD_NOARP), "");
}

TEST(Neighbours, AreThoseOfOurDevicesSorted) {
  auto resolved = At("10.0.0.9", 2, NUD_STALE);
  resolved.mac = netlink::MacAddress{2, 0, 0, 0, 0, 9};
  const auto table = NeighboursOf({resolved, At("10.0.0.8", 2, NUD_FAILED),
                                   At("10.0.0.7", 5, NUD_STALE), At("ff02::1", 2, NUD_NOARP)},
                                  OneDevice());
  ASSERT_EQ(table.neighbours_size(), 2);
  EXPECT_EQ(table.neighbours(0).address(), "10.0.0.8");
  EXPECT_EQ(table.neighbours(0).state(), "failed");
  EXPECT_FALSE(table.neighbours(0).has_mac());
  EXPECT_EQ(table.neighbours(1).mac(), "02:00:00:00:00:09");
  EXPECT_EQ(table.neighbours(1).net_device_id(), "pci:0000:3b:00.0/0");
}

TEST(Neighbours, AnEndlessTableIsCutAndSaysSo) {
  std::vector<netlink::Neighbour> many;
  for (size_t i = 0; i < kMostNeighbours + 3; ++i) {
    many.push_back(At(fmt::format("10.0.{}.{}", i / 256, i % 256), 2, NUD_STALE));
  }
  const auto table = NeighboursOf(many, OneDevice());
  EXPECT_EQ(table.neighbours_size(), static_cast<int>(kMostNeighbours));
  EXPECT_EQ(table.reading().detail(), "3 further neighbours were left out");
}

// Has no neighbours; refuses to list those of IPv6.
class WithoutIp6 : public netlink::Transport {
 public:
  explicit WithoutIp6(int error) : error_(error) {}
  absl::StatusOr<std::vector<netlink::Message>> Exchange(const netlink::Request& request) override {
    if (request.payload.at(0) == AF_INET6) return ErrnoError(error_, request.what);
    return std::vector<netlink::Message>();
  }

 private:
  const int error_;
};

TEST(Neighbours, OnlyAKernelWithoutIp6MayLeaveThemOut) {
  WithoutIp6 without(EOPNOTSUPP);
  EXPECT_EQ(ReadNeighbours(without, OneDevice()).reading().outcome(), v1::OUTCOME_OK);
  WithoutIp6 late(ETIMEDOUT);
  EXPECT_NE(ReadNeighbours(late, OneDevice()).reading().outcome(), v1::OUTCOME_OK);
}

}  // namespace
}  // namespace roceready::facts
