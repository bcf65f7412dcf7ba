// SPDX-License-Identifier: Apache-2.0
#include "proto/process/refusals.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(RefusalLimit, LetsAFewThroughInEachSpanAndCountsTheRest) {
  RefusalLimit limit;
  MonotonicTime now{std::chrono::hours(1)};
  for (int i = 0; i < RefusalLimit::kAtOnce; ++i) EXPECT_TRUE(limit.Next(now).log);
  EXPECT_FALSE(limit.Next(now).log);
  EXPECT_FALSE(limit.Next(now + RefusalLimit::kSpan / 2).log);

  const RefusalLimit::Verdict next = limit.Next(now + RefusalLimit::kSpan);
  EXPECT_TRUE(next.log);
  EXPECT_EQ(next.passed_over, 2);
  EXPECT_EQ(limit.Next(now + RefusalLimit::kSpan).passed_over, 0);
}

}  // namespace
}  // namespace roceready
