// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/virtual_functions.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/fake_netlink.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

constexpr char kEnabled[] = "/sys/bus/pci/devices/0000:3b:00.0/sriov_numvfs";

// A host of files whose kernel has nothing to say to netlink.
class Files : public Sources {
 public:
  explicit Files(const FixtureTree& tree) : root_(tree.path()) {}
  const HostRoot& root() const override { return root_; }
  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol) const override {
    return ErrnoError(EMFILE, "socket");
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    return ErrnoError(EMFILE, "socket");
  }
  std::unique_ptr<Verbs> OpenVerbs() const override { return nullptr; }

 private:
  const HostRoot root_;
};

v1::VirtualFunctions ReadFrom(const FixtureTree& tree) {
  return ReadVirtualFunctions(Files(tree), {"pci:0000:3b:00.0/0", "ens1", 2, "0000:3b:00.0", 0});
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
