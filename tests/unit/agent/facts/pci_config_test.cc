// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/pci_config.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace roceready::facts {
namespace {

void Put16(std::string* space, size_t offset, uint16_t value) {
  (*space)[offset] = static_cast<char>(value & 0xff);
  (*space)[offset + 1] = static_cast<char>(value >> 8);
}

// A PCI Express function: power management at 0x40, then the Express capability at 0x60.
std::string ExpressSpace(size_t size = 4096) {
  std::string space(size, '\0');
  Put16(&space, 0x00, 0x15b3);
  Put16(&space, 0x06, 0x0010);
  space[0x34] = 0x40;
  Put16(&space, 0x40, 0x6001);
  Put16(&space, 0x60, 0x0010);
  // Payload 512 (2), relaxed ordering, read request 4096 (5).
  Put16(&space, 0x68, 2 << 5 | 0x10 | 5 << 12);
  return space;
}

TEST(PciConfig, ReadsDeviceControlBehindOtherCapabilities) {
  const auto config = DecodePciConfig(ExpressSpace());
  ASSERT_TRUE(config.ok()) << config.status().ToString();
  EXPECT_EQ(config->max_payload_bytes, 512u);
  EXPECT_EQ(config->max_read_request_bytes, 4096u);
  EXPECT_EQ(config->relaxed_ordering, true);
  EXPECT_FALSE(config->acs_control.has_value());
}

TEST(PciConfig, FindsAccessControlBehindOtherExtendedCapabilities) {
  std::string space = ExpressSpace();
  // Advanced error reporting at 0x100, then ACS at 0x148: request and completion redirect.
  Put16(&space, 0x100, 0x0001);
  Put16(&space, 0x102, 0x1482);
  Put16(&space, 0x148, 0x000d);
  Put16(&space, 0x14a, 0x0001);
  Put16(&space, 0x14e, 0x001d);
  const auto config = DecodePciConfig(space);
  ASSERT_TRUE(config.ok()) << config.status().ToString();
  EXPECT_EQ(config->acs_control, 0x1d);
}

TEST(PciConfig, TheFirst64BytesAreADenialAndNotAnAnswer) {
  EXPECT_EQ(ErrnoOf(DecodePciConfig(ExpressSpace().substr(0, 64)).status()), EACCES);
}

TEST(PciConfig, AFunctionThatFellOffTheBusAnswersOnes) {
  EXPECT_EQ(ErrnoOf(DecodePciConfig(std::string(4096, '\xff')).status()), ENODEV);
  EXPECT_EQ(ErrnoOf(DecodePciConfig(std::string(64, '\xff')).status()), ENODEV);
}

TEST(PciConfig, WithoutExtendedSpaceAccessControlIsNotKnown) {
  const auto config = DecodePciConfig(ExpressSpace(256));
  ASSERT_TRUE(config.ok()) << config.status().ToString();
  EXPECT_EQ(config->max_read_request_bytes, 4096u);
  EXPECT_FALSE(config->acs_control.has_value());
  EXPECT_FALSE(config->extended_space);
  EXPECT_TRUE(DecodePciConfig(ExpressSpace())->extended_space);
}

TEST(PciConfig, AConventionalFunctionHasNothingOfThis) {
  const auto config = DecodePciConfig(std::string(256, '\0'));
  ASSERT_TRUE(config.ok()) << config.status().ToString();
  EXPECT_FALSE(config->max_payload_bytes.has_value());
  EXPECT_TRUE(config->extended_space);
}

TEST(PciConfig, ListsThatRunInACircleOrOutOfTheSpaceAreRefused) {
  std::string circle = ExpressSpace();
  Put16(&circle, 0x40, 0x4001);
  EXPECT_TRUE(absl::IsDataLoss(DecodePciConfig(circle).status()));

  std::string into_header = ExpressSpace();
  Put16(&into_header, 0x40, 0x0401);
  EXPECT_TRUE(absl::IsDataLoss(DecodePciConfig(into_header).status()));

  std::string extended = ExpressSpace();
  Put16(&extended, 0x100, 0x0001);
  Put16(&extended, 0x102, 0x1001);
  EXPECT_TRUE(absl::IsDataLoss(DecodePciConfig(extended).status()));

  EXPECT_TRUE(absl::IsDataLoss(DecodePciConfig(ExpressSpace().substr(0, 100)).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodePciConfig("").status()));
}

// Wherever it is cut: refused, or what was there to be read, never another value.
TEST(PciConfig, EveryCutIsRefusedOrLeavesOutWhatIsBehindIt) {
  std::string whole = ExpressSpace();
  Put16(&whole, 0x100, 0x000d);
  Put16(&whole, 0x102, 0x0001);
  Put16(&whole, 0x106, 0x001d);
  ASSERT_EQ(DecodePciConfig(whole)->acs_control, 0x1d);
  for (size_t size = 0; size <= whole.size(); ++size) {
    const auto config = DecodePciConfig(std::string_view(whole).substr(0, size));
    if (size < 256 || (size > 256 && size < 0x108)) {
      EXPECT_FALSE(config.ok()) << size;
      continue;
    }
    ASSERT_TRUE(config.ok()) << size;
    EXPECT_EQ(config->max_read_request_bytes, 4096u) << size;
    EXPECT_EQ(config->acs_control.has_value(), size > 256) << size;
  }
}

TEST(PciConfig, ReservedSizesAreAbsent) {
  std::string space = ExpressSpace();
  Put16(&space, 0x68, 7 << 5 | 6 << 12);
  const auto config = DecodePciConfig(space);
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(config->max_payload_bytes.has_value());
  EXPECT_FALSE(config->max_read_request_bytes.has_value());
  EXPECT_EQ(config->relaxed_ordering, false);
}

}  // namespace
}  // namespace roceready::facts
