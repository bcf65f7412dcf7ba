// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/ethtool_ioctl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>

#include <cerrno>
#include <cstring>

#include "tests/support/fake_netlink.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Device = FakeEthtoolControl::Device;

Bytes StringsAnswer(uint32_t claimed, const std::vector<std::string>& rows) {
  Bytes answer(sizeof(ethtool_gstrings) + rows.size() * ETH_GSTRING_LEN);
  const ethtool_gstrings header{.cmd = ETHTOOL_GSTRINGS, .string_set = 1, .len = claimed};
  std::memcpy(answer.data(), &header, sizeof(header));
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(answer.data() + sizeof(header) + i * ETH_GSTRING_LEN, rows[i].data(),
                std::min<size_t>(rows[i].size(), ETH_GSTRING_LEN));
  }
  return answer;
}

TEST(EthtoolIoctl, DriverInfoTextsLoseTheirTrailingBlanks) {
  FakeEthtoolControl control;
  // netdevsim on kernel 6.1 gives its firmware version with a blank behind it.
  const EthtoolDriverInfo told{"netdevsim", "6.1.0-57-amd64", "10.20.30 ", "netdevsim7"};
  control.Add("eth0", {.driver = told});
  const auto info = ReadEthtoolDriverInfo(control, "eth0");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(*info, (EthtoolDriverInfo{"netdevsim", "6.1.0-57-amd64", "10.20.30", "netdevsim7"}));
}

TEST(EthtoolIoctl, ErrnoOfTheKernelStays) {
  FakeEthtoolControl control;
  control.Add("lo", {.error = EOPNOTSUPP});
  EXPECT_EQ(ErrnoOf(ReadEthtoolDriverInfo(control, "lo").status()), EOPNOTSUPP);
  EXPECT_EQ(ReadEthtoolDriverInfo(control, "none").status().code(), absl::StatusCode::kNotFound);
}

TEST(EthtoolIoctl, StatisticsPairNamesAndValues) {
  FakeEthtoolControl control;
  control.Add("eth0", {.statistics = {{{"rx_prio3_pause", 11}, {"Nak Sequence Error", 22}}}});
  const auto statistics = ReadEthtoolStatistics(control, "eth0");
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_THAT(*statistics, ElementsAre(EthtoolStatistic{"rx_prio3_pause", 11},
                                       EthtoolStatistic{"Nak Sequence Error", 22}));
}

TEST(EthtoolIoctl, ASetThatChangesWhileReadIsReadAgain) {
  FakeEthtoolControl control;
  const std::vector<EthtoolStatistic> before = {{"rx_bytes", 1}, {"rx_prio3_pause", 2}};
  const std::vector<EthtoolStatistic> after = {{"rx_bytes", 3}, {"rx_prio4_pause", 4}};
  control.Add("eth0", {.statistics = {before, after, after}});
  const auto statistics = ReadEthtoolStatistics(control, "eth0");
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(*statistics, after);
}

TEST(EthtoolIoctl, ASetThatShrinksOrGrowsWhileReadIsReadAgain) {
  const std::vector<EthtoolStatistic> small = {{"rx_bytes", 1}};
  const std::vector<EthtoolStatistic> large = {{"rx_prio3_pause", 2}, {"rx_bytes", 1}};
  for (const auto& [first, second] : {std::pair(small, large), std::pair(large, small)}) {
    FakeEthtoolControl control;
    control.Add("eth0", {.statistics = {first, second, second}});
    const auto statistics = ReadEthtoolStatistics(control, "eth0");
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    EXPECT_EQ(*statistics, second);
  }
}

TEST(EthtoolIoctl, ASetThatNeverRestsIsUnavailable) {
  FakeEthtoolControl control;
  control.Add("eth0", {.statistics = {{{"a", 1}}, {{"b", 1}}, {{"c", 1}}, {{"d", 1}}}});
  EXPECT_EQ(ReadEthtoolStatistics(control, "eth0").status().code(), absl::StatusCode::kUnavailable);
}

TEST(EthtoolIoctl, ADriverWithoutStatisticsIsUnsupportedNotEmpty) {
  FakeEthtoolControl control;
  control.Add("eth0", Device{});
  const auto statistics = ReadEthtoolStatistics(control, "eth0");
  EXPECT_EQ(statistics.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ErrnoOf(statistics.status()), EOPNOTSUPP);
}

TEST(EthtoolIoctl, NamesKeepInnerBlanksAndMayFillTheirField) {
  const std::string full(ETH_GSTRING_LEN, 'x');
  const auto names = DecodeEthtoolStrings(StringsAnswer(3, {"CRC errors  ", full, ""}));
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("CRC errors", full, ""));
}

TEST(EthtoolIoctl, AnswersShorterThanTheyClaimAreRefused) {
  EXPECT_EQ(DecodeEthtoolStrings(StringsAnswer(2, {"one"})).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodeEthtoolStrings(StringsAnswer(0xffffffff, {"one"})).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_FALSE(DecodeEthtoolStrings({}).ok());
  EXPECT_FALSE(DecodeEthtoolDriverInfo(Bytes(195)).ok());
  // ETHTOOL_GSTATS claims 2, holds 1.
  const Bytes values = *BytesOfHex("1d000000 02000000 0100000000000000");
  EXPECT_FALSE(DecodeEthtoolValues(values).ok());
  EXPECT_THAT(*DecodeEthtoolValues(*BytesOfHex("1d000000 00000000")), IsEmpty());
  EXPECT_THAT(*DecodeEthtoolValues(*BytesOfHex("1d000000 01000000 efbeadde00000080")),
              ElementsAre(0x80000000deadbeefu));
}

TEST(EthtoolIoctl, PermanentAddressOfAllZerosIsNone) {
  FakeEthtoolControl control;
  control.Add("eth0", {.permanent_address = {0x52, 0x54, 0, 0xcc, 0, 1}});
  control.Add("dummy0", Device{});
  EXPECT_THAT(*ReadEthtoolPermanentAddress(control, "eth0"),
              ElementsAre(0x52, 0x54, 0, 0xcc, 0, 1));
  EXPECT_EQ(ReadEthtoolPermanentAddress(control, "dummy0").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(EthtoolIoctl, TheKernelRefusesTooLongAndUnknownNames) {
  const auto control = OpenEthtoolControl();
  ASSERT_TRUE(control.ok()) << control.status();
  EXPECT_EQ(ReadEthtoolDriverInfo(**control, "a-name-longer-than-15").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrnoOf(ReadEthtoolDriverInfo(**control, "no-such-dev").status()), ENODEV);
}

}  // namespace
}  // namespace roceready::netlink
