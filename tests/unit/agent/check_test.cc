// SPDX-License-Identifier: Apache-2.0
// `check` over recorded hosts: the exit status is the verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "agent/check_command.h"
#include "proto/contract/facts_file.h"
#include "proto/yaml/config_file.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_directory.h"

namespace roceready::agent {
namespace {

using ::testing::HasSubstr;

const std::string kPolicy = SourcePath("checks/policy/policies/lossless-dscp.yaml");
const std::string kInboxHost = SourcePath("tests/hosts/mlx5-inbox/facts.json");

struct Outcome {
  int exit_status = 0;
  std::string out;
  std::string error;
};

Outcome Check(const std::string& policy, const std::string& facts) {
  std::ostringstream out;
  std::ostringstream error;
  CheckOptions options;
  options.policy_path = policy;
  options.facts_path = facts;
  const int exit_status = CheckHost(options, out, error);
  return {exit_status, out.str(), error.str()};
}

v1::FactsFile InboxHost() {
  const auto text = yaml::ReadTextFile(kInboxHost);
  EXPECT_TRUE(text.ok()) << text.status();
  const auto file = ParseFactsFile(*text, kInboxHost);
  EXPECT_TRUE(file.ok()) << file.status();
  return *file;
}

class CheckTest : public ::testing::Test {
 protected:
  std::string Save(const v1::FactsFile& file) {
    const std::string path = directory_.File("facts.json");
    std::ofstream(path) << PrintFactsFile(file).value();
    return path;
  }
  TemporaryDirectory directory_;
};

TEST_F(CheckTest, HostAsThePolicyWantsItIsReady) {
  const Outcome outcome = Check(kPolicy, kInboxHost);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.out << outcome.error;
}

TEST_F(CheckTest, PfcOffIsNotReadyAndNamed) {
  v1::FactsFile file = InboxHost();
  for (auto& device : *file.mutable_facts()->mutable_net_devices()) {
    device.mutable_dcb()->mutable_pfc()->clear_enabled_priorities();
  }
  const Outcome outcome = Check(kPolicy, Save(file));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("pfc.lossless-priority"));
}

TEST_F(CheckTest, EnvironmentOfAJobWinsOverThePolicy) {
  CheckOptions options;
  options.policy_path = kPolicy;
  options.facts_path = kInboxHost;
  options.job_environment = directory_.File("job.env");
  std::ofstream(options.job_environment) << "NCCL_IB_TC=0\n";
  std::ostringstream out, error;
  CheckHost(options, out, error);
  EXPECT_THAT(out.str(), HasSubstr("job.traffic-class"));

  std::ofstream(options.job_environment) << "NCCL_IB_TC=256\n";
  EXPECT_EQ(CheckHost(options, out, error), 78);
  EXPECT_THAT(error.str(), HasSubstr("job.env:1:1: NCCL_IB_TC: found \"256\""));
}

TEST_F(CheckTest, HostWhoseDevicesCouldNotBeReadIsUndeterminedNotReady) {
  v1::FactsFile file = InboxHost();
  file.mutable_facts()->clear_rdma_devices();
  file.mutable_facts()->mutable_rdma_scan()->set_outcome(v1::OUTCOME_DENIED);
  EXPECT_EQ(Check(kPolicy, Save(file)).exit_status, 3);
}

TEST_F(CheckTest, PolicyThatIsWrongIsAConfigurationError) {
  const std::string path = directory_.File("p.yaml");
  std::ofstream(path) << "name: p\nintent: {roce_priority: 9}\n";
  const Outcome outcome = Check(path, kInboxHost);
  EXPECT_EQ(outcome.exit_status, 78);
  EXPECT_THAT(outcome.error, HasSubstr("p.yaml:2:"));
  EXPECT_EQ(outcome.out, "");
}

TEST_F(CheckTest, FactsThatAreNoneAreAnErrorWithTheFilesName) {
  const std::string path = directory_.File("f.json");
  std::ofstream(path) << "{}";
  const Outcome outcome = Check(kPolicy, path);
  EXPECT_EQ(outcome.exit_status, 78);
  EXPECT_THAT(outcome.error, HasSubstr("f.json"));
  EXPECT_EQ(Check(kPolicy, directory_.File("none")).exit_status, 78);
}

}  // namespace
}  // namespace roceready::agent
