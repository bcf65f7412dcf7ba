// SPDX-License-Identifier: Apache-2.0
#include "proto/process/exit_status.h"

#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

v1::Verdict VerdictOf(v1::Readiness readiness, uint32_t degrading, uint32_t advice) {
  v1::Verdict verdict;
  verdict.set_readiness(readiness);
  verdict.set_degrading(degrading);
  verdict.set_advice(advice);
  return verdict;
}

TEST(ExitStatus, FollowsTheVerdict) {
  EXPECT_EQ(ExitStatusOfVerdict(VerdictOf(v1::READINESS_READY, 0, 0), FailOn::kBlocks), 0);
  EXPECT_EQ(ExitStatusOfVerdict(VerdictOf(v1::READINESS_NOT_READY, 0, 0), FailOn::kBlocks), 2);
  EXPECT_EQ(ExitStatusOfVerdict(VerdictOf(v1::READINESS_UNDETERMINED, 0, 0), FailOn::kBlocks), 3);
  EXPECT_EQ(ExitStatusOfVerdict(v1::Verdict(), FailOn::kBlocks), 3);
}

TEST(ExitStatus, LesserFindingsCountOnlyWhereAskedFor) {
  const v1::Verdict degraded = VerdictOf(v1::READINESS_READY, 1, 0);
  const v1::Verdict advised = VerdictOf(v1::READINESS_READY, 0, 1);

  EXPECT_EQ(ExitStatusOfVerdict(degraded, FailOn::kBlocks), 0);
  EXPECT_EQ(ExitStatusOfVerdict(degraded, FailOn::kDegrades), 1);
  EXPECT_EQ(ExitStatusOfVerdict(degraded, FailOn::kAdvice), 1);
  EXPECT_EQ(ExitStatusOfVerdict(advised, FailOn::kDegrades), 0);
  EXPECT_EQ(ExitStatusOfVerdict(advised, FailOn::kAdvice), 1);
}

TEST(ExitStatus, FailedRequestsHaveNumbersOfTheirOwn) {
  EXPECT_EQ(ExitStatusOfRequest(InvalidArgument("gpu[1-")), 64);
  EXPECT_EQ(ExitStatusOfRequest(Unimplemented("a plan of kind incast")), 64);
  EXPECT_EQ(ExitStatusOfRequest(Unavailable("nobody there")), 69);
  EXPECT_EQ(ExitStatusOfRequest(DeadlineExceeded("slow")), 69);
  EXPECT_EQ(ExitStatusOfRequest(PermissionDenied("viewer")), 77);
  EXPECT_EQ(ExitStatusOfRequest(FailedPrecondition("no tls:")), 78);
  EXPECT_EQ(ExitStatusOfRequest(Internal("oops")), 70);
  EXPECT_EQ(ExitStatusOfRequest(MakeError(absl::StatusCode::kResourceExhausted, "busy")), 69);
}

TEST(ExitStatus, WhatAFileGotWrongIsItsConfigurations) {
  EXPECT_EQ(ExitStatusOfStart(absl::OkStatus()), 0);
  EXPECT_EQ(ExitStatusOfStart(InvalidArgument("agent.yaml:1:1")), 78);
  EXPECT_EQ(ExitStatusOfStart(NotFound("agent.yaml")), 78);
  EXPECT_EQ(ExitStatusOfStart(Unavailable("the address is in use")), 69);
  EXPECT_EQ(ExitStatusOfStart(MakeError(absl::StatusCode::kUnauthenticated, "expired")), 77);
}

}  // namespace
}  // namespace roceready
