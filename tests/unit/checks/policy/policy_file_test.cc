// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

using ::testing::HasSubstr;

class PolicyFile : public ::testing::Test {
 protected:
  PolicyFile() {
    std::string pattern = ::testing::TempDir() + "/policy_file_test.XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~PolicyFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path Write(const std::string& name, std::string_view text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  std::filesystem::path directory_;
};

TEST_F(PolicyFile, IsLoadedWithItsPathInProblems) {
  const auto path = Write("a.yaml", "name: a\nfoo: 1\n");

  EXPECT_THAT(RenderPolicyResult(LoadPolicyFile(path, {})),
              HasSubstr(path.string() + ":2:1: found the unknown key \"foo\""));
}

TEST_F(PolicyFile, ThatIsMissingIsAProblem) {
  const auto path = directory_ / "none.yaml";
  const PolicyResult result = LoadPolicyFile(path, {});

  EXPECT_FALSE(result.ok());
  EXPECT_EQ(RenderPolicyResult(result), path.string() + ": No such file or directory (errno 2)\n");
}

TEST_F(PolicyFile, IsRenderedWithDigestAndNotes) {
  const auto path = Write("a.yaml", "name: a\ninventory: [{hosts: h}]\n");
  const PolicyResult result = LoadPolicyFile(path, {});

  EXPECT_EQ(RenderPolicyResult(result),
            "policy a is valid (digest " + result.policy->digest().substr(0, 12) + ")\n" +
                path.string() +
                ":2:13: inventory[0]: note: no rails: nothing is asked of these hosts\n");
}

TEST_F(PolicyFile, DirectoryGivesItsYamlFilesInOrder) {
  Write("b.yaml", "name: b\n");
  Write("a.yaml", "name: a\n");
  Write(".a.yaml.swp.yaml", "half written");
  Write("README.md", "no policy");

  const auto texts = ReadPolicyDirectory(directory_);

  ASSERT_TRUE(texts.ok());
  ASSERT_EQ(texts->size(), 2u);
  EXPECT_EQ((*texts)[0].file_name, (directory_ / "a.yaml").string());
  EXPECT_EQ((*texts)[1].text, "name: b\n");
}

TEST_F(PolicyFile, DirectoryWithoutPoliciesIsAnError) {
  EXPECT_EQ(ReadPolicyDirectory(directory_).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadPolicyDirectory(directory_ / "none").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace roceready
