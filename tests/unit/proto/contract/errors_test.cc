// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/errors.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace roceready {
namespace {

TEST(Errors, ErrnoTravelsBesideTheMessageThroughEveryContext) {
  const absl::Status status = WithContext(ErrnoError(EOPNOTSUPP, "dcb of eth0"), "host h1");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Message(status), "host h1: dcb of eth0: Operation not supported (errno 95)");
  EXPECT_EQ(ErrnoOf(status), EOPNOTSUPP);
}

TEST(Errors, StatusNotMadeOfAnErrnoHasNone) {
  EXPECT_EQ(ErrnoOf(DataLoss("cut")), std::nullopt);
  EXPECT_EQ(ErrnoOf(absl::OkStatus()), std::nullopt);
}

TEST(Errors, KernelTextTravelsBesideTheMessage) {
  const absl::Status refused = WithKernelText(ErrnoError(EINVAL, "request"), "unknown bit");
  EXPECT_EQ(KernelTextOf(WithContext(refused, "eth0")), "unknown bit");
  EXPECT_EQ(KernelTextOf(ErrnoError(EINVAL, "request")), "");
  EXPECT_TRUE(WithKernelText(absl::OkStatus(), "warning").ok());
}

}  // namespace
}  // namespace roceready
