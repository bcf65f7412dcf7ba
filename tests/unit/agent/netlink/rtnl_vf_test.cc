// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/rtnl_vf.h"

#include <gmock/gmock.h>
#include <linux/rtnetlink.h>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

// Composed after net/core/rtnetlink.c: an ifinfomsg of device 5, IFLA_NUM_VF(21) 2 and
// IFLA_VFINFO_LIST(22), which the kernel sends without NLA_F_NESTED.
constexpr std::string_view kHeader = "00000100 05000000 43100100 00000000 08001500 02000000 ";

// IFLA_VF_INFO(1) { MAC(1) of 32 bytes, VLAN(2) 100 with priority 3, SPOOFCHK(4) on,
// LINK_STATE(5) disable, RATE(6) 1000 to 25000, TRUST(9) on }, all of function 1.
constexpr std::string_view kVf1 =
    "70000100"
    "28000100 01000000 525400cc0101 0000 000000000000000000000000000000000000000000000000"
    "10000200 01000000 64000000 03000000"
    "0c000400 01000000 01000000"
    "0c000500 01000000 02000000"
    "10000600 01000000 e8030000 a8610000"
    "0c000900 01000000 01000000";
// Function 0: SPOOFCHK and TRUST are -1, "the driver said nothing"; no VLAN, no rate.
constexpr std::string_view kVf0 = "1c000100 0c000400 00000000 ffffffff 0c000900 00000000 ffffffff";

std::string ListOf(std::initializer_list<std::string_view> entries) {
  std::string hex;
  for (const std::string_view entry : entries) hex += entry;
  std::erase(hex, ' ');
  const size_t size = hex.size() / 2 + 4;
  return fmt::format("{:02x}{:02x}1600", size & 0xff, size >> 8) + hex;
}

Message LinkWith(const std::string& attributes) {
  return MessageOf(RTM_NEWLINK, std::string(kHeader) + attributes);
}

// Of the recorded guest: pf0 has virtual functions, eth0 has none.
constexpr uint32_t kEth0 = 3, kPf0 = 4;

TEST(LinkVfs, OfTheKernelAsTheDriverSaysThem) {
  FakeTransport route = SriovGuest("route");
  const auto vfs = ReadLinkVfs(route, kPf0);
  ASSERT_TRUE(vfs.ok()) << vfs.status();
  ASSERT_TRUE(vfs->has_value());
  ASSERT_EQ((*vfs)->size(), 3u);
  const LinkVf& tenant = (*vfs)->at(0);
  EXPECT_EQ(tenant.index, 0u);
  EXPECT_EQ(MacText(*tenant.mac), "52:54:00:cc:01:00");
  EXPECT_EQ(tenant.vlan_id, 100u);
  EXPECT_EQ(tenant.vlan_priority, 3u);
  EXPECT_EQ(tenant.min_rate, 1000u);
  EXPECT_EQ(tenant.max_rate, 25000u);
  EXPECT_EQ(tenant.spoof_check, true);
  EXPECT_EQ(tenant.link_state, 1u);
  EXPECT_EQ(tenant.trust, true);
  EXPECT_EQ(tenant.vlan_protocol, 0x8100);
  const LinkVf& cut_off = (*vfs)->at(1);
  EXPECT_EQ(cut_off.index, 1u);
  EXPECT_EQ(MacText(*cut_off.mac), "52:54:00:cc:01:01");
  EXPECT_EQ(cut_off.vlan_id, 4094u);
  EXPECT_EQ(cut_off.vlan_priority, 5u);
  EXPECT_EQ(cut_off.vlan_protocol, 0x88a8);
  EXPECT_EQ(cut_off.min_rate, 0u);
  EXPECT_EQ(cut_off.max_rate, 400000u);
  EXPECT_EQ(cut_off.spoof_check, false);
  EXPECT_EQ(cut_off.link_state, 2u);
  EXPECT_EQ(cut_off.trust, false);
  const LinkVf& untouched = (*vfs)->at(2);
  EXPECT_EQ(untouched.index, 2u);
  EXPECT_EQ(untouched.mac, MacAddress{});
  EXPECT_EQ(untouched.vlan_id, 0u);
  EXPECT_EQ(untouched.vlan_priority, 0u);
  EXPECT_EQ(untouched.min_rate, 0u);
  EXPECT_EQ(untouched.max_rate, 0u);
  EXPECT_EQ(untouched.spoof_check, std::nullopt);
  EXPECT_EQ(untouched.link_state, 0u);
  EXPECT_EQ(untouched.trust, std::nullopt);
}

