// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/pci.h"

#include <gtest/gtest.h>

#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

const std::string kBridge = "/sys/devices/pci0000:00/0000:00:01.0";
const std::string kNic = "/sys/devices/pci0000:00/0000:00:01.0/0000:3b:00.0";

void AddLink(FixtureTree* tree, const std::string& folder, std::string_view speed,
             std::string_view width) {
  tree->File(folder + "/current_link_speed", speed).File(folder + "/current_link_width", width);
  tree->File(folder + "/max_link_speed", "32.0 GT/s PCIe").File(folder + "/max_link_width", "16");
}

TEST(Pci, WalksEveryLinkUpToTheRootPort) {
  FixtureTree tree;
  tree.PciFunction("0000:00:01.0", "0x060400").PciFunction("0000:00:01.0/0000:3b:00.0");
  AddLink(&tree, kBridge, "8.0 GT/s PCIe", "8");
  AddLink(&tree, kNic, "32.0 GT/s PCIe", "16");
  tree.File(kNic + "/vendor", "0x15b3").File(kNic + "/numa_node", "-1");
  const v1::PciFunction function = ReadPciFunction(HostRoot(tree.path()), "0000:3b:00.0");
  EXPECT_EQ(function.id(), "pci:0000:3b:00.0");
  EXPECT_EQ(function.vendor(), 0x15b3u);
  EXPECT_EQ(function.numa_node(), -1);
  EXPECT_EQ(function.adapter_id(), "pci:0000:3b:00");
  ASSERT_EQ(function.path_to_root_size(), 2);
  EXPECT_EQ(function.path_to_root(0).current_speed_mtps(), 32000u);
  EXPECT_EQ(function.path_to_root(1).address(), "0000:00:01.0");
  EXPECT_EQ(function.path_to_root(1).current_speed_mtps(), 8000u);
  EXPECT_EQ(function.path_to_root(1).current_width_lanes(), 8u);
}

