// SPDX-License-Identifier: Apache-2.0
#include "checks/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "checks/fact_path.h"
#include "checks/reading.h"
#include "tests/support/builders/facts_builder.h"

namespace roceready::checks {
namespace {

using ::testing::Not, ::testing::StartsWith;

TEST(JoinWords, PutsAndBeforeTheLast) {
  EXPECT_EQ(JoinWords(std::vector<int>{}), "");
  EXPECT_EQ(JoinWords(std::vector<int>{3}), "3");
  EXPECT_EQ(JoinWords(std::vector<int>{3, 4}), "3 and 4");
  EXPECT_EQ(JoinWords(std::vector<int>{3, 4, 5}), "3, 4 and 5");
  EXPECT_EQ(JoinWords(std::vector<int>{3, 4, 5}, ", "), "3, 4, 5");
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(24000), "24,000");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
}

TEST(Percent, KeepsTwoDigits) {
  EXPECT_EQ(Percent(1), "100 %");
  EXPECT_EQ(Percent(0.123), "12 %");
  EXPECT_EQ(Percent(0.0083), "0.83 %");
  EXPECT_EQ(Percent(0.000125), "0.013 %");
  EXPECT_EQ(Percent(0), "0.0 %");
}

TEST(ReasonOf, SaysWhatWouldHelp) {
  EXPECT_EQ(ReasonOf(builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_DEBUGFS, "root", "path")),
            "DENIED, needs root (debugfs)");
  EXPECT_EQ(ReasonOf(builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_DCBNL, {}, "2 s")),
            "TIMED_OUT: 2 s (dcb)");
  v1::Reading reading = builders::Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_VERBS);
  reading.set_error(5);
  EXPECT_EQ(ReasonOf(reading), "FAILED: Input/output error (verbs)");
}

TEST(ReasonOf, ShowsWhatANewerAgentSays) {
  v1::Reading reading;
  reading.set_outcome(static_cast<v1::Outcome>(12));
  reading.set_source(static_cast<v1::Source>(30));

  EXPECT_EQ(ReasonOf(reading), "OUTCOME_12 (source 30)");
}

TEST(WordOf, KnowsEverySource) {
  const google::protobuf::EnumDescriptor& sources = *v1::Source_descriptor();
  for (int i = 0; i < sources.value_count(); ++i) {
    const auto source = static_cast<v1::Source>(sources.value(i)->number());
    if (source == v1::SOURCE_UNSPECIFIED) continue;
    EXPECT_NE(WordOf(source), "") << sources.value(i)->name();
    EXPECT_THAT(WordOf(source), Not(StartsWith("source "))) << sources.value(i)->name();
  }
  EXPECT_EQ(WordOf(v1::SOURCE_UNSPECIFIED), "");
  EXPECT_EQ(WordOf(v1::SOURCE_PACKET_SOCKET), "packet socket");
}

TEST(FactPath, ResolvesWhatFactsCanHold) {
  EXPECT_TRUE(IsFactPath(NetPath("pci:0000:3b:00.0/0", "dcb.pfc.enabled_priorities")));
  EXPECT_TRUE(IsFactPath(PortPath("netdev:mac:52:54:00:00:00:01", 1, "gid_table.gids")));
  EXPECT_TRUE(IsFactPath(CountersPath("rdma:pci:0000:3b:00.0/1")));
  EXPECT_FALSE(IsFactPath(NetPath("x", "dcb.pfc.no_such_field")));
  EXPECT_FALSE(IsFactPath("net_devices[x"));
  EXPECT_FALSE(IsFactPath(""));
}

TEST(AgeOfPath, IsThatOfTheClosestPart) {
  using std::chrono::seconds;
  const std::map<std::string, Age, std::less<>> ages = {
      {"net_devices/name:bond0", seconds(9)},
      {"net_devices/name:bond0/dcb", seconds(4)},
      {"rdma_devices/d/ports/1/gid_table", seconds(3)},
      {"net_devices/name:a%2fb", seconds(7)},
      {"kernel", seconds(1)}};

  EXPECT_EQ(AgeOfPath(NetPath("name:bond0", "dcb.pfc.delay"), ages), seconds(4));
  EXPECT_EQ(AgeOfPath(NetPath("name:bond0", "link.mac"), ages), seconds(9));
  EXPECT_EQ(AgeOfPath(PortPath("d", 1, "gid_table.gids"), ages), seconds(3));
  EXPECT_EQ(AgeOfPath(NetPath("name:a/b", "link.mac"), ages), seconds(7));
  EXPECT_EQ(AgeOfPath("kernel.release", ages), seconds(1));
  EXPECT_EQ(AgeOfPath("rdma_stack.netns_mode", ages), std::nullopt);
}

}  // namespace
}  // namespace roceready::checks
