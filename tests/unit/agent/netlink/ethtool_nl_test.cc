// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/ethtool_nl.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EthtoolNetlink : public testing::Test {
 protected:
  void SetUp() override {
    auto family = ResolveGenericFamily(generic_, kEthtoolFamily);
    ASSERT_TRUE(family.ok()) << family.status();
    family_ = *family;
  }
  FakeTransport generic_ = Guest("generic");
  GenericFamily family_;
};

TEST_F(EthtoolNetlink, LinkModesOfAnEthernetDevice) {
  const auto modes = ReadEthtoolLinkModes(generic_, family_, "eth1");
  ASSERT_TRUE(modes.ok()) << modes.status();
  EXPECT_EQ(modes->device.index, 5u);
  EXPECT_EQ(modes->device.name, "eth1");
  EXPECT_EQ(modes->autoneg, true);
  EXPECT_EQ(modes->speed_mbps, 1000u);
  EXPECT_EQ(modes->duplex, 1);
  EXPECT_EQ(modes->lanes, std::nullopt);
}

TEST_F(EthtoolNetlink, LinkModesOfAVirtualDeviceWithAGivenSpeed) {
  const auto modes = ReadEthtoolLinkModes(generic_, family_, "eth0");
  ASSERT_TRUE(modes.ok()) << modes.status();
  EXPECT_EQ(modes->autoneg, false);
  EXPECT_EQ(modes->speed_mbps, 100000u);
}

TEST_F(EthtoolNetlink, DeviceWithoutLinkModesIsUnsupportedAndTheKernelSaysWhy) {
  const auto modes = ReadEthtoolLinkModes(generic_, family_, "dummy0");
  EXPECT_EQ(ErrnoOf(modes.status()), EOPNOTSUPP);
  EXPECT_EQ(KernelTextOf(modes.status()), "failed to retrieve link settings");
}

TEST_F(EthtoolNetlink, LinkStateIsUpOrMissing) {
  const auto up = ReadEthtoolLinkState(generic_, family_, "eth0");
  ASSERT_TRUE(up.ok()) << up.status();
  EXPECT_EQ(up->link, true);
  EXPECT_EQ(up->extended_state, std::nullopt);
  // dummy0 has no way to tell.
  const auto dummy = ReadEthtoolLinkState(generic_, family_, "dummy0");
  ASSERT_TRUE(dummy.ok()) << dummy.status();
  EXPECT_EQ(dummy->link, std::nullopt);
}

TEST_F(EthtoolNetlink, PauseWithStatistics) {
  const auto pause = ReadEthtoolPause(generic_, family_, "eth2");
  ASSERT_TRUE(pause.ok()) << pause.status();
  EXPECT_EQ(pause->autoneg, false);
  EXPECT_EQ(pause->rx, false);
  EXPECT_EQ(pause->tx, false);
  EXPECT_EQ(pause->tx_frames, 2u);
  EXPECT_EQ(pause->rx_frames, 1u);
}

TEST_F(EthtoolNetlink, PauseOnWithoutStatistics) {
  const auto pause = ReadEthtoolPause(generic_, family_, "eth1");
  ASSERT_TRUE(pause.ok()) << pause.status();
  EXPECT_EQ(pause->autoneg, true);
  EXPECT_EQ(pause->rx, true);
  EXPECT_EQ(pause->tx, true);
  EXPECT_EQ(pause->tx_frames, std::nullopt);
  EXPECT_EQ(pause->rx_frames, std::nullopt);
}

TEST_F(EthtoolNetlink, FecOfARecordedDevice) {
  const auto fec = ReadEthtoolFec(generic_, family_, "eth2");
  ASSERT_TRUE(fec.ok()) << fec.status();
  ASSERT_TRUE(fec->configured.has_value());
  // netdevsim configures ETHTOOL_FEC_NONE, which has no link mode bit: an empty set, no active
  // mode.
  EXPECT_THAT(*fec->configured, IsEmpty());
  EXPECT_EQ(fec->automatic, false);
  EXPECT_EQ(fec->active, std::nullopt);
  // The kernel gives empty lists where the driver counts nothing.
  EXPECT_EQ(fec->corrected_blocks, std::nullopt);
}

TEST_F(EthtoolNetlink, CutAnswersAreRefused) {
  const auto cut = [this](const Request& request, auto decode) {
    ExpectCutsAreRefused(Answered(generic_, request).at(0), 4, decode);
  };
  cut(EthtoolLinkModesRequest(family_, "eth1"), &DecodeEthtoolLinkModes);
  cut(EthtoolLinkStateRequest(family_, "eth0"), &DecodeEthtoolLinkState);
  cut(EthtoolPauseRequest(family_, "eth2"), &DecodeEthtoolPause);
  cut(EthtoolFecRequest(family_, "eth2"), &DecodeEthtoolFec);
}

// The header of an answer about device 2, then attributes.
Message About2(std::string_view attributes) {
  return MessageOf(0x14, "00010000 0c000180 08000100 02000000" + std::string(attributes));
}

