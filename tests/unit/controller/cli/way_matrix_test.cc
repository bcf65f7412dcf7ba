// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/cli/made_ways.h"

namespace roceready::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::optional<std::string> Matrix(const std::vector<v1::ProbeWay>& ways, Measure measure,
                                  std::size_t width = 80, std::size_t lines = 24) {
  return RenderMatrix(GroupsOf(PointersTo(ways)), QuantitiesOf(measure).front(), width, lines);
}

TEST(WayMatrix, ThreeHostsAreARowAndAColumnEach) {
  std::vector<v1::ProbeWay> ways = MeshOf(3, 391);
  ways[1] = WayBetween("gpu1", "gpu3", std::nullopt);
  ways[2].mutable_read()->set_bandwidth_bps(11.04e9);
  ways.erase(ways.begin() + 3);  // gpu2 -> gpu3 was not in the plan
  EXPECT_EQ(Matrix(ways, Measure::kBandwidth),
            "bandwidth in Gb/s, WRITE/READ\n"
            "        gpu1      gpu2     gpu3\n"
            "  gpu1  -         391/391  ?\n"
            "  gpu2  391/11.0  -        .\n"
            "  gpu3  391/391   391/391  -\n");
}

TEST(WayMatrix, AVerbThatFailsIsNoNumber) {
  std::vector<v1::ProbeWay> ways = MeshOf(2, 100);
  ways[0].mutable_write()->clear_bandwidth_bps();
  ways[0].mutable_write()->set_status(v1::CHECK_STATUS_FAIL);
  ways[1].mutable_write()->CopyFrom(ways[0].write());
  ways[1].mutable_read()->CopyFrom(ways[0].write());
  const auto matrix = Matrix(ways, Measure::kBandwidth);
  ASSERT_TRUE(matrix);
  EXPECT_THAT(*matrix, HasSubstr("gpu1  -     x/100\n"));
  EXPECT_THAT(*matrix, HasSubstr("gpu2  x     -\n"));
}

TEST(WayMatrix, LossIsABoundOrARate) {
  std::vector<v1::ProbeWay> ways = MeshOf(2, 100);
  ways[1].mutable_loss()->clear_below();
  ways[1].mutable_loss()->set_lost(199);
  const auto matrix = Matrix(ways, Measure::kLoss);
  ASSERT_TRUE(matrix);
  EXPECT_THAT(*matrix, HasSubstr("<0.013%"));
  EXPECT_THAT(*matrix, HasSubstr("0.83%"));
}

TEST(WayMatrix, RailsStandBelowEachOther) {
  std::vector<v1::ProbeWay> ways = MeshOf(2, 391, "gpu", "mlx5_0");
  for (v1::ProbeWay& way : MeshOf(2, 45, "gpu", "mlx5_1")) ways.push_back(std::move(way));
  EXPECT_THAT(GroupsOf(PointersTo(ways)), SizeIs(2));
  EXPECT_EQ(Matrix(ways, Measure::kBandwidth),
            "bandwidth in Gb/s, WRITE/READ\n"
            "mlx5_0:\n"
            "        gpu1     gpu2\n"
            "  gpu1  -        391/391\n"
            "  gpu2  391/391  -\n"
            "mlx5_1:\n"
            "        gpu1       gpu2\n"
            "  gpu1  -          45.0/45.0\n"
            "  gpu2  45.0/45.0  -\n");
}

TEST(WayMatrix, LongNamesGiveWayToNumbers) {
  const auto matrix =
      Matrix(MeshOf(4, 391, "gpu-of-a-rack-with-a-long-name-"), Measure::kBandwidth);
  ASSERT_TRUE(matrix);
  EXPECT_THAT(*matrix, HasSubstr("[1]      [2]      [3]      [4]\n"));
  EXPECT_THAT(*matrix, HasSubstr("[4] gpu-of-a-rack-with-a-long-name-4  391/391"));
}

TEST(WayMatrix, EightHostsFitEightyColumnsAndSixtyFourDoNot) {
  const auto eight = Matrix(MeshOf(8, 391), Measure::kBandwidth);
  ASSERT_TRUE(eight);
  for (std::size_t begin = 0; begin < eight->size();) {
    const std::size_t end = eight->find('\n', begin);
    EXPECT_LE(end - begin, 80u);
    begin = end + 1;
  }
  EXPECT_EQ(Matrix(MeshOf(64, 391), Measure::kBandwidth), std::nullopt);
  EXPECT_EQ(Matrix(MeshOf(8, 391), Measure::kBandwidth, 80, 9), std::nullopt) << "too many lines";
}

TEST(WayMatrix, WhatHostsCallThemselvesMovesNoCursor) {
  const auto matrix =
      Matrix({WayBetween("gpu\x1b[2J1", "gpu2", 391, "mlx\n5")}, Measure::kBandwidth);
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace roceready::cli
