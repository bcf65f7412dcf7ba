// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/host_name.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(HostName, ANameWithoutADomainIsTheShortNameOfAnotherOne) {
  EXPECT_EQ(ShortHostName("gpu017.lab.example"), "gpu017");
  EXPECT_EQ(ShortHostName("gpu017"), "gpu017");
  EXPECT_TRUE(MayBeSameHost("gpu017", "gpu017"));
  EXPECT_TRUE(MayBeSameHost("gpu017", "gpu017.lab.example"));
  EXPECT_TRUE(MayBeSameHost("gpu017.lab.example", "gpu017"));
  EXPECT_TRUE(MayBeSameHost("gpu017.lab.example", "gpu017.lab.example"));
}

TEST(HostName, TwoDomainsAreTwoHosts) {
  EXPECT_FALSE(MayBeSameHost("gpu017.lab.example", "gpu017.hall2.example"));
  EXPECT_FALSE(MayBeSameHost("gpu017.lab.example", "gpu017.lab"));
  EXPECT_FALSE(MayBeSameHost("gpu017", "gpu0170.lab.example"));
  EXPECT_FALSE(MayBeSameHost("gpu01", "gpu017"));
}

}  // namespace
}  // namespace roceready
