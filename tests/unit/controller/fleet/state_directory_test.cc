// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/state_directory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

class StateDirectoryTest : public testing::Test {
 protected:
  StateDirectoryTest() {
    std::string name = testing::TempDir() + "state-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~StateDirectoryTest() override { std::filesystem::remove_all(path_); }

  void WriteEpoch(std::string_view text) { std::ofstream(path_ / "epoch") << text; }
  absl::StatusOr<std::uint64_t> RaiseOnce() {
    auto directory = StateDirectory::Open(path_);
    if (!directory.ok()) return directory.status();
    return directory->RaiseEpoch();
  }

  std::filesystem::path path_;
};

TEST_F(StateDirectoryTest, EachStartHasAHigherEpoch) {
  EXPECT_EQ(RaiseOnce().value(), 1u);
  EXPECT_EQ(RaiseOnce().value(), 2u);
  EXPECT_EQ(RaiseOnce().value(), 3u);
}

TEST_F(StateDirectoryTest, GoesOnFromWhatAnOperatorWrote) {
  WriteEpoch("41\n");
  EXPECT_EQ(RaiseOnce().value(), 42u);
}

TEST_F(StateDirectoryTest, MakesTheDirectoryWhereItIsMissing) {
  path_ /= "not/there/yet";
  EXPECT_EQ(RaiseOnce().value(), 1u);
}

TEST_F(StateDirectoryTest, NeverStartsAnewOnAFileItCannotRead) {
  for (const char* text : {"", "\n", "twelve", "12 13", "-1", "18446744073709551615", "1\n\n",
                           "99999999999999999999999"}) {
    WriteEpoch(text);
    auto epoch = RaiseOnce();
    EXPECT_EQ(epoch.status().code(), absl::StatusCode::kDataLoss) << '"' << text << '"';
  }
}

TEST_F(StateDirectoryTest, HoldsOneControllerAtATime) {
  {
    auto first = StateDirectory::Open(path_);
    ASSERT_TRUE(first.ok());
    auto second = StateDirectory::Open(path_);
    EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_NE(Message(second.status()).find("another controller"), std::string_view::npos);
  }
  EXPECT_TRUE(StateDirectory::Open(path_).ok());
}

}  // namespace
}  // namespace roceready
