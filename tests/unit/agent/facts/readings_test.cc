// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/readings.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace roceready::facts {
namespace {

v1::Outcome OutcomeOfErrno(int error) {
  return ReadingOf(ErrnoError(error, "x"), v1::SOURCE_SYSFS).outcome();
}

TEST(Readings, TellUnsupportedDeniedAbsentAndFailedApart) {
  EXPECT_EQ(OutcomeOfErrno(EOPNOTSUPP), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(OutcomeOfErrno(EPROTONOSUPPORT), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(OutcomeOfErrno(EACCES), v1::OUTCOME_DENIED);
  EXPECT_EQ(OutcomeOfErrno(EPERM), v1::OUTCOME_DENIED);
  EXPECT_EQ(OutcomeOfErrno(ENOENT), v1::OUTCOME_ABSENT);
  EXPECT_EQ(OutcomeOfErrno(ENODEV), v1::OUTCOME_ABSENT);
  EXPECT_EQ(OutcomeOfErrno(EIO), v1::OUTCOME_FAILED);
  EXPECT_EQ(OutcomeOfErrno(EINVAL), v1::OUTCOME_FAILED);
}

TEST(Readings, AFirmwareCommandThatTimedOutIsAFailureAndNotAHang) {
  EXPECT_EQ(OutcomeOfErrno(ETIMEDOUT), v1::OUTCOME_FAILED);
  EXPECT_EQ(ReadingOf(DeadlineExceeded("no answer"), v1::SOURCE_DCBNL).outcome(),
            v1::OUTCOME_TIMED_OUT);
}

TEST(Readings, MalformedAnswersAreFailures) {
  EXPECT_EQ(ReadingOf(DataLoss("cut"), v1::SOURCE_DCBNL).outcome(), v1::OUTCOME_FAILED);
}

TEST(Readings, SayWhatWouldUnlockOnlyWhereDenied) {
  const v1::Reading denied = ReadingOf(ErrnoError(EACCES, "x"), v1::SOURCE_DEBUGFS, "root");
  EXPECT_EQ(denied.needs(), "root");
  EXPECT_EQ(denied.error(), EACCES);
  EXPECT_EQ(ReadingOf(ErrnoError(ENOENT, "x"), v1::SOURCE_DEBUGFS, "root").needs(), "");
}

TEST(Readings, ADenialAlwaysSaysWhatWouldUnlockIt) {
  const absl::Status denied = ErrnoError(EACCES, "x");
  EXPECT_EQ(ReadingOf(denied, v1::SOURCE_FILE).needs(), "CAP_DAC_READ_SEARCH");
  EXPECT_EQ(ReadingOf(denied, v1::SOURCE_RTNETLINK).needs(), "root");
}

TEST(Readings, CarryTheKernelsOwnText) {
  const absl::Status status = WithKernelText(ErrnoError(EINVAL, "x"), "port is gone");
  EXPECT_NE(ReadingOf(status, v1::SOURCE_DEVLINK).detail().find("port is gone"), std::string::npos);
}

}  // namespace
}  // namespace roceready::facts