TEST(EthtoolBytes, UnknownSpeedAndDuplexAreMissingNotNumbers) {
  const auto modes =
      DecodeEthtoolLinkModes(About2("08000500 ffffffff 05000600 ff000000 05000200 ff000000"));
  ASSERT_TRUE(modes.ok()) << modes.status();
  EXPECT_EQ(modes->speed_mbps, std::nullopt);
  EXPECT_EQ(modes->duplex, std::nullopt);
  EXPECT_EQ(modes->autoneg, std::nullopt);
}

TEST(EthtoolBytes, LinkDownWithItsReason) {
  const auto state = DecodeEthtoolLinkState(
      About2("05000200 00000000 05000500 04000000 05000600 01000000 08000700 09000000"));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->link, false);
  EXPECT_EQ(state->extended_state, 4);
  EXPECT_EQ(state->extended_substate, 1);
  EXPECT_EQ(state->down_count, 9u);
}

TEST(EthtoolBytes, FecStatisticsHaveATotalAndLanes) {
  // Composed: ACTIVE RS (50), STATS { CORRECTED total 7, lanes 3 and 4; UNCORR total 1 }.
  const auto fec = DecodeEthtoolFec(About2(
      "08000400 32000000 2c000580"
      "1c000200 0700000000000000 0300000000000000 0400000000000000 0c000300 0100000000000000"));
  ASSERT_TRUE(fec.ok()) << fec.status();
  EXPECT_EQ(fec->active, 50u);
  EXPECT_EQ(fec->configured, std::nullopt);
  ASSERT_TRUE(fec->corrected_blocks.has_value());
  EXPECT_THAT(*fec->corrected_blocks, ElementsAre(7, 3, 4));
  EXPECT_THAT(*fec->uncorrectable_blocks, ElementsAre(1));
  EXPECT_EQ(fec->corrected_bits, std::nullopt);
}

TEST(EthtoolBytes, BitsetsAreReadInBothForms) {
  // Compact: NOMASK, SIZE 93, VALUE with bits 50 and 74.
  const auto compact = DecodeEthtoolFec(
      About2("20000280 04000100 08000200 5d000000 10000400 00000000 00000400 00040000"));
  ASSERT_TRUE(compact.ok()) << compact.status();
  EXPECT_THAT(*compact->configured, ElementsAre(50, 74));
  // Verbose, a list of the bits set: BITS { BIT { INDEX 50, NAME "RS" } }.
  const auto verbose = DecodeEthtoolFec(
      About2("24000280 04000100 08000200 5d000000 14000380 10000180 08000100 32000000 04000200"));
  ASSERT_TRUE(verbose.ok()) << verbose.status();
  EXPECT_THAT(*verbose->configured, ElementsAre(50));
}

TEST(EthtoolBytes, MalformedOnesAreRefused) {
  // No header; a bitset whose value is short, that is far too large, without size; FEC counts of 7
  // bytes; an RX pause of 2.
  EXPECT_FALSE(DecodeEthtoolPause(MessageOf(0x14, "00010000")).ok());
  EXPECT_FALSE(DecodeEthtoolFec(About2("14000280 08000200 5d000000 08000400 00000000")).ok());
  EXPECT_FALSE(DecodeEthtoolFec(About2("14000280 08000200 ffffffff 08000400 00000000")).ok());
  EXPECT_FALSE(DecodeEthtoolFec(About2("0c000280 08000400 00000000")).ok());
  EXPECT_FALSE(DecodeEthtoolFec(About2("10000580 0b000200 07000000000000 00")).ok());
  EXPECT_FALSE(DecodeEthtoolPause(About2("05000300 02000000")).ok());
}

// The attribute of module memory with so many bytes.
Message ModuleOf(size_t bytes) {
  PayloadBuilder builder;
  builder.PutBytes(7, Bytes(bytes, 0x5a));
  Message message = About2("");
  const Bytes memory = builder.Take();
  message.payload.insert(message.payload.end(), memory.begin(), memory.end());
  return message;
}

TEST(EthtoolBytes, ModuleMemoryIsHalfAPageAndNothingElse) {
  const auto memory = DecodeEthtoolModule(ModuleOf(128));
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->device.index, 2u);
  EXPECT_EQ(memory->bytes, std::vector<uint8_t>(128, 0x5a));
  for (const size_t bytes : {0, 1, 127, 129, 256, 4096}) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeEthtoolModule(ModuleOf(bytes)).status())) << bytes;
  }
  EXPECT_TRUE(absl::IsDataLoss(DecodeEthtoolModule(About2("")).status()));
  Message cut = ModuleOf(128);
  cut.payload.pop_back();
  EXPECT_TRUE(absl::IsDataLoss(DecodeEthtoolModule(cut).status()));
}

TEST(EthtoolBytes, AnAnswerAboutAnotherDeviceIsRefused) {
  FakeTransport generic;
  const GenericFamily family{0x14, 1};
  generic.Answer(EthtoolPauseRequest(family, "eth0"),
                 {MessageOf(0x14, "00010000 10000180 09000200 65746831 00000000")});
  EXPECT_EQ(ReadEthtoolPause(generic, family, "eth0").status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace roceready::netlink
