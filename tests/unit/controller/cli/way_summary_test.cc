// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/controller/cli/made_ways.h"

namespace roceready::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Summary(const std::vector<v1::ProbeWay>& ways, Measure measure, std::size_t worst = 3) {
  return RenderSummary(PointersTo(ways), QuantitiesOf(measure).front(), 120, worst);
}

TEST(WaySummary, CountsTheWaysAndNamesTheWorst) {
  std::vector<v1::ProbeWay> ways = MeshOf(12, 391);  // 132 ways
  ways[0].mutable_write()->set_bandwidth_bps(11e9);
  ways[1].mutable_read()->set_bandwidth_bps(250e9);
  ways[2] = WayBetween("gpu1", "gpu4", std::nullopt);
  const std::string text = Summary(ways, Measure::kBandwidth);
  EXPECT_THAT(text,
              HasSubstr("WRITE   132 ways: median 391 Gb/s, worst 11.0; 130 within 10 % of it, "
                        "1 below half, 1 not known\n"));
  EXPECT_THAT(text,
              HasSubstr("READ    132 ways: median 391 Gb/s, worst 250; 130 within 10 % of it, "
                        "1 down to half, 1 not known\n"));
  const std::size_t first = text.find("gpu1 mlx5_0 -> gpu2 mlx5_0: 11.0/391");
  const std::size_t second = text.find("gpu1 mlx5_0 -> gpu3 mlx5_0: 391/250");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second) << "the worst comes first";
  EXPECT_THAT(text, Not(HasSubstr("gpu4"))) << "what is not known is not the worst";
}

TEST(WaySummary, WhatFailedIsWorseThanWhatIsSlow) {
  std::vector<v1::ProbeWay> ways = MeshOf(12, 391);
  ways[0].mutable_write()->set_bandwidth_bps(11e9);
  ways[5].mutable_write()->clear_bandwidth_bps();
  ways[5].mutable_write()->set_status(v1::CHECK_STATUS_FAIL);
  const std::string text = Summary(ways, Measure::kBandwidth);
  EXPECT_THAT(text, HasSubstr("1 failed"));
  EXPECT_LT(text.find("x/391"), text.find("11.0/391"));
}

TEST(WaySummary, AThousandHostsAreAFewLines) {
  std::vector<v1::ProbeWay> ways;
  for (int i = 1; i <= 1000; ++i) {
    ways.push_back(WayBetween("gpu" + std::to_string(i), "gpu" + std::to_string(i % 1000 + 1),
                              i % 3 == 0 ? 100 : 391));
  }
  const std::string text = Summary(ways, Measure::kBandwidth, 5);
  EXPECT_LE(std::ranges::count(text, '\n'), 12);
  EXPECT_THAT(text, HasSubstr("1,000 ways"));
  EXPECT_THAT(text, HasSubstr("and 328 more"));
}

TEST(WaySummary, MoreLatencyIsWorse) {
  std::vector<v1::ProbeWay> ways = MeshOf(12, 391);
  ways[7].mutable_write()->set_latency_p50_ns(25'000);
  const std::string text = Summary(ways, Measure::kLatency);
  EXPECT_THAT(text, HasSubstr("median 2.50 us, worst 25.0; 131 up to 1.5 times it, 1 beyond"));
  EXPECT_THAT(text, HasSubstr("25.0/2.50"));
}

TEST(WaySummary, LossIsWhoLostNoneAndWho) {
  std::vector<v1::ProbeWay> ways = MeshOf(12, 391);
  ways[7].mutable_loss()->clear_below();
  ways[7].mutable_loss()->set_lost(199);
  ways[8] = WayBetween("gpu1", "gpu10", std::nullopt);
  const std::string text = Summary(ways, Measure::kLoss);
  EXPECT_THAT(text,
              HasSubstr("132 ways: 130 lost none (each < 0.013 %), 1 lost some, 1 not known"));
  EXPECT_THAT(text, HasSubstr("0.83%"));
}

TEST(WaySummary, WhereNothingIsKnownThereIsNoMedian) {
  std::vector<v1::ProbeWay> ways = {WayBetween("gpu1", "gpu2", std::nullopt)};
  EXPECT_THAT(Summary(ways, Measure::kBandwidth), HasSubstr("WRITE   1 way: 1 not known\n"));
}

}  // namespace
}  // namespace roceready::cli
