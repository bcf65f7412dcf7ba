// SPDX-License-Identifier: Apache-2.0
#include "controller/status/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/status/metrics.h"
#include "roceready/v1/probe.pb.h"

namespace roceready::status {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Pair;

std::string TextAlone(Family family) {
  Families families;
  family.AppendTo(&families);
  return TextOf(families);
}

TEST(Families, ACounterAndAGaugeAreOneLineASeries) {
  EXPECT_EQ(TextAlone(Family::Counter("roceready_things_total", "Things.")
                          .Add(3, {{"kind", "a"}})
                          .Add(0, {{"kind", "b"}})),
            "# HELP roceready_things_total Things.\n"
            "# TYPE roceready_things_total counter\n"
            "roceready_things_total{kind=\"a\"} 3\n"
            "roceready_things_total{kind=\"b\"} 0\n");
  EXPECT_EQ(TextAlone(Family::Gauge("roceready_things", "Things.").Add(0.5)),
            "# HELP roceready_things Things.\n"
            "# TYPE roceready_things gauge\n"
            "roceready_things 0.5\n");
}

TEST(Families, AHistogramAddsItsBucketsUp) {
  DurationHistogram histogram({milliseconds(500), std::chrono::seconds(1)});
  for (const int took : {-1, 500, 501, 1000, 2000}) histogram.Add(milliseconds(took));
  EXPECT_EQ(TextAlone(Family::Histogram("roceready_took_seconds", "Took.").Add(histogram)),
            "# HELP roceready_took_seconds Took.\n"
            "# TYPE roceready_took_seconds histogram\n"
            "roceready_took_seconds_count 5\n"
            "roceready_took_seconds_sum 4.001\n"
            "roceready_took_seconds_bucket{le=\"0.5\"} 2\n"
            "roceready_took_seconds_bucket{le=\"1\"} 4\n"
            "roceready_took_seconds_bucket{le=\"+Inf\"} 5\n");
}

TEST(Families, AnEnumIsALabelWithoutItsPrefix) {
  EXPECT_EQ(LabelOf(v1::ProbeOperation_Name(v1::PROBE_OPERATION_UD_PING), "PROBE_OPERATION_"),
            "ud_ping");
  EXPECT_EQ(LabelOf(v1::ProbeOperation_Name(4711), "PROBE_OPERATION_"), "other");
}

TEST(Families, OfValuesFromOutsideTheMostFrequentAreNamed) {
  const std::map<std::string, std::uint64_t> versions = {
      {"1.0", 5}, {"1.1", 90}, {"0.8", 1}, {"0.9", 5}, {"0.7", 2}};
  EXPECT_THAT(Bounded(versions, 2), ElementsAre(Pair("0.9", 5), Pair("1.1", 90), Pair("other", 8)));
  EXPECT_EQ(Bounded(versions, 5), versions);
}

TEST(Families, AValueFromOutsideIsPlainAndShort) {
  EXPECT_THAT(Bounded({{"", 1}}, 9), ElementsAre(Pair("none", 1)));
  EXPECT_THAT(Bounded({{"1.2\"}\n\xff", 1}, {"1.2____", 2}}, 9), ElementsAre(Pair("1.2____", 3)));
  EXPECT_THAT(Bounded({{std::string(100'000, 'x'), 1}}, 9),
              ElementsAre(Pair(std::string(40, 'x'), 1)));
}

}  // namespace
}  // namespace roceready::status
