// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <roceready/v1/config.pb.h>
#include <sys/stat.h>

#include <fstream>

#include "proto/contract/errors.h"

namespace roceready::yaml {
namespace {

using ::testing::HasSubstr;

class ConfigFile : public ::testing::Test {
 protected:
  ConfigFile() {
    std::string pattern = ::testing::TempDir() + "/config_file_test.XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~ConfigFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path Write(std::string_view text) {
    const auto path = directory_ / "agent.yaml";
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path directory_;
};

TEST_F(ConfigFile, FillsTheMessageAndLeavesTheRestToTheProgram) {
  v1::AgentConfig config;

  ASSERT_TRUE(ReadConfigFile(Write("controller: c.example:7471\n"
                                   "tls: {ca: /a, certificate: /b, key: /c}\n"
                                   "source_deadline: 2s\n"),
                             config)
                  .ok());

  EXPECT_EQ(config.controller(), "c.example:7471");
  EXPECT_EQ(config.source_deadline().seconds(), 2);
  EXPECT_FALSE(config.has_collect_interval());
}

TEST_F(ConfigFile, TakesAnEmptyFileForDefaultsOnly) {
  v1::ClientConfig config;
  EXPECT_TRUE(ReadConfigFile(Write("# nothing set\n"), config).ok());
}

TEST_F(ConfigFile, TellsEveryProblemWithTheFilesName) {
  v1::AgentConfig config;
  const auto path = Write("contoller: x\ntls: {ca: /a, certificate: /b}\n");

  const absl::Status status = ReadConfigFile(path, config);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      Message(status),
      path.string() + ":1:1: found the unknown key \"contoller\" (did you mean controller?)\n" +
          path.string() + ":2:6: tls.key: found nothing, expected text: this key is required");
}

TEST_F(ConfigFile, SaysWhichFileIsMissing) {
  v1::AgentConfig config;
  const absl::Status status = ReadConfigFile(directory_ / "none.yaml", config);

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("none.yaml"));
}

TEST_F(ConfigFile, RefusesWhatIsNoRegularFileWithoutHanging) {
  const auto fifo = directory_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);

  EXPECT_EQ(ReadTextFile(fifo).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadTextFile(directory_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ConfigFile, StopsReadingAtTheLimit) {
  const auto path = Write(std::string((1 << 20) + 1, '#'));

  EXPECT_THAT(std::string(Message(ReadTextFile(path).status())),
              HasSubstr("found more than 1048576 bytes"));
}

}  // namespace
}  // namespace roceready::yaml
