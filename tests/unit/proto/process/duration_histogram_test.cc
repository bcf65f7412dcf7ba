// SPDX-License-Identifier: Apache-2.0
#include "proto/process/duration_histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

TEST(DurationHistogram, CountsBetweenItsBounds) {
  DurationHistogram histogram({milliseconds(10), milliseconds(20)});
  EXPECT_THAT(histogram.counts(), ElementsAre(0, 0, 0));
  for (const int took : {0, 10, 11, 20, 21, 1000}) histogram.Add(milliseconds(took));
  EXPECT_THAT(histogram.counts(), ElementsAre(2, 2, 2));
  EXPECT_EQ(histogram.sum(), milliseconds(1062));
}

TEST(DurationHistogram, ATimeThatRanBackwardsIsNone) {
  DurationHistogram histogram({milliseconds(10)});
  histogram.Add(-milliseconds(5));
  EXPECT_THAT(histogram.counts(), ElementsAre(1, 0));
  EXPECT_EQ(histogram.sum(), Duration::zero());
}

}  // namespace
}  // namespace roceready