TEST(Pci, WithoutExtendedSpaceAccessControlIsNotKnownAndTheRestIs) {
  FixtureTree tree;
  tree.PciFunction("0000:3b:00.0");
  std::string space(256, '\0');
  space[0x06] = 0x10;  // there are capabilities
  space[0x34] = 0x60;
  space[0x60] = 0x10;                       // PCI Express
  space[0x68] = static_cast<char>(2 << 5);  // payload 512
  std::ofstream(tree.path() + "/sys/devices/pci0000:00/0000:3b:00.0/config", std::ios::binary)
      .write(space.data(), 256);
  const v1::PciHop hop = ReadPciFunction(HostRoot(tree.path()), "0000:3b:00.0").path_to_root(0);
  EXPECT_EQ(hop.config_space().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_NE(hop.config_space().detail().find("256 bytes"), std::string::npos);
  EXPECT_EQ(hop.max_payload_bytes(), 512u);
  EXPECT_FALSE(hop.has_acs_control());
}

TEST(Pci, AnUnknownSpeedOrWidthIsAbsentAndNotZero) {
  FixtureTree tree;
  tree.PciFunction("0000:3b:00.0");
  const std::string folder = "/sys/devices/pci0000:00/0000:3b:00.0";
  tree.File(folder + "/current_link_speed", "Unknown").File(folder + "/current_link_width", "255");
  tree.File(folder + "/max_link_width", "0");
  const v1::PciFunction function = ReadPciFunction(HostRoot(tree.path()), "0000:3b:00.0");
  ASSERT_EQ(function.path_to_root_size(), 1);
  EXPECT_FALSE(function.path_to_root(0).has_current_speed_mtps());
  EXPECT_FALSE(function.path_to_root(0).has_current_width_lanes());
  EXPECT_FALSE(function.path_to_root(0).has_max_width_lanes());
}

TEST(Pci, AFunctionWithoutDriverIsStillThere) {
  FixtureTree tree;
  tree.PciFunction("0000:3b:00.0");
  const v1::PciFunction function = ReadPciFunction(HostRoot(tree.path()), "0000:3b:00.0");
  EXPECT_EQ(function.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_FALSE(function.has_driver());
}

TEST(Pci, AVirtualFunctionNamesItsPhysicalOneAndSharesItsAdapter) {
  FixtureTree tree;
  tree.PciFunction("0000:3b:00.0").PciFunction("0000:3b:01.2");
  tree.Link("/sys/devices/pci0000:00/0000:3b:01.2/physfn", "/sys/devices/pci0000:00/0000:3b:00.0");
  const v1::PciFunction function = ReadPciFunction(HostRoot(tree.path()), "0000:3b:01.2");
  EXPECT_EQ(function.physical_function_id(), "pci:0000:3b:00.0");
  EXPECT_EQ(function.adapter_id(), "pci:0000:3b:00");
}

TEST(Pci, ANicWithoutDriverKeepsTheFamilyOfItsVendor) {
  v1::PciFunction nic;
  nic.set_vendor(0x15b3);
  nic.set_device(0x1021);
  EXPECT_EQ(RdmaFamilyOf(nic), "mlx5");
  nic.set_driver("vfio-pci");
  EXPECT_EQ(RdmaFamilyOf(nic), "mlx5");
  nic.set_device(0x1003);
  EXPECT_EQ(RdmaFamilyOf(nic), "mlx4");
  nic.set_vendor(0x14e4);
  EXPECT_EQ(RdmaFamilyOf(nic), "");
  nic.set_driver("bnxt_en");
  EXPECT_EQ(RdmaFamilyOf(nic), "bnxt_re");
}

// A driver that fails to start its NIC is bound to nothing; vendors make NICs without RDMA too.
TEST(Pci, ANicThatNoDriverCouldStartIsKnownByItsDevice) {
  const auto family_of = [](uint32_t vendor, uint32_t device, const std::string& driver) {
    v1::PciFunction nic;
    nic.set_vendor(vendor);
    nic.set_device(device);
    if (!driver.empty()) nic.set_driver(driver);
    return RdmaFamilyOf(nic);
  };
  EXPECT_EQ(family_of(0x14e4, 0x1750, ""), "bnxt_re");
  EXPECT_EQ(family_of(0x14e4, 0x1763, ""), "bnxt_re");
  EXPECT_EQ(family_of(0x14e4, 0x165f, ""), "") << "a BCM5720";
  EXPECT_EQ(family_of(0x8086, 0x1592, ""), "irdma");
  EXPECT_EQ(family_of(0x8086, 0x1572, ""), "") << "an X710";
  EXPECT_EQ(family_of(0x1077, 0x8070, ""), "qedr");
  EXPECT_EQ(family_of(0x19e5, 0xa226, ""), "hns");
  EXPECT_EQ(family_of(0x8086, 0x1592, "vfio-pci"), "") << "given away on purpose";
}

TEST(Pci, OfADriverForManyNicsOnlySomeCarryRdma) {
  v1::PciFunction nic;
  nic.set_vendor(0x8086);
  nic.set_driver("i40e");
  nic.set_device(0x1572);
  EXPECT_EQ(RdmaFamilyOf(nic), "");
  nic.set_device(0x37d2);
  EXPECT_EQ(RdmaFamilyOf(nic), "irdma");
  nic.set_driver("hns3");
  nic.set_device(0xa221);
  EXPECT_EQ(RdmaFamilyOf(nic), "");
  nic.set_device(0xa226);
  EXPECT_EQ(RdmaFamilyOf(nic), "hns");
}

TEST(Pci, TellsVirtualFunctionsWherePossible) {
  FixtureTree tree;
  tree.PciFunction("0000:3b:00.0").PciFunction("0000:3c:00.0");
  const std::string folder = "/sys/devices/pci0000:00/0000:3b:00.0";
  tree.File(folder + "/sriov_totalvfs", "16").File(folder + "/sriov_numvfs", "4");
  const v1::Sriov sriov = ReadPciFunction(HostRoot(tree.path()), "0000:3b:00.0").sriov();
  EXPECT_EQ(sriov.total_vfs(), 16u);
  EXPECT_EQ(sriov.enabled_vfs(), 4u);
  const v1::Sriov none = ReadPciFunction(HostRoot(tree.path()), "0000:3c:00.0").sriov();
  EXPECT_EQ(none.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_FALSE(none.has_total_vfs());
}

TEST(Pci, TheFunctionsOfOneCardHaveOneAdapter) {
  v1::HostFacts facts;
  const auto add = [&facts](std::string_view id) {
    v1::PciFunction* function = facts.add_pci_functions();
    function->set_id(std::string(id));
    function->set_adapter_id("pci:none");
    return function;
  };
  v1::PciFunction* first = add("pci:0000:3b:00.0");
  first->set_serial_number("MT1");
  add("pci:0000:3b:00.1");
  add("pci:0000:3b:08.2")->set_physical_function_id("pci:0000:3b:00.1");
  add("pci:0000:5e:00.0");
  CompleteAdapters(&facts);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(facts.pci_functions(i).adapter_id(), "serial:MT1") << i;
  EXPECT_EQ(facts.pci_functions(3).adapter_id(), "pci:none");
}

TEST(Pci, AFunctionThatIsGoneSaysSo) {
  FixtureTree tree;
  const v1::PciFunction function = ReadPciFunction(HostRoot(tree.path()), "0000:3b:00.0");
  EXPECT_EQ(function.reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(Pci, ReadsAllSpeedsOfPcie) {
  EXPECT_EQ(ParseLinkSpeed("2.5 GT/s PCIe"), 2500u);
  EXPECT_EQ(ParseLinkSpeed("5.0 GT/s PCIe"), 5000u);
  EXPECT_EQ(ParseLinkSpeed("64.0 GT/s PCIe"), 64000u);
  EXPECT_EQ(ParseLinkSpeed("8 GT/s"), 8000u);
  EXPECT_EQ(ParseLinkSpeed("Unknown"), std::nullopt);
  EXPECT_EQ(ParseLinkSpeed("388888288888888888 GT/s"), std::nullopt);
  EXPECT_EQ(ParseLinkSpeed("x.y GT/s"), std::nullopt);
}

}  // namespace
}  // namespace roceready::facts