TEST(LinkVfs, OfTheKernelForADeviceWithoutAny) {
  FakeTransport route = SriovGuest("route");
  const auto vfs = ReadLinkVfs(route, kEth0);
  ASSERT_TRUE(vfs.ok()) << vfs.status();
  EXPECT_FALSE(vfs->has_value());
}

TEST(LinkVfs, EveryFieldOfAFunction) {
  const auto vfs = DecodeLinkVfs(LinkWith(ListOf({kVf1, kVf0})));
  ASSERT_TRUE(vfs.ok()) << vfs.status();
  ASSERT_TRUE(vfs->has_value());
  ASSERT_EQ((*vfs)->size(), 2u);
  const LinkVf& vf = (*vfs)->at(1);
  EXPECT_EQ(vf.index, 1u);
  EXPECT_EQ(MacText(*vf.mac), "52:54:00:cc:01:01");
  EXPECT_EQ(vf.vlan_id, 100u);
  EXPECT_EQ(vf.vlan_priority, 3u);
  EXPECT_EQ(vf.min_rate, 1000u);
  EXPECT_EQ(vf.max_rate, 25000u);
  EXPECT_EQ(vf.spoof_check, true);
  EXPECT_EQ(vf.link_state, 2u);
  EXPECT_EQ(vf.trust, true);
}

TEST(LinkVfs, WhatTheDriverDoesNotKnowIsMissing) {
  const auto vfs = DecodeLinkVfs(LinkWith(ListOf({kVf0})));
  ASSERT_TRUE(vfs.ok()) << vfs.status();
  const LinkVf& vf = (*vfs)->at(0);
  EXPECT_EQ(vf.index, 0u);
  EXPECT_EQ(vf.mac, std::nullopt);
  EXPECT_EQ(vf.vlan_id, std::nullopt);
  EXPECT_EQ(vf.max_rate, std::nullopt);
  EXPECT_EQ(vf.spoof_check, std::nullopt);
  EXPECT_EQ(vf.link_state, std::nullopt);
  EXPECT_EQ(vf.trust, std::nullopt);
}

TEST(LinkVfs, ADeviceWithoutTheListShowsNone) {
  const auto vfs = DecodeLinkVfs(LinkWith(""));
  ASSERT_TRUE(vfs.ok()) << vfs.status();
  EXPECT_FALSE(vfs->has_value());
}

TEST(LinkVfs, AreAskedForWithoutStatistics) {
  // ifinfomsg of device 5, IFLA_EXT_MASK(29) VF(1) | SKIP_STATS(8).
  EXPECT_EQ(LinkVfsRequest(5).payload,
            *BytesOfHex("00000000 05000000 00000000 00000000 08001d00 09000000"));
  EXPECT_FALSE(LinkVfsRequest(5).dump);
}

TEST(LinkVfs, NonsenseIsRefused) {
  const auto refused = [](const std::string& attributes) {
    return DecodeLinkVfs(LinkWith(attributes)).status().code() == absl::StatusCode::kDataLoss;
  };
  // The same function twice; one entry about two; one about none; a setting of 4 bytes.
  EXPECT_TRUE(refused(ListOf({kVf0, kVf0})));
  EXPECT_TRUE(refused(ListOf({"1c000100 0c000400 00000000 01000000 0c000900 01000000 01000000"})));
  EXPECT_TRUE(refused(ListOf({"04000100"})));
  EXPECT_TRUE(refused(ListOf({"0c000100 08000400 00000000"})));
  // A list whose 16-bit length ran over: it ends within an entry.
  EXPECT_TRUE(refused("18001600 28000100 01000000 525400cc0101 0000 00000000"));
  EXPECT_FALSE(DecodeLinkVfs(MessageOf(RTM_NEWADDR, kHeader)).ok());
  FakeTransport route;
  route.Answer(LinkVfsRequest(6), {LinkWith("")});
  EXPECT_EQ(ReadLinkVfs(route, 6).status().code(), absl::StatusCode::kDataLoss);
}

TEST(LinkVfs, CutAnswersAreRefused) {
  ExpectCutsAreRefused(LinkWith(ListOf({kVf1, kVf0})), 16, &DecodeLinkVfs);
  FakeTransport route = SriovGuest("route");
  ExpectCutsAreRefused(Answered(route, LinkVfsRequest(kPf0)).at(0), 16, &DecodeLinkVfs);
}

}  // namespace
}  // namespace roceready::netlink
