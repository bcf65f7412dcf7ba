// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Words, AreThoseOfIproute2AndEthtool) {
  EXPECT_EQ(OperstateWord(6), "UP");
  EXPECT_EQ(OperstateWord(3), "LOWERLAYERDOWN");
  EXPECT_EQ(BondModeWord(4), "802.3ad");
  EXPECT_EQ(BondHashWord(1), "layer3+4");
  EXPECT_EQ(BondLacpRateWord(1), "fast");
  EXPECT_EQ(BondMemberStateWord(1), "BACKUP");
  EXPECT_EQ(BondMiiWord(1), "GOING_DOWN");
  EXPECT_EQ(VlanProtocolWord(0x8100), "802.1Q");
  EXPECT_EQ(AddressScopeWord(253), "link");
  EXPECT_EQ(RouteTypeWord(6), "blackhole");
  EXPECT_EQ(TsaWord(0), "strict");
  EXPECT_EQ(TsaWord(255), "vendor");
  EXPECT_EQ(DcbSelectorWord(5), "dscp");
  EXPECT_EQ(RdmaNodeTypeWord(1), "ca");
  EXPECT_EQ(RdmaPortStateWord(4), "ACTIVE");
  EXPECT_EQ(RdmaPhysicalStateWord(5), "LINK_UP");
  EXPECT_EQ(RdmaNetnsModeWord(0), "exclusive");
  EXPECT_EQ(RdmaQpTypeWord(2), "RC");
  EXPECT_EQ(RdmaQpStateWord(6), "ERR");
  EXPECT_EQ(DevlinkHealthWord(1), "error");
  EXPECT_EQ(DevlinkModeWord(1), "driverinit");
  EXPECT_EQ(EswitchModeWord(1), "switchdev");
  EXPECT_EQ(EswitchInlineWord(3), "transport");
  EXPECT_EQ(EswitchEncapWord(1), "basic");
  EXPECT_EQ(VfLinkStateWord(2), "disable");
  EXPECT_EQ(EthtoolExtendedStateWord(4), "No cable");
  EXPECT_EQ(FecWord(50), "RS");
}

TEST(Words, UnknownNumbersAreShown) {
  EXPECT_EQ(OperstateWord(9), "operstate-9");
  EXPECT_EQ(BondModeWord(77), "bond-mode-77");
  EXPECT_EQ(EswitchModeWord(7), "eswitch-mode-7");
  EXPECT_EQ(VfLinkStateWord(3), "vf-link-state-3");
  EXPECT_EQ(TsaWord(3), "tsa-3");
  EXPECT_EQ(DcbSelectorWord(9), "selector-9");
  EXPECT_EQ(VlanProtocolWord(0x9100), "vlan-protocol-0x9100");
  EXPECT_EQ(RdmaPortStateWord(200), "port-state-200");
  EXPECT_EQ(RdmaPhysicalStateWord(8), "physical-state-8");
}

TEST(Words, DcbxBitsAreListedUnknownOnesToo) {
  EXPECT_THAT(DcbxWords(0x09), ElementsAre("host", "ieee"));
  EXPECT_THAT(DcbxWords(0x42), ElementsAre("lld-managed", "dcbx-bit-6"));
  EXPECT_THAT(DcbxWords(0), IsEmpty());
}

TEST(Words, NeighbourStatesAreBits) {
  EXPECT_EQ(NeighbourStateWord(0x02), "REACHABLE");
  EXPECT_EQ(NeighbourStateWord(0x42), "REACHABLE|NOARP");
  EXPECT_EQ(NeighbourStateWord(0), "NONE");
  EXPECT_EQ(NeighbourStateWord(0x100), "neighbour-state-256");
}

TEST(Words, HooksOfArpAndOfNetDevicesCountByThemselves) {
  EXPECT_EQ(NftHookWord(2, 1), "input");
  EXPECT_EQ(NftHookWord(3, 0), "input");
  EXPECT_EQ(NftHookWord(3, 1), "output");
  EXPECT_EQ(NftHookWord(5, 0), "ingress");
}

TEST(Words, GuidIsPrintedMostSignificantFirst) {
  EXPECT_EQ(RdmaGuidText(0xc4f8a4fffe3f7d42), "c4f8:a4ff:fe3f:7d42");
}

}  // namespace
}  // namespace roceready::netlink
