// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/output.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "checks/policy/policy_file.h"
#include "controller/cli/report_output.h"
#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

using ::testing::HasSubstr;

google::protobuf::Struct Parsed(const std::string& json) {
  google::protobuf::Struct document;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &document).ok()) << json;
  return document;
}

TEST(Fail, TellsPeopleOnTheErrorStreamAlone) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(Fail(Unavailable("cannot reach c:7472"), Format::kTable), 69);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "roceready: cannot reach c:7472\n");
}

TEST(Fail, GivesAReaderOfJsonADocument) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(Fail(PermissionDenied("a \"role\"\nis missing"), Format::kJson), 77);
  const auto document = Parsed(testing::internal::GetCapturedStdout());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is missing"));
  const auto& error = document.fields().at("error").struct_value().fields();
  EXPECT_EQ(error.at("code").string_value(), "PERMISSION_DENIED");
  EXPECT_EQ(error.at("message").string_value(), "a \"role\"\nis missing");
  EXPECT_EQ(error.at("exit_status").number_value(), 77);
}

TEST(Fail, GivesAReaderOfJunitAnErrorInXml) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Fail(Unavailable("no <controller>"), Format::kJunit), kExitUnavailable);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("<error type=\"error\" message=\"no &lt;controller&gt;\"/>"));
}

TEST(Fail, IsUnknownToNagios) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Fail(Unavailable("no controller"), Format::kNagios), 3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "ROCEREADY UNKNOWN - no controller\n");
}

TEST(PolicyResultAsMessage, NamesThePlaceOfEachMistake) {
  const PolicyResult result =
      LoadPolicy("name: lab\nintent: {roce_priority: 9}\n", "lab.yaml", PolicyContext());
  const auto document = Parsed(ToJson(PolicyResultAsMessage(result)));
  EXPECT_FALSE(document.fields().at("valid").bool_value());
  const auto& problems = document.fields().at("problems").list_value();
  ASSERT_EQ(problems.values_size(), 1);
  const auto& problem = problems.values(0).struct_value().fields();
  EXPECT_EQ(problem.at("file").string_value(), "lab.yaml");
  EXPECT_EQ(problem.at("line").number_value(), 2);
  EXPECT_EQ(problem.at("column").number_value(), 25);
  EXPECT_EQ(problem.at("path").string_value(), "intent.roce_priority");
  EXPECT_EQ(problem.at("text").string_value(), "found 9, expected a number from 0 to 7");
}

TEST(PolicyResultAsMessage, NamesAPolicyThatIsRight) {
  const PolicyResult result = LoadPolicy("name: lab\n", "lab.yaml", PolicyContext());
  const auto document = Parsed(ToJson(PolicyResultAsMessage(result)));
  EXPECT_TRUE(document.fields().at("valid").bool_value());
  EXPECT_EQ(document.fields().at("name").string_value(), "lab");
  EXPECT_EQ(document.fields().at("digest").string_value().size(), 64u);
  EXPECT_EQ(document.fields().at("problems").list_value().values_size(), 0);
}

v1::Host Connected(std::string name) {
  v1::Host host;
  host.set_host(std::move(name));
  host.set_state(v1::HOST_STATE_CONNECTED);
  host.mutable_fact_age()->set_seconds(4);
  host.set_agent_version("0.1.0");
  return host;
}

TEST(RenderHosts, TellsOfAClockThatIsOffByMoreThanASecond) {
  std::vector<v1::Host> hosts = {Connected("gpu1"), Connected("gpu2"), Connected("gpu3")};
  hosts[0].mutable_clock_offset()->set_nanos(-900'000'000);
  hosts[1].mutable_clock_offset()->set_seconds(-7);
  hosts[1].mutable_clock_offset()->set_nanos(-250'000'000);
  hosts[2].mutable_clock_offset()->set_seconds(3600);
  hosts[2].set_state(v1::HOST_STATE_STALE);
  hosts[2].set_state_reason("connected, but no facts have come yet");
  EXPECT_EQ(
      RenderHosts(hosts, {}),
      "HOST  STATE          FACTS  AGENT     REASON\n"
      "gpu1  connected        4 s  0.1.0\n"
      "gpu2  connected        4 s  0.1.0     its clock is 7.2 s behind\n"
      "gpu3  stale            4 s  0.1.0     connected, but no facts have come yet; its clock "
      "is 3600.0 s ahead\n");
}

}  // namespace
}  // namespace roceready::cli
