// SPDX-License-Identifier: Apache-2.0
#include "agent/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "agent/command_line.h"
#include "agent/config_command.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"
#include "tests/support/test_ca.h"

namespace roceready::agent {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

class SettingsTest : public ::testing::Test {
 protected:
  absl::StatusOr<Settings> Read(const std::string& yaml, WallTime now = TestCa::Now()) {
    std::ofstream(path_) << yaml;
    return ReadSettings(path_, now);
  }
  std::string ErrorOf(const std::string& yaml) {
    const auto settings = Read(yaml);
    EXPECT_FALSE(settings.ok());
    EXPECT_EQ(ExitStatusOfStart(settings.status()), kExitConfig);
    EXPECT_THAT(std::string(Message(settings.status())), HasSubstr(path_));
    return std::string(Message(settings.status()));
  }
  std::string Tls(const v1::TlsFiles& files) {
    return "tls:\n  ca: " + files.ca() + "\n  certificate: " + files.certificate() +
           "\n  key: " + files.key() + "\n";
  }

  TestCa ca_;
  TemporaryDirectory directory_;
  const std::string path_ = directory_.File("agent.yaml");
};

TEST_F(SettingsTest, ShortestFileGivesTheDefaults) {
  const auto settings = Read("controller: c1:7471\n" + Tls(ca_.Host("gpu001")));

  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->controller, "c1:7471");
  EXPECT_EQ(settings->host, "gpu001");
  EXPECT_EQ(settings->state_directory, "/var/lib/roceready/agent");
  EXPECT_EQ(settings->status_socket, "/run/roceready-agent/status.sock");
  EXPECT_EQ(settings->log_level, "info");
  EXPECT_EQ(settings->collect_interval, seconds(60));
  EXPECT_EQ(settings->source_deadline, seconds(2));
  EXPECT_FALSE(settings->plain_text);
}

TEST_F(SettingsTest, WhatIsWrittenWins) {
  const auto settings = Read(
      "controller: '[::1]:1'\nhost: B\nstate_directory: /s\nstatus_socket: /r/a\n"
      "log: {level: debug}\ncollect_interval: 5s\nsource_deadline: 500ms\n"
      "probes: {sessions: 2}\n" +
      Tls(ca_.Host("b")));

  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->host, "b");
  EXPECT_EQ(settings->state_directory, "/s");
  EXPECT_EQ(settings->status_socket, "/r/a");
  EXPECT_EQ(settings->log_level, "debug");
  EXPECT_EQ(settings->collect_interval, seconds(5));
  EXPECT_EQ(settings->source_deadline, std::chrono::milliseconds(500));
  EXPECT_EQ(settings->probes.sessions(), 2u);
}

TEST_F(SettingsTest, NamesWhatIsWrongAndWhatToDo) {
  const std::string tls = Tls(ca_.Host("gpu001"));
  EXPECT_THAT(ErrorOf("controller: c1\n" + tls), HasSubstr("expected HOST:PORT"));
  EXPECT_THAT(ErrorOf(tls), HasSubstr("controller"));
  EXPECT_THAT(ErrorOf("controller: c1:7471\n"), HasSubstr("tls: missing"));
  EXPECT_THAT(ErrorOf("controller: c1:7471\nhost: gpu002\n" + tls),
              HasSubstr("the certificate names host gpu001"));
  EXPECT_THAT(ErrorOf("controler: c1:7471\n" + tls), HasSubstr("controler"));
  EXPECT_THAT(ErrorOf("controller: c1:7471\n" + Tls(ca_.Client("alice", Role::kAdmin))),
              HasSubstr("names role admin"));
}

TEST_F(SettingsTest, ExpiredCertificateIsAnErrorBeforeTheFirstDial) {
  const auto settings =
      Read("controller: c1:7471\n" + Tls(ca_.Host("gpu001")), TestCa::Now() + hours(48));
  EXPECT_THAT(std::string(Message(settings.status())), HasSubstr("certificate has expired"));
}

TEST_F(SettingsTest, PlainTextIsForThisMachineAloneAndNeedsAName) {
  const auto settings = Read("controller: 127.0.0.1:7471\nhost: gpu001\ninsecure_loopback: true\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_TRUE(settings->plain_text);
  EXPECT_EQ(settings->host, "gpu001");

  EXPECT_THAT(ErrorOf("controller: c1:7471\nhost: a\ninsecure_loopback: true\n"),
              HasSubstr("is not this machine"));
  EXPECT_THAT(ErrorOf("controller: 127.0.0.1:7471\ninsecure_loopback: true\n"),
              HasSubstr("host: needed"));
}

TEST_F(SettingsTest, ConfigCheckSaysWhatRunWouldSay) {
  std::ofstream(path_) << "controller: 127.0.0.1:7471\nhost: gpu001\ninsecure_loopback: true\n";
  std::ostringstream out;
  std::ostringstream error;
  EXPECT_EQ(CheckConfig(path_, out, error), 0);
  EXPECT_EQ(out.str(), path_ + " is valid: host gpu001, controller 127.0.0.1:7471\n");

  std::ofstream(path_) << "controller: c1:7471\n" << Tls(ca_.Client("alice", Role::kAdmin));
  EXPECT_EQ(CheckConfig(path_, out, error), 78);
  EXPECT_THAT(error.str(), HasSubstr("names role admin"));
}

TEST_F(SettingsTest, StatusSocketHasItsDefaultWithoutAFileButNotWithABrokenOne) {
  EXPECT_EQ(ReadStatusSocket(directory_.File("none")).value(), kDefaultStatusSocket);
  std::ofstream(path_) << "controller: [";
  EXPECT_EQ(ExitStatusOfStart(ReadStatusSocket(path_).status()), kExitConfig);
}

Arguments Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "roceready-agent");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return ParseCommandLine(static_cast<int>(pointers.size()), pointers.data());
}

TEST(CommandLine, KnowsItsCommands) {
  EXPECT_EQ(std::get<RunArguments>(Parse({"run"})).config_path, "/etc/roceready/agent.yaml");
  EXPECT_EQ(std::get<RunArguments>(Parse({"run", "--config", "/x"})).config_path, "/x");
  EXPECT_EQ(std::get<StatusArguments>(Parse({"status"})).config_path, "/etc/roceready/agent.yaml");
  EXPECT_EQ(std::get<FactsOptions>(Parse({"facts", "--deadline", "0.5"})).deadline,
            std::chrono::milliseconds(500));
  const auto check = std::get<CheckOptions>(Parse({"check", "--policy", "p", "--facts", "f"}));
  EXPECT_EQ(check.policy_path, "p");
  EXPECT_EQ(check.facts_path, "f");
}

TEST(CommandLine, MistakesAreUsageErrors) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"bogus"},
                                                {"check"},
                                                {"run", "--nope"},
                                                {"run", "extra"},
                                                {"facts", "--deadline", "0"}}) {
    EXPECT_EQ(std::get<Finished>(Parse(words)).exit_status, kExitUsage);
  }
  EXPECT_EQ(std::get<Finished>(Parse({"--version"})).exit_status, 0);
  EXPECT_EQ(std::get<Finished>(Parse({"run", "--help"})).exit_status, 0);
}

}  // namespace
}  // namespace roceready::agent
