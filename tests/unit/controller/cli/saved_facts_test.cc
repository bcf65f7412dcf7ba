// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/saved_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/source_path.h"

namespace roceready::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kPolicy = SourcePath("checks/policy/policies/lossless-dscp.yaml");
const std::string kInboxHost = SourcePath("tests/hosts/mlx5-inbox/facts.json");

class SavedFacts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("saved_facts_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string Error(const std::string& policy = kPolicy) {
    const auto result = JudgeSavedFacts({folder_.string(), policy, {}});
    return result.ok() ? "" : std::string(result.status().message());
  }

  fs::path folder_;
};

TEST_F(SavedFacts, InboxDriverHostIsReadyAndTheReportSaysWhatWasNotSeen) {
  fs::copy_file(kInboxHost, folder_ / "gpu017.json");

  const auto result = JudgeSavedFacts({folder_.string(), kPolicy, {}});

  ASSERT_TRUE(result.ok()) << result.status();
  const v1::Verdict& verdict = result->report.verdict();
  EXPECT_EQ(verdict.readiness(), v1::READINESS_READY);
  EXPECT_EQ(verdict.coverage().hosts_judged(), 1u);
  bool dcqcn_unknown = false;
  for (const v1::Finding& finding : result->report.findings()) {
    if (finding.check_id() != "ecn.dcqcn-enabled") continue;
    EXPECT_EQ(finding.status(), v1::CHECK_STATUS_UNKNOWN);
    dcqcn_unknown = true;
  }
  EXPECT_TRUE(dcqcn_unknown);
}

TEST_F(SavedFacts, AreJudgedTogetherWithTheFilesOfSwitches) {
  fs::copy_file(kInboxHost, folder_ / "gpu017.json");
  const std::string kSwitch = SourcePath("tests/switches/sonic/tor-40g.json");

  const auto result = JudgeSavedFacts({folder_.string(), kPolicy, {kSwitch}});

  ASSERT_TRUE(result.ok()) << result.status();
  const v1::Verdict& verdict = result->report.verdict();
  EXPECT_EQ(verdict.readiness(), v1::READINESS_NOT_READY);
  EXPECT_EQ(verdict.coverage().switches_judged(), 1u);
  EXPECT_EQ(verdict.coverage().switch_ports_judged(), 28u);
  EXPECT_EQ(result->report.findings(0).check_id(), "switch.roce-class");

  const auto twice = JudgeSavedFacts({folder_.string(), kPolicy, {kSwitch, kSwitch}});
  EXPECT_THAT(std::string(twice.status().message()),
              HasSubstr("switch str-s6000-acs-14 is also in"));
  const auto none = JudgeSavedFacts({folder_.string(), kPolicy, {kInboxHost}});
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("PORT: found no port"));
}

TEST_F(SavedFacts, AreJudgedForAJobByItsEnvironment) {
  fs::copy_file(kInboxHost, folder_ / "gpu017.json");
  Write("job.env", "export NCCL_IB_TC=0\nNCCL_SOCKET_IFNAME=eth0\n");

  const auto result =
      JudgeSavedFacts({folder_.string(), kPolicy, {}, (folder_ / "job.env").string()});

  ASSERT_TRUE(result.ok()) << result.status();
  const auto& findings = result->report.findings();
  const auto found = std::ranges::find(findings, "job.traffic-class", &v1::Finding::check_id);
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->actual(), "traffic class 0 (DSCP 0), by job.env:1");
  EXPECT_THAT(result->report.verdict().coverage().not_audited(),
              testing::Contains("NCCL_SOCKET_IFNAME=\"eth0\" of the job (job.env:2)"));

  Write("job.env", "NCCL_IB_TC=1000\n");
  const auto wrong =
      JudgeSavedFacts({folder_.string(), kPolicy, {}, (folder_ / "job.env").string()});
  EXPECT_THAT(std::string(wrong.status().message()),
              HasSubstr("job.env:1:1: NCCL_IB_TC: found \"1000\""));
  const auto none = JudgeSavedFacts({folder_.string(), kPolicy, {}, "/no/such.env"});
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("/no/such.env"));
}

TEST_F(SavedFacts, AFolderWithoutFactsIsAnErrorThatSaysHowToMakeSome) {
  EXPECT_THAT(Error(), HasSubstr("roceready-agent facts >"));
}

TEST_F(SavedFacts, AFileThatCannotBeReadIsNamedAndNotPassedOver) {
  fs::copy_file(kInboxHost, folder_ / "gpu017.json");
  Write("gpu018.json", "{");

  EXPECT_THAT(Error(), HasSubstr("gpu018.json"));
}

TEST_F(SavedFacts, TwoFilesOfOneHostAreAnError) {
  fs::copy_file(kInboxHost, folder_ / "a.json");
  fs::copy_file(kInboxHost, folder_ / "b.json");

  EXPECT_THAT(Error(), HasSubstr("also in another file"));
}

TEST_F(SavedFacts, AWrongPolicyIsToldWithItsPlaces) {
  fs::copy_file(kInboxHost, folder_ / "gpu017.json");
  Write("site.yaml", "name: site\nintent:\n  roce_priority: 9\n  colour: red\n");

  const std::string error = Error((folder_ / "site.yaml").string());

  EXPECT_THAT(error, HasSubstr("site.yaml:3:"));
  EXPECT_THAT(error, HasSubstr("site.yaml:4:"));
}

}  // namespace
}  // namespace roceready::cli
