// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/job_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "proto/contract/errors.h"
#include "tests/support/temporary_directory.h"

namespace roceready::cli {
namespace {

using ::testing::HasSubstr;

TEST(JobLines, OnlyWhatLibrariesReadIsSentAndKeepsItsLine) {
  EXPECT_EQ(LinesOfLibraries("WANDB_API_KEY=secret\n"
                             "NCCL_IB_TC=106\n"
                             "  export UCX_IB_SL=3\n"
                             "PATH=/bin\n"
                             "NVSHMEM_IB_TRAFFIC_CLASS=106"),
            "\nNCCL_IB_TC=106\n  export UCX_IB_SL=3\n\nNVSHMEM_IB_TRAFFIC_CLASS=106\n");
  EXPECT_EQ(LinesOfLibraries(""), "");
}

TEST(JobLines, MistakesAreSaidHereWithTheirPlace) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/job.env";
  std::ofstream(file) << "HOME=/root\nNCCL_IB_TC=4711\n";
  const auto lines = JobLinesToSend(file);
  EXPECT_EQ(lines.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(lines.status())), HasSubstr("job.env:2"));

  const auto missing = JobLinesToSend(directory.path() + "/no.env");
  EXPECT_THAT(std::string(Message(missing.status())), HasSubstr("no.env"));
}

}  // namespace
}  // namespace roceready::cli
