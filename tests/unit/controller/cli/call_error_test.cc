// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/call_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

using ::testing::HasSubstr;

absl::Status Explained(const absl::Status& error) { return ExplainCallError(error, "c1:7472"); }

TEST(ExplainCallError, AnswersOfTheControllerStayAsTheyAre) {
  const absl::Status refused = PermissionDenied("this needs the role operator");
  EXPECT_EQ(Explained(refused), refused);
}

TEST(ExplainCallError, ConnectionsNameTheControllerAndWhatToDo) {
  const absl::Status away = Explained(Unavailable("Connection refused"));
  EXPECT_TRUE(absl::IsUnavailable(away));
  EXPECT_THAT(std::string(Message(away)),
              HasSubstr("cannot reach the controller at c1:7472: Connection refused (is "
                        "roceready-controller running there"));
  EXPECT_THAT(std::string(Message(Explained(Unavailable("Socket closed")))),
              HasSubstr("does not accept this client's certificate"));
  EXPECT_THAT(std::string(Message(Explained(DeadlineExceeded("Deadline Exceeded")))),
              HasSubstr("the controller at c1:7472 did not answer in time"));
}

TEST(ExplainCallError, ACertificateThatIsNotTrustedIsAMatterOfPermission) {
  const absl::Status untrusted = Explained(Unavailable("certificate verify failed"));
  EXPECT_TRUE(absl::IsUnauthenticated(untrusted));
  EXPECT_THAT(std::string(Message(untrusted)), HasSubstr("the same CA"));
}

}  // namespace
}  // namespace roceready::cli
