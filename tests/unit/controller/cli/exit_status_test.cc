// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/exit_status.h"

#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

v1::Verdict VerdictOf(v1::Readiness readiness, uint32_t degrading, uint32_t advice) {
  v1::Verdict verdict;
  verdict.set_readiness(readiness);
  verdict.set_degrading(degrading);
  verdict.set_advice(advice);
  return verdict;
}

TEST(ExitStatus, FollowsTheVerdict) {
  EXPECT_EQ(StatusOfVerdict(VerdictOf(v1::READINESS_READY, 0, 0), FailOn::kBlocks), 0);
  EXPECT_EQ(StatusOfVerdict(VerdictOf(v1::READINESS_NOT_READY, 0, 0), FailOn::kBlocks), 2);
  EXPECT_EQ(StatusOfVerdict(VerdictOf(v1::READINESS_UNDETERMINED, 0, 0), FailOn::kBlocks), 3);
  EXPECT_EQ(StatusOfVerdict(v1::Verdict(), FailOn::kBlocks), 3);
}

TEST(ExitStatus, LesserFindingsCountOnlyWhereAskedFor) {
  const v1::Verdict degraded = VerdictOf(v1::READINESS_READY, 1, 0);
  const v1::Verdict advised = VerdictOf(v1::READINESS_READY, 0, 1);

  EXPECT_EQ(StatusOfVerdict(degraded, FailOn::kBlocks), 0);
  EXPECT_EQ(StatusOfVerdict(degraded, FailOn::kDegrades), 1);
  EXPECT_EQ(StatusOfVerdict(degraded, FailOn::kAdvice), 1);
  EXPECT_EQ(StatusOfVerdict(advised, FailOn::kDegrades), 0);
  EXPECT_EQ(StatusOfVerdict(advised, FailOn::kAdvice), 1);
}

TEST(ExitStatus, FailedRequestsHaveNumbersOfTheirOwn) {
  EXPECT_EQ(StatusOfError(InvalidArgument("gpu[1-")), 64);
  EXPECT_EQ(StatusOfError(Unavailable("nobody there")), 69);
  EXPECT_EQ(StatusOfError(DeadlineExceeded("slow")), 69);
  EXPECT_EQ(StatusOfError(PermissionDenied("viewer")), 77);
  EXPECT_EQ(StatusOfError(FailedPrecondition("no tls:")), 78);
  EXPECT_EQ(StatusOfError(Internal("oops")), 70);
}

}  // namespace
}  // namespace roceready::cli
