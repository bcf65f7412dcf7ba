// SPDX-License-Identifier: Apache-2.0
#include "controller/why/troubles.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace roceready::why {
namespace {

std::vector<Trouble> TroublesOf(const std::vector<std::string>& lines) {
  Troubles troubles;
  std::size_t number = 0;
  for (const std::string& line : lines) {
    ++number;
    std::optional<ErrorLine> error = ReadErrorLine(line);
    if (!error) continue;
    error->number = number;
    troubles.Add(*std::move(error));
  }
  EXPECT_EQ(troubles.uncounted_lines(), 0u);
  return std::move(troubles).MostFrequentFirst();
}

TEST(Troubles, LinesThatSayTheSameAreOneTrouble) {
  const std::string line =
      "gpu1:1:1 [0] NCCL WARN Got completion from peer 10.77.0.2<1> with status=12 localGid "
      "::ffff:10.77.0.1 remoteGids ::ffff:10.77.0.2";
  const auto troubles = TroublesOf({"cma event RDMA_CM_EVENT_REJECTED", line, "step 4", line});
  ASSERT_EQ(troubles.size(), 2u);
  EXPECT_EQ(troubles[0].lines, 2u);
  EXPECT_EQ(troubles[0].first.number, 2u);
  EXPECT_EQ(troubles[0].local, "::ffff:10.77.0.1");
  EXPECT_EQ(troubles[0].remote, "::ffff:10.77.0.2");
  EXPECT_EQ(troubles[1].local, "");
}

TEST(Troubles, AHostAndItsDeviceNameAnEndWithoutAnAddress) {
  const auto troubles = TroublesOf(
      {"[gpu017:1 :0:1] ib_mlx5_log.c:177 Transport retry count exceeded on mlx5_0:1/RoCE"});
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_EQ(troubles[0].local, "gpu017/mlx5_0");
}

ErrorLine Error(std::size_t number, std::string remote) {
  return {.number = number, .remote_addresses = {std::move(remote)}};
}

TEST(Troubles, TheFirstLineIsThatOfTheLogInWhateverOrderTheyCome) {
  Troubles troubles;
  troubles.Add(Error(9, "10.0.0.9"));
  troubles.Add(Error(5, "10.0.0.1"));
  troubles.Add(Error(3, "10.0.0.1"));
  troubles.Add(Error(2, "10.0.0.2"));
  const auto found = std::move(troubles).MostFrequentFirst();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].first.number, 3u);
  EXPECT_EQ(found[1].first.number, 2u);
  EXPECT_EQ(found[2].first.number, 9u);
}

TEST(Troubles, MoreThanAreKeptAreCountedAsLines) {
  Troubles troubles;
  for (std::size_t i = 0; i < Troubles::kMaxDistinct + 7; ++i)
    troubles.Add(Error(i + 1, fmt::format("fd00::{:x}", i)));
  // One that is known is still counted.
  troubles.Add(Error(1'000'000, "fd00::5"));
  EXPECT_EQ(troubles.uncounted_lines(), 7u);
  const auto found = std::move(troubles).MostFrequentFirst();
  EXPECT_EQ(found.size(), Troubles::kMaxDistinct);
  EXPECT_EQ(found[0].remote, "fd00::5");
  EXPECT_EQ(found[0].lines, 2u);
}

}  // namespace
}  // namespace roceready::why
