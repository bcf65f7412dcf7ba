// SPDX-License-Identifier: Apache-2.0
// Every facts.json under tests/hosts is a whole FactsFile of this schema.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "proto/contract/fact_parts.h"
#include "proto/contract/ids.h"

namespace roceready {
namespace {

std::vector<std::filesystem::path> FactsFiles() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path hosts = std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/hosts";
  for (const auto& folder : std::filesystem::directory_iterator(hosts)) {
    if (std::filesystem::exists(folder.path() / "facts.json")) {
      files.push_back(folder.path() / "facts.json");
    }
  }
  return files;
}

v1::FactsFile Load(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  v1::FactsFile file;
  const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &file);
  EXPECT_TRUE(status.ok()) << path << ": " << status.ToString();
  return file;
}

TEST(Hosts, ThereAreSome) { EXPECT_GE(FactsFiles().size(), 2u); }

TEST(Hosts, EachIsAWholeFactsFile) {
  for (const auto& path : FactsFiles()) {
    const v1::FactsFile file = Load(path);
    EXPECT_EQ(file.format(), "roceready-facts/1") << path;
    EXPECT_EQ(file.facts().schema_version(), 1u) << path;
    EXPECT_FALSE(file.facts().identity().host().empty()) << path;
    const auto parts = SplitFacts(file.facts());
    EXPECT_TRUE(parts.ok()) << path << ": " << parts.status().ToString();
  }
}

// Joins go by ids: each reference names a row that is there.
TEST(Hosts, EachJoinsItsDevices) {
  for (const auto& path : FactsFiles()) {
    const v1::FactsFile file = Load(path);
    std::map<std::string, bool> net_devices;
    for (const auto& device : file.facts().net_devices()) net_devices[device.id()] = true;
    for (const auto& device : file.facts().rdma_devices()) {
      for (const auto& port : device.ports()) {
        EXPECT_TRUE(net_devices.contains(port.net_device_id()))
            << path << ": " << device.name() << " port " << port.number();
        for (const auto& gid : port.gid_table().gids()) {
          EXPECT_TRUE(net_devices.contains(gid.net_device_id())) << path << ": " << gid.gid();
        }
      }
    }
  }
}

TEST(Hosts, TheInboxDriverShowsNeitherPointAndKeepsParametersToRoot) {
  const v1::FactsFile file =
      Load(std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/hosts/mlx5-inbox/facts.json");
  ASSERT_GT(file.facts().rdma_devices_size(), 0);
  for (const auto& device : file.facts().rdma_devices()) {
    const v1::CongestionControl& congestion = device.ports(0).congestion();
    EXPECT_EQ(congestion.notification_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
    EXPECT_EQ(congestion.reaction_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
    EXPECT_EQ(congestion.parameters().reading().outcome(), v1::OUTCOME_DENIED);
    EXPECT_FALSE(congestion.parameters().has_cnp_dscp());
  }
}

}  // namespace
}  // namespace roceready
