// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/uverbs_watch.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

namespace roceready::watch {
namespace {

using namespace std::string_literals;

// As the kernel (6.1) sends them for `rdma link del rxe0`.
const std::string kNodeRemoved =
    "remove@/devices/virtual/infiniband_verbs/uverbs0\0ACTION=remove\0"
    "DEVPATH=/devices/virtual/infiniband_verbs/uverbs0\0SUBSYSTEM=infiniband_verbs\0"
    "MAJOR=231\0MINOR=192\0DEVNAME=infiniband/uverbs0\0SEQNUM=1512\0"s;
const std::string kDeviceRemoved =
    "remove@/devices/virtual/infiniband/rxe0\0ACTION=remove\0"
    "DEVPATH=/devices/virtual/infiniband/rxe0\0SUBSYSTEM=infiniband\0NAME=rxe0\0SEQNUM=1514\0"s;

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(RemovedUverbsNode, IsNamedByItsPath) {
  EXPECT_EQ(RemovedUverbsNode(kNodeRemoved), "uverbs0");
  EXPECT_EQ(RemovedUverbsNode(Replaced(kNodeRemoved, "uverbs0", "uverbs17")), "uverbs17");
}

TEST(RemovedUverbsNode, IsNotWhatCameOrBelongsToSomethingElse) {
  EXPECT_EQ(RemovedUverbsNode(Replaced(kNodeRemoved, "ACTION=remove", "ACTION=add")), std::nullopt);
  EXPECT_EQ(RemovedUverbsNode(kDeviceRemoved), std::nullopt);
  EXPECT_EQ(RemovedUverbsNode(Replaced(kNodeRemoved, "uverbs0", "issm0")), std::nullopt);
}

TEST(RemovedUverbsNode, IsNothingInBytesThatAreNoUevent) {
  EXPECT_EQ(RemovedUverbsNode(""), std::nullopt);
  EXPECT_EQ(RemovedUverbsNode("libudev\0\xfe\xed\xca\xfe"s), std::nullopt);
  for (size_t size = 0; size < kNodeRemoved.size(); ++size) {
    RemovedUverbsNode(std::string_view(kNodeRemoved).substr(0, size));
  }
}

class UverbsDirectory : public ::testing::Test {
 protected:
  UverbsDirectory() {
    std::string pattern = ::testing::TempDir() + "uverbsXXXXXX";
    root_ = ::mkdtemp(pattern.data());
    directory_ = root_ / "infiniband";
  }
  ~UverbsDirectory() override { std::filesystem::remove_all(root_); }

  void Make(const std::string& name) { std::ofstream(directory_ / name) << ""; }
  std::unique_ptr<UverbsWatch> Watch() {
    auto watch = UverbsWatch::Start(
        [this](std::string_view node) {
          {
            const std::lock_guard lock(mutex_);
            gone_.emplace_back(node);
          }
          changed_.notify_all();
        },
        directory_);
    EXPECT_TRUE(watch.ok());
    return *std::move(watch);
  }
  // False when it is not told in a long time.
  bool IsToldOf(const std::string& name) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] {
      return std::find(gone_.begin(), gone_.end(), name) != gone_.end();
    });
  }

  std::filesystem::path root_;
  std::filesystem::path directory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> gone_;
};

TEST_F(UverbsDirectory, NodeThatIsDeletedIsTold) {
  std::filesystem::create_directory(directory_);
  Make("uverbs0");
  Make("rdma_cm");
  const auto watch = Watch();
  std::filesystem::remove(directory_ / "rdma_cm");
  std::filesystem::remove(directory_ / "uverbs0");
  EXPECT_TRUE(IsToldOf("uverbs0"));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(std::count(gone_.begin(), gone_.end(), "rdma_cm"), 0);
}

TEST_F(UverbsDirectory, ThatGoesAndComesAgainIsWatchedAgain) {
  const auto watch = Watch();
  std::filesystem::create_directory(directory_);
  // The watch follows the directory as soon as its thread has seen it: nodes are made and removed
  // until one is told.
  bool told = false;
  for (int i = 0; i < 10000 && !told; ++i) {
    Make("uverbs1");
    std::filesystem::remove(directory_ / "uverbs1");
    const std::lock_guard lock(mutex_);
    told = !gone_.empty();
  }
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace roceready::watch
