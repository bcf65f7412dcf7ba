// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/virtual_functions.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <utility>

#include "agent/facts/recorded.h"
#include "tests/support/fake_netlink.h"
#include "tests/support/fixture_tree.h"
#include "tests/support/source_path.h"

namespace roceready::facts {
namespace {

constexpr char kEnabled[] = "/sys/bus/pci/devices/0000:3b:00.0/sriov_numvfs";

// A host of files; its kernel has nothing to say to netlink unless a recording speaks for it.
class Files : public Sources {
 public:
  explicit Files(const FixtureTree& tree, std::string recorded_host = {})
      : root_(tree.path()), recorded_host_(std::move(recorded_host)) {}
  const HostRoot& root() const override { return root_; }
  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    if (recorded_host_.empty()) return ErrnoError(EMFILE, "socket");
    return RecordedSources(SourcePath("tests/hosts/") + recorded_host_)->OpenNetlink(protocol);
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    return ErrnoError(EMFILE, "socket");
  }
  std::unique_ptr<Verbs> OpenVerbs() const override { return nullptr; }

 private:
  const HostRoot root_;
  const std::string recorded_host_;
};

v1::VirtualFunctions ReadFrom(const FixtureTree& tree) {
  return ReadVirtualFunctions(Files(tree), {"pci:0000:3b:00.0/0", "ens1", 2, "0000:3b:00.0", 0});
}

// What `ip link show pf0` printed in the recorded guest.
TEST(VirtualFunctions, OfTheRecordedGuestAreThoseOfIp) {
  FixtureTree tree;
  tree.File(kEnabled, "3");
  const v1::VirtualFunctions result = ReadVirtualFunctions(
      Files(tree, "sriov-6.1"), {"pci:0000:3b:00.0/1", "pf0", 4, "0000:3b:00.0", 1});
  EXPECT_EQ(result.reading().outcome(), v1::OUTCOME_OK) << result.reading().detail();
  ASSERT_EQ(result.functions_size(), 3);
  const v1::VirtualFunction& cut_off = result.functions(1);
  EXPECT_EQ(cut_off.index(), 1u);
  EXPECT_EQ(cut_off.mac(), "52:54:00:cc:01:01");
  EXPECT_EQ(cut_off.vlan_id(), 4094u);
  EXPECT_EQ(cut_off.vlan_priority(), 5u);
  EXPECT_EQ(cut_off.vlan_protocol(), "802.1ad");
  EXPECT_EQ(result.functions(0).vlan_protocol(), "802.1Q");
  EXPECT_EQ(cut_off.max_rate_mbps(), 400000u);
  EXPECT_TRUE(cut_off.has_spoof_check() && !cut_off.spoof_check());
  EXPECT_TRUE(cut_off.has_trust() && !cut_off.trust());
  EXPECT_EQ(cut_off.link_state(), "disable");
  EXPECT_EQ(result.functions(0).link_state(), "enable");
  EXPECT_TRUE(result.functions(0).spoof_check() && result.functions(0).trust());
  const v1::VirtualFunction& untouched = result.functions(2);
  EXPECT_EQ(untouched.link_state(), "auto");
  EXPECT_TRUE(untouched.has_vlan_id() && untouched.vlan_id() == 0);
  EXPECT_FALSE(untouched.has_vlan_protocol());
  EXPECT_FALSE(untouched.has_spoof_check() || untouched.has_trust());
}

// eth0 of the same function: another driver's device, which knows nothing of them.
TEST(VirtualFunctions, OfTheRecordedGuestAreNotThoseOfTheOtherDevice) {
  FixtureTree tree;
  tree.File(kEnabled, "3");
  const v1::VirtualFunctions result = ReadVirtualFunctions(
      Files(tree, "sriov-6.1"), {"pci:0000:3b:00.0/0", "eth0", 3, "0000:3b:00.0", 0});
  EXPECT_EQ(result.reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST(VirtualFunctions, AreShownAsThePhysicalFunctionSetsThemUp) {
  netlink::LinkVf vf;
  vf.index = 1;
  vf.mac = netlink::MacAddress{0x52, 0x54, 0, 0xcc, 1, 1};
  vf.vlan_id = 100;
  vf.vlan_priority = 3;
  vf.min_rate = 1000;
  vf.max_rate = 25000;
  vf.spoof_check = true;
  vf.trust = false;
  vf.link_state = 2;
  const v1::VirtualFunctions result = VirtualFunctionsOf(netlink::LinkVfs({{vf}}));
  EXPECT_EQ(result.reading().outcome(), v1::OUTCOME_OK);
  ASSERT_EQ(result.functions_size(), 1);
  const v1::VirtualFunction& row = result.functions(0);
  EXPECT_EQ(row.index(), 1u);
  EXPECT_EQ(row.mac(), "52:54:00:cc:01:01");
  EXPECT_EQ(row.vlan_id(), 100u);
  EXPECT_EQ(row.vlan_priority(), 3u);
  EXPECT_EQ(row.min_rate_mbps(), 1000u);
  EXPECT_EQ(row.max_rate_mbps(), 25000u);
  EXPECT_TRUE(row.spoof_check());
  EXPECT_TRUE(row.has_trust() && !row.trust());
  EXPECT_EQ(row.link_state(), "disable");
}

TEST(VirtualFunctions, WhatTheDriverDidNotSayStaysAbsent) {
  const auto result = VirtualFunctionsOf(netlink::LinkVfs({{netlink::LinkVf{.index = 0}}}));
  ASSERT_EQ(result.functions_size(), 1);
  EXPECT_FALSE(result.functions(0).has_vlan_id());
  EXPECT_FALSE(result.functions(0).has_max_rate_mbps());
  EXPECT_FALSE(result.functions(0).has_spoof_check());
  EXPECT_FALSE(result.functions(0).has_link_state());
}

TEST(VirtualFunctions, ADeviceThatShowsNoneIsUnsupported) {
  EXPECT_EQ(VirtualFunctionsOf(netlink::LinkVfs()).reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST(VirtualFunctions, AreAbsentWhereTheFunctionHasNoneAndNobodyIsAsked) {
  FixtureTree tree;
  EXPECT_EQ(ReadFrom(tree).reading().outcome(), v1::OUTCOME_ABSENT);
  tree.File(kEnabled, "0");
  EXPECT_EQ(ReadFrom(tree).reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(VirtualFunctions, ThatAreThereAndCannotBeAskedForAreNotAbsent) {
  FixtureTree tree;
  tree.File(kEnabled, "4");
  EXPECT_EQ(ReadFrom(tree).reading().outcome(), v1::OUTCOME_FAILED);
}

}  // namespace
}  // namespace roceready::facts
