// SPDX-License-Identifier: Apache-2.0
#include "controller/pki_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "proto/contract/errors.h"
#include "proto/process/tls_identity.h"

namespace roceready::controller {
namespace {

using testing::HasSubstr;
using Kind = PkiOptions::Kind;

class PkiCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/pki_command_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  absl::Status Issue(Kind kind, std::vector<std::string> names = {}, std::string role = "viewer") {
    return PkiCommand({kind, folder_, std::move(names), std::move(role), 0}, now_);
  }
  v1::TlsFiles Files(const std::string& name) const {
    v1::TlsFiles files;
    files.set_ca(folder_ + "/ca.crt");
    files.set_certificate(folder_ + "/" + name + ".crt");
    files.set_key(folder_ + "/" + name + ".key");
    return files;
  }

  std::string folder_;
  const WallTime now_ = std::chrono::system_clock::now();
};

TEST_F(PkiCommandTest, IssuesWhatTheThreeProgramsNeed) {
  ASSERT_TRUE(Issue(Kind::kCa).ok());
  ASSERT_TRUE(Issue(Kind::kHost, {"host1", "host2"}).ok());
  ASSERT_TRUE(Issue(Kind::kController, {"localhost", "127.0.0.1"}).ok());
  ASSERT_TRUE(Issue(Kind::kClient, {"sre"}, "operator").ok());

  for (const char* name : {"host1", "host2", "controller", "sre"}) {
    EXPECT_TRUE(CheckTlsFiles(Files(name), now_).ok()) << name;
  }
  EXPECT_TRUE(IdentityOfCertificateFile(folder_ + "/host2.crt")->SpeaksFor("host2"));
  EXPECT_TRUE(IdentityOfCertificateFile(folder_ + "/sre.crt")->HasRole(Role::kOperator));
}

TEST_F(PkiCommandTest, WithoutACaItSaysHowToMakeOne) {
  const absl::Status status = Issue(Kind::kHost, {"host1"});

  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(Message(status)), HasSubstr("roceready-controller pki ca"));
}

TEST_F(PkiCommandTest, NeverOverwritesAndRefusesUnknownRoles) {
  ASSERT_TRUE(Issue(Kind::kCa).ok());
  EXPECT_FALSE(Issue(Kind::kCa).ok());
  ASSERT_TRUE(Issue(Kind::kHost, {"host1"}).ok());
  EXPECT_FALSE(Issue(Kind::kHost, {"host1"}).ok());
  EXPECT_THAT(std::string(Message(Issue(Kind::kClient, {"sre"}, "emperor"))),
              HasSubstr("viewer, operator or admin"));
}

}  // namespace
}  // namespace roceready::controller
