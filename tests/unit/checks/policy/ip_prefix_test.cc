// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/ip_prefix.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

IpPrefix Of(std::string_view text) { return IpPrefix::Parse(text).value(); }

TEST(IpPrefix, IsAnAddressWithALength) {
  for (const char* text : {"10.1.0.7", "10.1.0.0/33", "10.1.0/24", "fd00::/129", "10.1.0.0/", "/24",
                           "10.1.0.0/-1", "10.1.0.0/24x", "fd00::g/64", ""}) {
    EXPECT_FALSE(IpPrefix::Parse(text).has_value()) << text;
  }
  EXPECT_EQ(Of("10.1.0.7/24").Text(), "10.1.0.7/24");
  EXPECT_EQ(Of("fd00:77:0:0::1/64").Text(), "fd00:77::1/64");
}

TEST(IpPrefix, HasANetworkAndAnAddress) {
  EXPECT_EQ(Of("10.1.3.7/23").Network(), Of("10.1.2.0/23"));
  EXPECT_EQ(Of("10.1.3.7/0").Network(), Of("0.0.0.0/0"));
  EXPECT_EQ(Of("10.1.3.7/31").Network(), Of("10.1.3.6/31"));
  EXPECT_EQ(Of("fd00:77::ff01/121").Network(), Of("fd00:77::ff00/121"));
  EXPECT_EQ(Of("10.1.3.7/23").Address(), Of("10.1.3.7/32"));
  EXPECT_TRUE(Of("10.1.2.0/23").IsNetwork());
  EXPECT_FALSE(Of("10.1.3.0/23").IsNetwork());
}

TEST(IpPrefix, HoldsWhatIsInsideItsSubnet) {
  EXPECT_TRUE(Of("10.1.0.7/24").Contains(Of("10.1.0.9/32")));
  EXPECT_TRUE(Of("0.0.0.0/0").Contains(Of("10.1.0.9/32")));
  EXPECT_FALSE(Of("10.1.0.7/24").Contains(Of("10.1.1.9/32")));
  EXPECT_FALSE(Of("10.1.0.7/32").Contains(Of("10.1.0.0/24")));
  EXPECT_TRUE(Of("10.1.0.7/32").Overlaps(Of("10.1.0.0/24")));
  EXPECT_FALSE(Of("::/0").Contains(Of("10.1.0.9/32")));
}

TEST(IpPrefix, ComesBeforeWhatIsInsideIt) {
  EXPECT_LT(Of("10.1.0.0/16"), Of("10.1.0.0/24"));
  EXPECT_LT(Of("10.1.0.0/24"), Of("10.1.0.128/25"));
  EXPECT_LT(Of("10.1.0.128/25"), Of("10.1.1.0/24"));
}

}  // namespace
}  // namespace roceready
