// SPDX-License-Identifier: Apache-2.0
#include "controller/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"
#include "tests/support/test_ca.h"

namespace roceready::controller {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ControllerSettingsTest : public ::testing::Test {
 protected:
  absl::StatusOr<Settings> Read(const std::string& yaml) {
    std::ofstream(path_) << yaml;
    return ReadSettings(path_, TestCa::Now());
  }
  std::string ErrorOf(const std::string& yaml) {
    const auto settings = Read(yaml);
    EXPECT_FALSE(settings.ok());
    EXPECT_EQ(ExitStatusOfStart(settings.status()), kExitConfig);
    return std::string(Message(settings.status()));
  }
  std::string Tls() {
    const v1::TlsFiles files = ca_.Controller({"c1"});
    return "tls:\n  ca: " + files.ca() + "\n  certificate: " + files.certificate() +
           "\n  key: " + files.key() + "\n";
  }

  TestCa ca_;
  TemporaryDirectory directory_;
  const std::string path_ = directory_.File("controller.yaml");
};

// The unit makes the state directory, the package the policy directory: these are theirs.
TEST_F(ControllerSettingsTest, ShortestFileGivesTheDefaults) {
  const auto settings = Read(Tls());

  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->agent_listen, "[::]:7471");
  EXPECT_EQ(settings->api_listen, "[::]:7472");
  EXPECT_EQ(settings->rest_listen, "[::]:7473");
  EXPECT_EQ(settings->state_directory, "/var/lib/roceready/controller");
  EXPECT_EQ(settings->policy_directory, "/etc/roceready/policies");
  EXPECT_EQ(settings->default_policy, "lossless-dscp");
  EXPECT_EQ(settings->log_level, "info");
  EXPECT_EQ(settings->ping_interval, seconds(5));
  EXPECT_EQ(settings->lease, seconds(20));
  EXPECT_FALSE(settings->plain_text);
  EXPECT_EQ(settings->audits_kept, 10'000u);
  EXPECT_EQ(settings->events_kept, 100'000u);
}

TEST_F(ControllerSettingsTest, WhatIsWrittenWins) {
  const auto settings = Read(Tls() +
                             "agent_listen: '127.0.0.1:1'\nstate_directory: /s\n"
                             "policy_directory: /p\ndefault_policy: lab\nlease: 30s\n"
                             "history: {audits: 500, events: 2000}\n");

  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->agent_listen, "127.0.0.1:1");
  EXPECT_EQ(settings->state_directory, "/s");
  EXPECT_EQ(settings->policy_directory, "/p");
  EXPECT_EQ(settings->default_policy, "lab");
  EXPECT_EQ(settings->lease, seconds(30));
  EXPECT_EQ(settings->audits_kept, 500u);
  EXPECT_EQ(settings->events_kept, 2000u);
}

TEST_F(ControllerSettingsTest, AHistoryIsNotShorterThanWhatIsAtHand) {
  EXPECT_THAT(ErrorOf(Tls() + "history: {audits: 99}\n"), HasSubstr("history.audits"));
}

TEST_F(ControllerSettingsTest, AddressThatIsNoneNamesItsKey) {
  EXPECT_THAT(ErrorOf(Tls() + "rest_listen: here\n"),
              AllOf(HasSubstr(path_), HasSubstr("rest_listen")));
}

TEST_F(ControllerSettingsTest, OneLostPingMustNotEndAStream) {
  EXPECT_THAT(ErrorOf(Tls() + "ping_interval: 5s\nlease: 9s\n"), HasSubstr("lease: found 9 s"));
}

TEST_F(ControllerSettingsTest, WithoutTlsItSaysHowToGetCertificates) {
  EXPECT_THAT(ErrorOf("default_policy: lab\n"), HasSubstr("roceready-controller pki"));
}

TEST_F(ControllerSettingsTest, PlainTextIsForThisMachineOnly) {
  EXPECT_THAT(ErrorOf("insecure_loopback: true\n"), HasSubstr("not a loopback address"));
}

}  // namespace
}  // namespace roceready::controller
