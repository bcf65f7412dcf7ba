// SPDX-License-Identifier: Apache-2.0
// `audit --facts DIR --policy NEW --against OLD`, which needs no controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "controller/cli/what_if_command.h"
#include "tests/support/source_path.h"

namespace roceready::cli {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;
namespace fs = std::filesystem;

class WhatIf : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("what_if_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "saved");
    fs::copy_file(SourcePath("tests/hosts/mlx5-inbox/facts.json"), folder_ / "saved/a.json");
    options_.facts_directory = (folder_ / "saved").string();
    options_.against = SourcePath("checks/policy/policies/lossless-dscp.yaml");
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The status; what was printed is in out_ and err_.
  int Run(const std::string& policy, Format format = Format::kTable) {
    const fs::path file = folder_ / "next.yaml";
    std::ofstream(file) << policy;
    options_.policy = file.string();
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = WhatIfCommand({}, options_, {.format = format});
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return status;
  }

  fs::path folder_;
  AuditOptions options_;
  std::string out_, err_;
};

TEST_F(WhatIf, AStricterPolicyTurnsTheHostRedAndTheStatusIsItsOwn) {
  EXPECT_EQ(Run("name: next\nintent:\n  mtu_bytes: 4200\n"), kExitNotReady);
  EXPECT_THAT(out_,
              AllOf(HasSubstr("WHAT IF: NOT READY"), HasSubstr("(1 host)"), HasSubstr("mtu.netdev"),
                    HasSubstr("next.yaml:3"), HasSubstr("stored facts of 1 of 1 host")));
  EXPECT_EQ(err_, "");
}

TEST_F(WhatIf, ThePolicyItselfMovesNothing) {
  std::ifstream same(options_.against);
  EXPECT_EQ(Run({std::istreambuf_iterator<char>(same), {}}), kExitOk);
  EXPECT_THAT(out_, AllOf(HasSubstr("WHAT IF: READY"), HasSubstr("no finding moves")));
}

TEST_F(WhatIf, IsJsonToo) {
  EXPECT_EQ(Run("name: next\nintent:\n  mtu_bytes: 4200\n", Format::kJson), kExitNotReady);
  EXPECT_THAT(out_, AllOf(HasSubstr("\"READINESS_NOT_READY\""), HasSubstr("\"mtu.netdev\""),
                          HasSubstr("\"after\": \"red\"")));
}

TEST_F(WhatIf, AWrongPolicyIsToldWithItsPlaces) {
  EXPECT_EQ(Run("name: next\nintent:\n  mtu_bytes: many\n"), kExitConfig);
  EXPECT_THAT(err_, HasSubstr("next.yaml:3:"));
  EXPECT_EQ(out_, "");
}

}  // namespace
}  // namespace roceready::cli
