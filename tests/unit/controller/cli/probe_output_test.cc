// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/report/layout.h"
#include "tests/unit/controller/cli/made_ways.h"

namespace roceready::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

v1::ProbeReport ReportOf(std::vector<v1::ProbeWay> ways) {
  v1::ProbeReport report;
  report.set_audit_id("a7-1");
  report.set_state(v1::AUDIT_STATE_DONE);
  report.set_pairs_planned(ways.size() / 2);
  report.set_pairs_probed(ways.size() / 2);
  for (v1::ProbeWay& way : ways) *report.add_ways() = std::move(way);
  return report;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// But for commands, which are copied as they are.
void ExpectWithin(const std::string& text, std::size_t width) {
  for (const std::string& line : LinesOf(text)) {
    if (line.find("# ib_") == std::string::npos) {
      EXPECT_LE(report::WidthOf(line), width) << line;
    }
  }
}

TEST(ProbeOutput, ThreeHostsAreMatricesOnOneScreen) {
  const std::string text = RenderProbes(ReportOf(MeshOf(3, 391)), AllMeasures(), 80);
  EXPECT_THAT(text, HasSubstr("probes  audit a7-1, 3 of 3 planned pairs\n"));
  for (const char* title :
       {"bandwidth in Gb/s", "latency of half", "latency of 99 %", "packets lost"}) {
    EXPECT_THAT(text, HasSubstr(title));
  }
  EXPECT_THAT(text, HasSubstr("  gpu2  391/391  -        391/391\n"));
  EXPECT_LE(LinesOf(text).size(), 26u);
  ExpectWithin(text, 80);
}

TEST(ProbeOutput, SixtyFourAndAThousandHostsAreNoWallOfText) {
  std::vector<v1::ProbeWay> sixty_four = MeshOf(64, 391);
  for (int i = 0; i < 200; ++i) sixty_four[i] = WayBetween("gpu1", "x" + std::to_string(i), {});
  std::vector<v1::ProbeWay> thousand;
  for (int i = 1; i <= 1000; ++i) {
    thousand.push_back(WayBetween("gpu" + std::to_string(i), "gpu" + std::to_string(i % 1000 + 1),
                                  i % 7 == 0 ? std::optional<double>() : i % 300 + 100));
  }
  for (auto& ways : {sixty_four, thousand}) {
    const std::string text = RenderProbes(ReportOf(ways), AllMeasures(), 80);
    EXPECT_LE(LinesOf(text).size(), 80u) << text;
    EXPECT_THAT(text, HasSubstr("other reasons (--output json has them all)"));
    ExpectWithin(text, 80);
  }
}

TEST(ProbeOutput, OneQuantityAloneIsThatOne) {
  const std::string text = RenderProbes(ReportOf(MeshOf(3, 391)), {Measure::kLoss}, 80);
  EXPECT_THAT(text, HasSubstr("packets lost"));
  EXPECT_THAT(text, Not(HasSubstr("bandwidth")));
}

TEST(ProbeOutput, WhatIsNotKnownHasItsReasonAndIsNeverNought) {
  std::vector<v1::ProbeWay> ways = MeshOf(3, 391);
  ways[1] = WayBetween("gpu1", "gpu3", std::nullopt);
  ways[4] = WayBetween("gpu3", "gpu1", std::nullopt);
  const std::string text = RenderProbes(ReportOf(ways), AllMeasures(), 80);
  EXPECT_THAT(text,
              HasSubstr("?       1 way: refused by gpu3, BUSY: gpu1 mlx5_0 -> gpu3 mlx5_0\n"));
  EXPECT_THAT(text,
              HasSubstr("?       1 way: refused by gpu1, BUSY: gpu3 mlx5_0 -> gpu1 mlx5_0\n"));
  EXPECT_THAT(text, Not(HasSubstr(" 0/")));
}

TEST(ProbeOutput, AnAuditThatRunsOrDidNotEndSaysSo) {
  v1::ProbeReport report = ReportOf(MeshOf(3, 391));
  report.set_state(v1::AUDIT_STATE_PROBING);
  EXPECT_THAT(RenderProbes(report, AllMeasures(), 80), HasSubstr("planned pairs; it still runs\n"));
  report.set_state(v1::AUDIT_STATE_CANCELLED);
  report.set_abort_reason("probes stopped by sre");
  EXPECT_THAT(RenderProbes(report, AllMeasures(), 120),
              HasSubstr("; it did not end: probes stopped by sre"));
  EXPECT_THAT(RenderProbes(ReportOf({}), AllMeasures(), 80), HasSubstr("nothing was probed"));
}

TEST(ProbeOutput, ABadPairComesWithItsCommandsOnce) {
  std::vector<v1::ProbeWay> ways = MeshOf(2, 11);
  for (v1::ProbeWay& way : ways) {
    v1::WayCommand& command = *way.add_reproduce();
    command.set_run_on(way.to().host());
    command.set_command("ib_write_bw -d mlx5_0");
  }
  v1::ProbeReport report = ReportOf(ways);
  for (const v1::ProbeWay& way : ways) {
    v1::Finding& finding = *report.add_findings();
    finding.set_check_id("probe.bandwidth");
    finding.set_status(v1::CHECK_STATUS_FAIL);
    finding.mutable_subject()->set_host(way.from().host());
    finding.mutable_subject()->set_device_id(way.from().rdma_device_id());
    finding.mutable_subject()->set_peer_host(way.to().host());
    finding.mutable_subject()->set_peer_device_id(way.to().rdma_device_id());
  }
  const std::string text = RenderProbes(report, {Measure::kBandwidth}, 80);
  EXPECT_THAT(text, HasSubstr("  gpu2# ib_write_bw -d mlx5_0\n"));
  EXPECT_THAT(text, Not(HasSubstr("gpu1# "))) << "one way of a pair is enough";

  for (v1::ProbeWay& way : *report.mutable_ways()) way.clear_reproduce();
  EXPECT_THAT(RenderProbes(report, {Measure::kBandwidth}, 80), HasSubstr("none for gpu1 mlx5_0"));
}

TEST(ProbeCsv, HasARowForEachWayAndNothingWhereNothingIsKnown) {
  v1::ProbeWay good = WayBetween("gpu1", "gpu2", 391);
  v1::ProbeWay bad = WayBetween("gpu2", "gpu1", std::nullopt);
  const auto lines = LinesOf(RenderProbesCsv(ReportOf({good, bad}), {Measure::kBandwidth}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(
      lines[0],
      "from_host,from_device,to_host,to_device,probe_id,write_status,read_status,"
      "write_bandwidth_bps,write_bandwidth_unknown,read_bandwidth_bps,read_bandwidth_unknown\r");
  EXPECT_EQ(lines[1],
            "gpu1,mlx5_0,gpu2,mlx5_0,p-gpu1-gpu2,pass,pass,391000000000,,391000000000,\r");
  EXPECT_EQ(lines[2],
            "gpu2,mlx5_0,gpu1,mlx5_0,p-gpu1-gpu2,unknown,unknown,,\"refused by gpu1, BUSY\",,"
            "\"refused by gpu1, BUSY\"\r");
}

TEST(ProbeCsv, HasAllQuantitiesAndAsManyFieldsInEachRow) {
  v1::ProbeWay hostile = WayBetween("gpu1", "gpu2", 391);
  hostile.mutable_loss()->clear_lost();
  hostile.mutable_loss()->set_unknown("says \"no\"\nand, more");
  const auto lines = LinesOf(RenderProbesCsv(ReportOf({hostile}), AllMeasures()));
  ASSERT_EQ(lines.size(), 2u) << "no line feed within a row";
  EXPECT_THAT(lines[0],
              HasSubstr("write_latency_p50_ns,write_latency_p99_ns,write_latency_max_ns"));
  EXPECT_THAT(lines[0], testing::EndsWith("loss_status,packets,lost,loss_below,loss_unknown\r"));
  EXPECT_THAT(lines[1], HasSubstr("2500,7500,40000"));
  EXPECT_THAT(lines[1], HasSubstr("\"says \"\"no\"\""));
}

}  // namespace
}  // namespace roceready::cli
