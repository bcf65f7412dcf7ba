// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/scalar.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace roceready::yaml {
namespace {

TEST(ParseUnsigned, ReadsDecimalAndHexadecimal) {
  EXPECT_EQ(ParseUnsigned("0"), 0u);
  EXPECT_EQ(ParseUnsigned("26"), 26u);
  EXPECT_EQ(ParseUnsigned("0x6a"), 106u);
  EXPECT_EQ(ParseUnsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(ParseUnsigned, RefusesWhatReadersTakeDifferently) {
  for (const char* text : {"", "-1", "+1", "010", "1_000", "1,000", " 1", "1 ", "0x", "0xg", "0x-1",
                           "1e3", "1.0", "18446744073709551616", "0o17", "0b1"}) {
    EXPECT_EQ(ParseUnsigned(text), std::nullopt) << text;
  }
}

TEST(ParseSigned, KnowsItsBounds) {
  EXPECT_EQ(ParseSigned("-5"), -5);
  EXPECT_EQ(ParseSigned("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ParseSigned("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseSigned("--5"), std::nullopt);
  EXPECT_EQ(ParseSigned("-"), std::nullopt);
}

TEST(ParseDouble, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(ParseDouble("0.5"), 0.5);
  for (const char* text : {"", "inf", "nan", "-nan", "1e999", "0.5x", ".inf"}) {
    EXPECT_EQ(ParseDouble(text), std::nullopt) << text;
  }
}

TEST(ParseBool, KnowsTwoWordsOnly) {
  EXPECT_EQ(ParseBool("true"), true);
  EXPECT_EQ(ParseBool("false"), false);
  for (const char* text : {"yes", "no", "on", "off", "True", "1", ""}) {
    EXPECT_EQ(ParseBool(text), std::nullopt) << text;
  }
}

std::string Duration(std::string_view text) {
  const auto duration = ParseDuration(text);
  if (!duration) return "none";
  return std::to_string(duration->seconds()) + "+" + std::to_string(duration->nanos());
}

TEST(ParseDuration, ReadsANumberWithItsUnit) {
  EXPECT_EQ(Duration("90s"), "90+0");
  EXPECT_EQ(Duration("500ms"), "0+500000000");
  EXPECT_EQ(Duration("55us"), "0+55000");
  EXPECT_EQ(Duration("2m"), "120+0");
  EXPECT_EQ(Duration("1.5h"), "5400+0");
  EXPECT_EQ(Duration("0.000000001s"), "0+1");
  EXPECT_EQ(Duration("0s"), "0+0");
}

TEST(ParseDuration, RefusesOtherForms) {
  for (const char* text :
       {"", "90", "s", "-1s", "1 s", "1h30m", "1d", "1.s", ".5s", "1.5.2s", "90S", "0.0000000001s",
        "0.0001us", "999999999999999999999s", "01s", "18446744073709551615h", "315576000001s"}) {
    EXPECT_EQ(Duration(text), "none") << text;
  }
  EXPECT_EQ(Duration("315576000000s"), "315576000000+0");
}

std::string Timestamp(std::string_view text) {
  const auto time = ParseTimestamp(text);
  if (!time) return "none";
  return std::to_string(time->seconds()) + "+" + std::to_string(time->nanos());
}

TEST(ParseTimestamp, ReadsADateAsItsFirstMomentInUtc) {
  EXPECT_EQ(Timestamp("1970-01-02"), "86400+0");
  EXPECT_EQ(Timestamp("2024-02-29"), "1709164800+0");
}

TEST(ParseTimestamp, ReadsRfc3339WithItsZone) {
  EXPECT_EQ(Timestamp("1970-01-01T00:00:01Z"), "1+0");
  EXPECT_EQ(Timestamp("1970-01-01T01:00:00.25+01:00"), "0+250000000");
  EXPECT_EQ(Timestamp("1970-01-01T00:00:00-02:30"), "9000+0");
}

TEST(ParseTimestamp, RefusesWhatIsNoSuchDate) {
  for (const char* text : {"",
                           "2026",
                           "2026-12",
                           "2026-13-01",
                           "2026-02-29",
                           "2026-1-1",
                           "12-15-2026",
                           "0000-01-01",
                           "2026-12-15T10:00",
                           "2026-12-15T10:00:00",
                           "2026-12-15 10:00:00Z",
                           "2026-12-15T24:00:00Z",
                           "2026-12-15T10:60:00Z",
                           "2026-12-15T10:00:60Z",
                           "2026-12-15T10:00:00Zx",
                           "2026-12-15T10:00:00+24:00",
                           "2026-12-15T10:00:00.Z",
                           "2026-12-15T10:00:00.0123456789Z",
                           "9999-12-31T23:59:59-01:00",
                           "0001-01-01T00:00:00+01:00",
                           "2026-12-15T"}) {
    EXPECT_EQ(Timestamp(text), "none") << text;
  }
}

}  // namespace
}  // namespace roceready::yaml
