// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/ids.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(Ids, CarryTheirKindInFront) {
  EXPECT_EQ(PciId("0000:3b:00.0"), "pci:0000:3b:00.0");
  EXPECT_EQ(PciNetDeviceId("0000:3b:00.0", 1), "pci:0000:3b:00.0/1");
  EXPECT_EQ(MacNetDeviceId("52:54:00:00:00:01"), "mac:52:54:00:00:00:01");
  EXPECT_EQ(SoftRdmaDeviceId(NamedNetDeviceId("dummy0")), "netdev:name:dummy0");
}

TEST(Ids, OfAnRdmaPortsCountersNeverEqualThoseOfANetDevice) {
  EXPECT_NE(RdmaPortOwnerId(PciRdmaDeviceId("0000:3b:00.0"), 1), PciNetDeviceId("0000:3b:00.0", 1));
}

TEST(Ids, GiveTheirPciAddressBack) {
  EXPECT_EQ(PciAddressOf("pci:0000:3b:00.0"), "0000:3b:00.0");
  EXPECT_EQ(PciAddressOf("pci:0000:3b:00.0/1"), "0000:3b:00.0");
  EXPECT_EQ(PciAddressOf("name:bond0"), "");
  EXPECT_EQ(PciAddressOf("netdev:pci:0000:00:03.0/0"), "");
}

TEST(Ids, OfSoftRdmaDevicesGiveTheirNetDeviceBack) {
  EXPECT_EQ(NetDeviceOfSoftRdma("netdev:pci:0000:00:03.0/0"), "pci:0000:00:03.0/0");
  EXPECT_EQ(NetDeviceOfSoftRdma("pci:0000:3b:00.0"), "");
}

TEST(Ids, AnAdapterIsTheAddressWithoutItsFunction) {
  EXPECT_EQ(AdapterIdOfAddress("0000:3b:00.1"), "pci:0000:3b:00");
  EXPECT_EQ(AdapterIdOfAddress("0000:3b:00.0"), AdapterIdOfAddress("0000:3b:00.7"));
}

TEST(Ids, ASessionIsNamedByItsFirstFourOctets) {
  EXPECT_EQ(SessionName(std::string_view("\xc0\x01\x00\xff\x11\x22", 6)), "c00100ff");
  EXPECT_EQ(SessionName("ab"), "6162");
  EXPECT_EQ(SessionName(""), "");
}

TEST(Ids, TellAPciAddressFromOtherNames) {
  EXPECT_TRUE(IsPciAddress("0000:3b:00.0"));
  EXPECT_TRUE(IsPciAddress("10000:e1:00.0"));
  EXPECT_FALSE(IsPciAddress("0000:3b:00"));
  EXPECT_FALSE(IsPciAddress("virtio0"));
  EXPECT_FALSE(IsPciAddress("pci0000:00"));
  EXPECT_FALSE(IsPciAddress(""));
}

TEST(Ids, CountersOfOneDeviceHaveOwnersThatDiffer) {
  EXPECT_EQ(CmOwnerId("pci:0000:3b:00.0", 1), "cm:pci:0000:3b:00.0/1");
  EXPECT_EQ(LinkOwnerId("pci:0000:3b:00.0/0"), "link:pci:0000:3b:00.0/0");
}

}  // namespace
}  // namespace roceready
