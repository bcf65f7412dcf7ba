// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/version_compare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace roceready {
namespace {

struct Ordered {
  std::string lower;
  std::string higher;
};

class VersionOrder : public ::testing::TestWithParam<Ordered> {};

TEST_P(VersionOrder, HoldsBothWays) {
  const auto& [lower, higher] = GetParam();
  EXPECT_EQ(CompareVersions(lower, higher), std::strong_ordering::less);
  EXPECT_EQ(CompareVersions(higher, lower), std::strong_ordering::greater);
}

INSTANTIATE_TEST_SUITE_P(
    Every, VersionOrder,
    ::testing::Values(Ordered{"2.9", "2.10"}, Ordered{"22.35.1012", "22.35.2000"},
                      Ordered{"22.35.1012 (MT_0000000359)", "22.35.1013 (MT_0000000001)"},
                      Ordered{"28.39", "28.39.1002"}, Ordered{"9.99.99", "10.0"},
                      Ordered{"3.20 0x8000d83e 1.3146.0", "4.40 0x8001c967 1.3534.0"},
                      Ordered{"230.9.0.0/pkg 299.0", "231.0.153.0/pkg 231.1.162.1"},
                      Ordered{"24.10-1.1.4", "24.10-2.0.0"}, Ordered{"1.2", "1.2a"},
                      Ordered{"1.2a", "1.2b"}, Ordered{"1.2b", "1.3"}, Ordered{"0xF", "0x1a"},
                      Ordered{"6.1.0-28-amd64", "6.12.9-1-amd64"},
                      Ordered{"1.99999999999999999999999", "1.100000000000000000000000"}));

struct Same {
  std::string a;
  std::string b;
};

class VersionEquality : public ::testing::TestWithParam<Same> {};

TEST_P(VersionEquality, Holds) {
  EXPECT_EQ(CompareVersions(GetParam().a, GetParam().b), std::strong_ordering::equal);
}

INSTANTIATE_TEST_SUITE_P(Every, VersionEquality,
                         ::testing::Values(Same{"28.39.1002", "28.39.1002 (RR_0000000001)"},
                                           Same{"22.35", "22.35.0"}, Same{"1.02", "1.2"},
                                           Same{" 1.2", "1.2"}, Same{"0xAB", "0xab"}));

rc::Gen<std::string> ArbitraryVersion() {
  return rc::gen::container<std::string>(rc::gen::element('0', '1', '2', '9', '.', '.', '-', 'a'));
}

RC_GTEST_PROP(CompareVersions, OrdersAnyThreeVersionsWithoutContradiction, ()) {
  const std::string a = "1" + *ArbitraryVersion();
  const std::string b = "1" + *ArbitraryVersion();
  const std::string c = "1" + *ArbitraryVersion();

  RC_ASSERT(CompareVersions(a, a) == std::strong_ordering::equal);
  RC_ASSERT((*CompareVersions(a, b) < 0) == (*CompareVersions(b, a) > 0));
  if (*CompareVersions(a, b) <= 0 && *CompareVersions(b, c) <= 0) {
    RC_ASSERT((*CompareVersions(a, c) <= 0));
  }
}

TEST(CompareVersions, IsEmptyWhereNothingCanBeCompared) {
  EXPECT_EQ(CompareVersions("", "1.0"), std::nullopt);
  EXPECT_EQ(CompareVersions("1.0", "N/A"), std::nullopt);
  EXPECT_EQ(CompareVersions("unknown", "unknown"), std::nullopt);
  EXPECT_EQ(CompareVersions("0x10", "10"), std::nullopt);
}

TEST(IsVersion, WantsANumberFirst) {
  EXPECT_TRUE(IsVersion("28.39.1002"));
  EXPECT_FALSE(IsVersion("v28"));
  EXPECT_FALSE(IsVersion("(MT_1)"));
}

}  // namespace
}  // namespace roceready
