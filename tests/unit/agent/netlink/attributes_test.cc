// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/attributes.h"

#include <gtest/gtest.h>

#include "tests/support/fake_netlink.h"

namespace roceready::netlink {
namespace {

class AttributesTest : public testing::Test {
 protected:
  Attributes Parse(std::string_view hex) {
    bytes_ = *BytesOfHex(hex);
    return Attributes(bytes_, "thing", malformed_);
  }
  std::string Error() const { return std::string(roceready::Message(malformed_)); }

  Bytes bytes_;
  absl::Status malformed_;
};

TEST_F(AttributesTest, MissingIsNeitherAValueNorAnError) {
  Attributes attributes = Parse("0800 0100 2a000000");
  EXPECT_EQ(attributes.U32(1), 42u);
  EXPECT_EQ(attributes.U32(2), std::nullopt);
  EXPECT_EQ(attributes.String(3), std::nullopt);
  EXPECT_FALSE(attributes.Nest(4, "nest").has_value());
  EXPECT_FALSE(attributes.Flag(5));
  EXPECT_TRUE(malformed_.ok());
}

TEST_F(AttributesTest, TypeIsReadWithoutItsFlagBits) {
  // NLA_F_NESTED and NLA_F_NET_BYTEORDER.
  EXPECT_EQ(Parse("0800 0180 2a000000").U32(1), 42u);
  EXPECT_EQ(Parse("0800 0140 2a000000").U32(1), 42u);
}

TEST_F(AttributesTest, PaddingIsSkippedAndMayBeMissingAtTheEnd) {
  Attributes attributes = Parse("0500 0100 07 000000  0500 0200 09");
  EXPECT_EQ(attributes.U8(1), 7);
  EXPECT_EQ(attributes.U8(2), 9);
  EXPECT_TRUE(malformed_.ok());
}

TEST_F(AttributesTest, CutAttributeIsRefused) {
  Parse("0800 0100 2a0000");
  EXPECT_EQ(Error(), "thing: attribute 1 says 8 bytes where 7 are left");
}

TEST_F(AttributesTest, CutHeaderIsRefused) {
  Parse("0400 0100 0400");
  EXPECT_EQ(Error(), "thing: ends in 2 bytes, too few for an attribute");
}

TEST_F(AttributesTest, LengthBelowTheHeaderIsRefused) {
  Parse("0300 0100");
  EXPECT_EQ(Error(), "thing: attribute 1 says 3 bytes where 4 are left");
}

TEST_F(AttributesTest, NumberOfAnotherSizeIsRefusedAndGivesNoValue) {
  EXPECT_EQ(Parse("0500 0100 07 000000").U32(1), std::nullopt);
  EXPECT_EQ(Error(), "thing: attribute 1 has 1 bytes, not 4");
  malformed_ = absl::OkStatus();
  EXPECT_EQ(Parse("0c00 0100 0700000000000000").U32(1), std::nullopt);
  EXPECT_FALSE(malformed_.ok());
}

TEST_F(AttributesTest, TwoOfASingleValueAreRefused) {
  EXPECT_EQ(Parse("0500 0100 07 000000 0500 0100 08 000000").U8(1), std::nullopt);
  EXPECT_EQ(Error(), "thing: attribute 1 comes twice");
}

TEST_F(AttributesTest, TheFirstErrorStays) {
  Attributes attributes = Parse("0500 0100 07 000000 0500 0200 08 000000");
  attributes.U16(1);
  attributes.U32(2);
  EXPECT_EQ(Error(), "thing: attribute 1 has 1 bytes, not 2");
}

TEST_F(AttributesTest, StringEndsAtItsTerminator) {
  EXPECT_EQ(Parse("0700 0100 6c6f00 00").String(1), "lo");
  EXPECT_EQ(Parse("0600 0100 6c6f").String(1), "lo");
  EXPECT_EQ(Parse("0800 0100 6c6f0000").String(1), "lo");
  EXPECT_EQ(Parse("0400 0100").String(1), "");
  EXPECT_TRUE(malformed_.ok());
  EXPECT_EQ(Parse("0800 0100 6c006f00").String(1), std::nullopt);
  EXPECT_EQ(Error(), "thing: attribute 1 has bytes after its terminator");
}

TEST_F(AttributesTest, TruthIsZeroOrOne) {
  EXPECT_EQ(Parse("0500 0100 00 000000").Bool(1), false);
  EXPECT_EQ(Parse("0500 0100 01 000000").Bool(1), true);
  EXPECT_TRUE(malformed_.ok());
  EXPECT_EQ(Parse("0500 0100 02 000000").Bool(1), std::nullopt);
  EXPECT_FALSE(malformed_.ok());
}

TEST_F(AttributesTest, FlagWithContentIsRefused) {
  EXPECT_TRUE(Parse("0400 0100").Flag(1));
  EXPECT_TRUE(malformed_.ok());
  EXPECT_FALSE(Parse("0500 0100 01 000000").Flag(1));
  EXPECT_FALSE(malformed_.ok());
}

TEST_F(AttributesTest, BigEndianNumberIsTurned) {
  EXPECT_EQ(Parse("0600 0100 8100 0000").BigEndian16(1), 0x8100);
}

TEST_F(AttributesTest, NestLongerThanItsParentIsRefusedByTheParent) {
  Attributes attributes = Parse("0c00 0180 0900 0200 07 000000");
  auto nest = attributes.Nest(1, "nest");
  ASSERT_TRUE(nest.has_value());
  EXPECT_EQ(Error(), "nest: attribute 2 says 9 bytes where 8 are left");
}

TEST(PayloadBuilderTest, PadsEachAttributeAndMarksNests) {
  PayloadBuilder inner;
  inner.PutU8(1, 7).PutString(2, "lo");
  PayloadBuilder outer;
  outer.PutHeader(std::array<uint8_t, 4>{1, 2, 3, 4}).PutU32(5, 0x01020304).PutNest(6, inner);
  EXPECT_EQ(HexOfBytes(outer.Take()),
            "01020304"
            "0800050004030201"
            "14000680"
            "0500010007000000"
            "070002006c6f0000");
}

}  // namespace
}  // namespace roceready::netlink
