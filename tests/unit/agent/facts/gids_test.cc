// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/gids.h"

#include <gtest/gtest.h>

#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

constexpr char kEmpty[] = "0000:0000:0000:0000:0000:0000:0000:0000";
constexpr char kLinkLocal[] = "fe80:0000:0000:0000:5054:00ff:fecc:0001";
constexpr char kIpv4[] = "0000:0000:0000:0000:0000:ffff:c000:0201";

class Gids : public testing::Test {
 protected:
  Gids() { tree_.NetDevice("d0", 3).RdmaDevice("rxe0"); }
  v1::GidTable Read() {
    const HostRoot root(tree_.path());
    return ReadGidsFromSysfs(root, ReadInventory(root), "rxe0", 1);
  }
  FixtureTree tree_;
};

TEST_F(Gids, GiveUsedSlotsWithTypeAndNetDevice) {
  tree_.Gid("rxe0", 0, kLinkLocal, "RoCE v2", "d0").Gid("rxe0", 10, kIpv4, "IB/RoCE v1", "d0");
  tree_.Gid("rxe0", 2, kEmpty, "", "");
  const v1::GidTable table = Read();
  EXPECT_EQ(table.reading().outcome(), v1::OUTCOME_OK);
  ASSERT_EQ(table.gids_size(), 2);
  EXPECT_EQ(table.gids(0).index(), 0u);
  EXPECT_EQ(table.gids(0).type(), v1::GID_TYPE_ROCE_V2);
  EXPECT_EQ(table.gids(0).net_device_id(), "name:d0");
  EXPECT_EQ(table.gids(1).index(), 10u);
  EXPECT_EQ(table.gids(1).gid(), kIpv4);
  EXPECT_EQ(table.gids(1).type(), v1::GID_TYPE_ROCE_V1);
}

TEST_F(Gids, OfAnInfinibandPortAreNotRoceV1) {
  tree_.File("/sys/class/infiniband/rxe0/ports/1/link_layer", "InfiniBand");
  tree_.Gid("rxe0", 0, kLinkLocal, "IB/RoCE v1", "");
  EXPECT_EQ(Read().gids(0).type(), v1::GID_TYPE_IB);
}

TEST_F(Gids, ANetDeviceOfAnotherNamespaceIsNotNamed) {
  tree_.Gid("rxe0", 0, kIpv4, "RoCE v2", "elsewhere0");
  EXPECT_FALSE(Read().gids(0).has_net_device_id());
}

TEST_F(Gids, AMissingTableIsAbsentAndNotEmpty) {
  EXPECT_EQ(Read().reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST_F(Gids, TellTheNetDeviceOfThePort) {
  tree_.Gid("rxe0", 0, kLinkLocal, "RoCE v2", "d0");
  EXPECT_EQ(NetDeviceOfGids(Read()), "name:d0");
  EXPECT_EQ(NetDeviceOfGids(v1::GidTable()), std::nullopt);
}

TEST_F(Gids, AreWrittenAsSysfsWritesThem) {
  std::array<uint8_t, 16> gid{};
  gid[0] = 0xfe;
  gid[1] = 0x80;
  gid[15] = 1;
  EXPECT_EQ(GidText(gid), "fe80:0000:0000:0000:0000:0000:0000:0001");
}

}  // namespace
}  // namespace roceready::facts
