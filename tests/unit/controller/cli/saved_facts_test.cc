// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/saved_facts.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proto/contract/facts_file.h"
#include "tests/support/source_path.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;
using testing::AllOf, testing::Contains, testing::Each, testing::HasSubstr, testing::Not;
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

  static v1::FactsFile InboxHost() {
    std::stringstream text;
    text << std::ifstream(kInboxHost).rdbuf();
    return ParseFactsFile(text.str(), kInboxHost).value();
  }
  static std::string Name(const v1::FactsFile& file) { return file.facts().identity().host(); }
  static std::string Upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
  }
  void WriteFacts(const std::string& name, const v1::FactsFile& file) {
    Write(name, PrintFactsFile(file).value());
  }
  std::vector<std::string> NotAudited() {
    const auto result = JudgeSavedFacts({folder_.string(), kPolicy, {}});
    EXPECT_TRUE(result.ok()) << result.status();
    const auto& words = result->report.verdict().coverage().not_audited();
    return {words.begin(), words.end()};
  }

  fs::path folder_;
};

TEST_F(SavedFacts, AreThoseOfAControllerToo) {
  v1::GetHostFactsResponse response;
  v1::FactsFile recorded = InboxHost();
  *response.mutable_facts() = recorded.facts();
  *response.mutable_counters() = recorded.counters();
  v1::FactAge& age = *response.add_ages();
  age.set_key("kernel");
  age.mutable_age()->set_seconds(40);
  response.mutable_counters_age()->set_seconds(70);
  const auto now = std::chrono::system_clock::now();
  WriteFacts("a.json", FactsFileOf(response, now));
  const auto hosts = HostsOfSavedFacts(folder_.string(), now + std::chrono::seconds(10));
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  const KnownHost& host = hosts->at(Name(recorded));
  ASSERT_TRUE(host.facts.has_value());
  EXPECT_EQ(host.facts->SerializeAsString(), recorded.facts().SerializeAsString());
  EXPECT_TRUE(host.counters.has_value());
  EXPECT_EQ(host.fact_ages.at("kernel"), std::chrono::seconds(50));
  EXPECT_EQ(host.fact_ages.at("identity"), std::chrono::seconds(10));
  EXPECT_EQ(host.counters_age, std::chrono::seconds(80));
}

// A controller keeps the facts of a host that has been away for days.
TEST_F(SavedFacts, OfAControllerAreAsOldAsTheirOldestPart) {
  v1::GetHostFactsResponse response;
  *response.mutable_facts() = InboxHost().facts();
  v1::FactAge& age = *response.add_ages();
  age.set_key("kernel");
  age.mutable_age()->set_seconds(3 * 24 * 3600);
  WriteFacts("a.json", FactsFileOf(response, std::chrono::system_clock::now()));

  EXPECT_THAT(NotAudited(),
              Contains(AllOf(HasSubstr("what was changed since on"), HasSubstr("3 days old"))));
}

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

TEST_F(SavedFacts, HostNamesThatDifferInCaseAloneAreOneHost) {
  v1::FactsFile file = InboxHost();
  WriteFacts("a.json", file);
  file.mutable_facts()->mutable_identity()->set_host(Upper(file.facts().identity().host()));
  WriteFacts("b.json", file);

  EXPECT_THAT(Error(), HasSubstr("also in another file"));
}

TEST_F(SavedFacts, OldOnesAreRemarkedInTheReport) {
  v1::FactsFile file = InboxHost();
  *file.mutable_recorded_at() = TimeUtil::GetCurrentTime() - TimeUtil::HoursToDuration(60 * 24 + 1);
  WriteFacts("a.json", file);

  EXPECT_THAT(NotAudited(), Contains(AllOf(HasSubstr("what was changed since on " + Name(file)),
                                           HasSubstr("60 days old"))));
}

TEST_F(SavedFacts, FreshOnesAreNotRemarked) {
  v1::FactsFile file = InboxHost();
  *file.mutable_recorded_at() = TimeUtil::GetCurrentTime() - TimeUtil::HoursToDuration(3);
  WriteFacts("a.json", file);

  EXPECT_THAT(NotAudited(), Each(Not(HasSubstr("changed since"))));
}

TEST_F(SavedFacts, WithoutATimeHaveNoAge) {
  v1::FactsFile file = InboxHost();
  file.clear_recorded_at();
  WriteFacts("a.json", file);

  const auto result = JudgeSavedFacts({folder_.string(), kPolicy, {}});

  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->report.verdict().coverage().has_oldest_fact());
  EXPECT_THAT(NotAudited(), Contains(HasSubstr("age unknown")));
  for (const v1::Finding& finding : result->report.findings()) {
    for (const v1::Evidence& evidence : finding.evidence()) EXPECT_FALSE(evidence.has_age());
  }
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
