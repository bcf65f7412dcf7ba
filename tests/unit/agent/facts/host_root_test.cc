// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/host_root.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

TEST(HostRoot, ReadsBelowItsRootOnly) {
  FixtureTree tree;
  tree.File("/sys/class/net/eth0/mtu", "4200");
  const HostRoot root(tree.path() + "/");
  EXPECT_EQ(*root.ReadNumber("/sys/class/net/eth0/mtu"), 4200);
  EXPECT_FALSE(root.is_live());
  EXPECT_TRUE(HostRoot("/").is_live());
}

TEST(HostRoot, CarriesTheErrnoOfAMissingFile) {
  FixtureTree tree;
  const HostRoot root(tree.path());
  const auto text = root.Read("/sys/none");
  EXPECT_EQ(ErrnoOf(text.status()), ENOENT);
}

TEST(HostRoot, ANumberIsAWholeNumberOrAnError) {
  FixtureTree tree;
  tree.File("/a", "0x15b3").File("/b", "12 apples").File("/c", "-1").File("/d", "");
  const HostRoot root(tree.path());
  EXPECT_EQ(*root.ReadNumber("/a"), 0x15b3);
  EXPECT_TRUE(absl::IsDataLoss(root.ReadNumber("/b").status()));
  EXPECT_EQ(*root.ReadNumber("/c"), -1);
  EXPECT_TRUE(absl::IsDataLoss(root.ReadNumber("/d").status()));
}

TEST(HostRoot, ResolvesLinksAsTheHostSeesThem) {
  FixtureTree tree;
  tree.File("/sys/devices/pci0000:00/0000:00:01.0/vendor", "0x1")
      .Link("/sys/bus/pci/devices/0000:00:01.0", "/sys/devices/pci0000:00/0000:00:01.0");
  const HostRoot root(tree.path());
  EXPECT_EQ(*root.RealPath("/sys/bus/pci/devices/0000:00:01.0"),
            "/sys/devices/pci0000:00/0000:00:01.0");
  EXPECT_EQ(*root.LinkName("/sys/bus/pci/devices/0000:00:01.0"), "0000:00:01.0");
}

TEST(HostRoot, ALinkOutOfTheRootLeadsNowhere) {
  FixtureTree tree;
  std::filesystem::create_symlink("/etc", tree.path() + "/escape");
  const HostRoot root(tree.path());
  EXPECT_EQ(ErrnoOf(root.RealPath("/escape").status()), ENOENT);
}

TEST(HostRoot, ANeighbourWhoseNameBeginsAlikeIsOutside) {
  FixtureTree tree;
  tree.Folder("/root").Folder("/root2");
  std::filesystem::create_symlink("../root2", tree.path() + "/root/escape");
  EXPECT_EQ(ErrnoOf(HostRoot(tree.path() + "/root").RealPath("/escape").status()), ENOENT);
}

TEST(HostRoot, ListsSorted) {
  FixtureTree tree;
  tree.File("/d/b", "").File("/d/a", "").Folder("/d/c");
  EXPECT_EQ(*HostRoot(tree.path()).List("/d"), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(HostRoot, RefusesEndlessFiles) {
  FixtureTree tree;
  tree.File("/big", std::string((1 << 20) + 1, 'x'));
  EXPECT_TRUE(absl::IsDataLoss(HostRoot(tree.path()).Read("/big").status()));
}

}  // namespace
}  // namespace roceready::facts
