// SPDX-License-Identifier: Apache-2.0
#include "controller/config_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/source_path.h"
#include "tests/support/temporary_directory.h"

namespace roceready::controller {
namespace {

using ::testing::HasSubstr;

class ConfigCheckTest : public ::testing::Test {
 protected:
  int Check(const std::string& yaml) {
    const std::string path = directory_.File("controller.yaml");
    std::ofstream(path) << yaml;
    return CheckConfig(path, out_, error_);
  }

  TemporaryDirectory directory_;
  const std::string loopback_ =
      "insecure_loopback: true\nagent_listen: 127.0.0.1:1\napi_listen: 127.0.0.1:2\n"
      "rest_listen: 127.0.0.1:3\npolicy_directory: " +
      SourcePath("checks/policy/policies") + "\n";
  std::ostringstream out_;
  std::ostringstream error_;
};

TEST_F(ConfigCheckTest, ARightFileIsSaidToBe) {
  EXPECT_EQ(Check(loopback_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("controller.yaml is valid: 7 policies, default lossless-dscp"));
  EXPECT_EQ(error_.str(), "");
}

TEST_F(ConfigCheckTest, AWrongFileAndAWrongPolicyAreNamed) {
  EXPECT_EQ(Check(loopback_ + "leese: 20s\n"), 78);
  EXPECT_THAT(error_.str(), HasSubstr("found the unknown key \"leese\" (did you mean lease?)"));
  EXPECT_EQ(Check(loopback_ + "default_policy: none\n"), 78);
  EXPECT_THAT(error_.str(), HasSubstr("there is no policy \"none\""));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace roceready::controller
