// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/inventory.h"

#include <gtest/gtest.h>

#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

const std::string kNic = "/sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0";

TEST(Inventory, JoinsPciFunctionNetDeviceAndRdmaDevice) {
  FixtureTree tree;
  tree.PciFunction("0000:00:01.0", "0x060400").PciFunction("0000:00:01.0/0000:3b:00.0");
  tree.NetDevice("ens1", 2, kNic).RdmaDevice("mlx5_0", kNic);
  tree.Folder("/sys/bus/pci/drivers/mlx5_core");
  tree.Link(kNic + "/driver", "/sys/bus/pci/drivers/mlx5_core");
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  EXPECT_EQ(inventory.pci_addresses, std::vector<std::string>{"0000:3b:00.0"});
  ASSERT_EQ(inventory.net_devices.size(), 1u);
  EXPECT_EQ(inventory.net_devices[0].id, "pci:0000:3b:00.0/0");
  ASSERT_EQ(inventory.rdma_devices.size(), 1u);
  EXPECT_EQ(inventory.rdma_devices[0].id, "pci:0000:3b:00.0");
  EXPECT_EQ(inventory.rdma_devices[0].driver, "mlx5");
  EXPECT_EQ(inventory.rdma_devices[0].ports, std::vector<uint32_t>{1});
}

TEST(Inventory, AVirtioDeviceIsNamedByThePciFunctionAboveIt) {
  FixtureTree tree;
  tree.PciFunction("0000:00:03.0")
      .NetDevice("eth0", 2, "/sys/devices/pci0000:00/0000:00:03.0/virtio0");
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  ASSERT_EQ(inventory.net_devices.size(), 1u);
  EXPECT_EQ(inventory.net_devices[0].id, "pci:0000:00:03.0/0");
}

TEST(Inventory, AnAncestorFurtherUpIsNotTheDevice) {
  FixtureTree tree;
  tree.PciFunction("0000:00:14.0", "0x0c0330")
      .NetDevice("enx1", 2, "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0");
  tree.File("/sys/class/net/enx1/addr_assign_type", "0")
      .File("/sys/class/net/enx1/address", "02:00:00:00:00:01");
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  ASSERT_EQ(inventory.net_devices.size(), 1u);
  EXPECT_EQ(inventory.net_devices[0].id, "mac:02:00:00:00:00:01");
}

TEST(Inventory, ARandomOrStolenAddressIdentifiesNothing) {
  FixtureTree tree;
  tree.NetDevice("bond0", 5).File("/sys/class/net/bond0/addr_assign_type", "2");
  tree.File("/sys/class/net/bond0/address", "02:00:00:00:00:01");
  EXPECT_EQ(ReadInventory(HostRoot(tree.path())).net_devices.at(0).id, "name:bond0");
}

TEST(Inventory, IdsAreUniqueWhereDevicesShareAFunction) {
  FixtureTree tree;
  tree.PciFunction("0000:00:01.0/0000:3b:00.0");
  tree.NetDevice("ens1", 2, kNic).NetDevice("ens1_rep0", 7, kNic);
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  ASSERT_EQ(inventory.net_devices.size(), 2u);
  EXPECT_EQ(inventory.net_devices[0].id, "pci:0000:3b:00.0/0");
  EXPECT_EQ(inventory.net_devices[1].id, "name:ens1_rep0");
}

TEST(Inventory, SoftRoceIsNamedByItsNetDevice) {
  FixtureTree tree;
  tree.NetDevice("d0", 3).RdmaDevice("rxe0").File("/sys/class/infiniband/rxe0/parent", "d0");
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  ASSERT_EQ(inventory.rdma_devices.size(), 1u);
  EXPECT_EQ(inventory.rdma_devices[0].id, "netdev:name:d0");
  EXPECT_EQ(inventory.rdma_devices[0].driver, "rxe");
}

TEST(Inventory, LeavesLoopbackAndTheBondsControlFileOut) {
  FixtureTree tree;
  tree.NetDevice("lo", 1).File("/sys/class/net/lo/type", "772");
  tree.File("/sys/class/net/bonding_masters", "bond0");
  EXPECT_TRUE(ReadInventory(HostRoot(tree.path())).net_devices.empty());
}

TEST(Inventory, AHostWithoutRdmaStackSaysSo) {
  FixtureTree tree;
  tree.NetDevice("eth0", 2);
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  EXPECT_EQ(inventory.net_scan.outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(inventory.rdma_scan.outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(inventory.rdma_scan.needs(), "module ib_core");
  EXPECT_EQ(inventory.pci_scan.outcome(), v1::OUTCOME_ABSENT);
}

TEST(Inventory, KeepsPciDevicesWhenThereAreTooMany) {
  FixtureTree tree;
  tree.PciFunction("0000:00:01.0/0000:3b:00.0");
  for (int i = 0; i < static_cast<int>(kMostNetDevices) + 3; ++i) {
    tree.NetDevice("veth" + std::to_string(i), 10 + i);
  }
  tree.NetDevice("ens1", 900, kNic);
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  EXPECT_EQ(inventory.net_devices.size(), kMostNetDevices);
  EXPECT_NE(inventory.FindNetDevice("ens1"), nullptr);
  EXPECT_EQ(inventory.net_scan.detail(), "4 virtual net devices were left out");
}

}  // namespace
}  // namespace roceready::facts
