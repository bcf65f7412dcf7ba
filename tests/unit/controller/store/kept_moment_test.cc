// SPDX-License-Identifier: Apache-2.0
#include "controller/store/kept_moment.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;

KeptMoment At(Duration wall, const std::string& boot, Duration monotonic) {
  return {WallTime(hours(500'000) + wall), boot, MonotonicTime(monotonic)};
}

TEST(KeptMoment, IsAsOldAsTheClocksAgree) {
  EXPECT_EQ(AgeOf(At(minutes(0), "b", hours(1)), At(minutes(5), "b", hours(1) + minutes(5))),
            minutes(5));
}

TEST(KeptMoment, AClockThatWasSetBackWithinABootMakesNothingYounger) {
  const KeptMoment then = At(minutes(0), "b", hours(1));
  EXPECT_EQ(AgeOf(then, At(-hours(2), "b", hours(1) + minutes(5))), minutes(5));
  EXPECT_EQ(AgeOf(then, At(minutes(1), "b", hours(1) + minutes(5))), minutes(5));
}

TEST(KeptMoment, AClockThatWasSetForwardMakesItOlder) {
  EXPECT_EQ(AgeOf(At(minutes(0), "b", hours(1)), At(hours(3), "b", hours(1) + minutes(5))),
            hours(3));
}

TEST(KeptMoment, OverABootTheWallClockCounts) {
  EXPECT_EQ(AgeOf(At(minutes(0), "b", hours(9)), At(minutes(7), "c", seconds(30))), minutes(7));
}

TEST(KeptMoment, OfTheFutureOverABootNobodyKnowsTheAge) {
  EXPECT_EQ(AgeOf(At(minutes(0), "b", hours(9)), At(-seconds(1), "c", hours(10))), kAgeUnknown);
  EXPECT_EQ(AgeOf(At(minutes(0), "", hours(9)), At(-seconds(1), "", hours(10))), kAgeUnknown);
  // Another monotonic clock in the same boot, as a container may have.
  EXPECT_EQ(AgeOf(At(minutes(0), "b", hours(9)), At(-seconds(1), "b", hours(1))), kAgeUnknown);
}

TEST(KeptMoment, WhatIsVeryOldIsNotUnknown) {
  EXPECT_EQ(AgeOf({}, At(minutes(0), "b", hours(1))), kAgeUnknown - seconds(1));
}

TEST(KeptMoment, ThisMachineHasABoot) {
  EXPECT_EQ(ThisBoot().size(), 36u);
  EXPECT_EQ(ThisBoot(), ThisBoot());
}

}  // namespace
}  // namespace roceready
