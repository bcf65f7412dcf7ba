// SPDX-License-Identifier: Apache-2.0
#include "agent/reading_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "proto/contract/errors.h"

namespace roceready::agent {
namespace {

using testing::HasSubstr;

TEST(ReadInChild, GivesWhatWasRead) {
  // More than a pipe holds.
  const std::string facts(300'000, 'f');
  const pid_t self = getpid();
  const auto result = ReadInChild(
      [&]() -> absl::StatusOr<std::string> { return getpid() == self ? "not in a child" : facts; });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, facts);
}

TEST(ReadInChild, GivesTheErrorAsItWas) {
  const auto result = ReadInChild([]() -> absl::StatusOr<std::string> {
    return FailedPrecondition("folder {} is not empty", 7);
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(result.status()));
  EXPECT_EQ(Message(result.status()), "folder 7 is not empty");
}

TEST(ReadInChild, TellsHowAChildEndedThatSaidNothing) {
  const auto killed = ReadInChild([]() -> absl::StatusOr<std::string> {
    kill(getpid(), SIGKILL);
    return "";
  });
  EXPECT_TRUE(absl::IsInternal(killed.status()));
  EXPECT_THAT(Message(killed.status()), HasSubstr("signal 9"));
  const auto left = ReadInChild([]() -> absl::StatusOr<std::string> { _exit(3); });
  EXPECT_THAT(Message(left.status()), HasSubstr("exit status 3"));
}

TEST(ReadInChild, IsNotKeptByAThreadThatGoesOn) {
  const auto result = ReadInChild([]() -> absl::StatusOr<std::string> {
    std::thread([] { pause(); }).detach();
    return "read";
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, "read");
}

// `roceready-agent facts | less` ends with the command, not with the child.
TEST(ReadInChild, LeavesTheStandardFilesToTheCommand) {
  const auto result = ReadInChild([]() -> absl::StatusOr<std::string> {
    std::string names;
    for (const char* file : {"/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"}) {
      char name[64] = {};
      if (readlink(file, name, sizeof name - 1) > 0) names.append(name).append(" ");
    }
    return names;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, "/dev/null /dev/null /dev/null ");
}

}  // namespace
}  // namespace roceready::agent
