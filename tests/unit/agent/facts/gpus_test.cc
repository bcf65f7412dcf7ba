// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/gpus.h"

#include <gtest/gtest.h>

#include "agent/facts/inventory.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

TEST(Gpus, AreAcceleratorsAndNotTheGraphicsOfAServiceProcessor) {
  FixtureTree tree;
  tree.PciFunction("0000:41:00.0", "0x030200").PciFunction("0000:42:00.0", "0x120000");
  tree.PciFunction("0000:03:00.0", "0x030000");
  tree.File("/sys/devices/pci0000:00/0000:03:00.0/vendor", "0x1a03");
  tree.PciFunction("0000:04:00.0", "0x030000");
  tree.File("/sys/devices/pci0000:00/0000:04:00.0/vendor", "0x10de");
  const Inventory inventory = ReadInventory(HostRoot(tree.path()));
  EXPECT_EQ(inventory.gpu_addresses,
            (std::vector<std::string>{"0000:04:00.0", "0000:41:00.0", "0000:42:00.0"}));
  EXPECT_TRUE(inventory.pci_addresses.empty());
}

TEST(Gpus, NameTheBridgesAboveThem) {
  FixtureTree tree;
  tree.PciFunction("0000:00:01.0", "0x060400").PciFunction("0000:00:01.0/0000:3a:00.0", "0x060400");
  tree.PciFunction("0000:00:01.0/0000:3a:00.0/0000:41:00.0", "0x030200");
  const v1::Gpu gpu = ReadGpu(HostRoot(tree.path()), "0000:41:00.0");
  ASSERT_EQ(gpu.bridges_size(), 2);
  EXPECT_EQ(gpu.bridges(0), "0000:3a:00.0");
  EXPECT_EQ(gpu.bridges(1), "0000:00:01.0");
}

v1::PciFunction Nic(int node, std::initializer_list<const char*> bridges) {
  v1::PciFunction nic;
  nic.set_id("pci:0000:3b:00.0");
  nic.set_numa_node(node);
  nic.add_path_to_root()->set_address("0000:3b:00.0");
  for (const char* bridge : bridges) nic.add_path_to_root()->set_address(bridge);
  return nic;
}

v1::Gpu Gpu(const char* id, int node, std::initializer_list<const char*> bridges) {
  v1::Gpu gpu;
  gpu.set_id(id);
  gpu.set_numa_node(node);
  for (const char* bridge : bridges) gpu.add_bridges(bridge);
  return gpu;
}

TEST(Gpus, TheNearestBridgeComesFirstThenTheNode) {
  v1::HostFacts facts;
  *facts.add_pci_functions() = Nic(0, {"0000:3a:00.0", "0000:00:01.0"});
  *facts.add_gpus() = Gpu("far", 1, {"0000:80:01.0"});
  *facts.add_gpus() = Gpu("node", 0, {"0000:20:01.0"});
  *facts.add_gpus() = Gpu("root", 0, {"0000:50:00.0", "0000:00:01.0"});
  *facts.add_gpus() = Gpu("switch", 0, {"0000:3a:00.0", "0000:00:01.0"});
  CompleteGpusNear(&facts);
  const auto& near = facts.pci_functions(0).gpus_near();
  ASSERT_EQ(near.size(), 3);
  EXPECT_EQ(near[0].gpu_id(), "switch");
  EXPECT_EQ(near[0].common_bridge(), "0000:3a:00.0");
  EXPECT_EQ(near[1].gpu_id(), "root");
  EXPECT_EQ(near[1].common_bridge(), "0000:00:01.0");
  EXPECT_EQ(near[2].gpu_id(), "node");
  EXPECT_FALSE(near[2].has_common_bridge());
  EXPECT_TRUE(near[2].same_numa_node());
}

TEST(Gpus, AnUnknownNodeIsNobodysNode) {
  v1::HostFacts facts;
  *facts.add_pci_functions() = Nic(-1, {"0000:3a:00.0"});
  *facts.add_gpus() = Gpu("other", -1, {"0000:80:01.0"});
  CompleteGpusNear(&facts);
  EXPECT_TRUE(facts.pci_functions(0).gpus_near().empty());
}

}  // namespace
}  // namespace roceready::facts
