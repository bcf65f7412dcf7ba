// SPDX-License-Identifier: Apache-2.0
#include "controller/why/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders/facts_builder.h"

namespace roceready::why {
namespace {

std::string Differences(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    if (row.differs()) text += std::string(row.name) + " " + row.first + "|" + row.second + "\n";
  }
  return text;
}

TEST(SideBySide, TwoHostsThatAreAlikeDifferInNothingAndAllIsKnown) {
  builders::HostBuilder a("gpu1", 1), b("gpu2", 2);
  const auto rows = SideBySide(a.facts(), a.net().name(), b.facts(), b.net().name());
  EXPECT_EQ(Differences(rows), "");
  for (const Row& row : rows) EXPECT_NE(row.first, "unknown") << row.name;
}

TEST(SideBySide, ShowsWhatDiffers) {
  builders::HostBuilder a("gpu1", 1), b("gpu2", 2);
  b.WithMtu(1500, 1024).WithPfc({});
  EXPECT_EQ(Differences(SideBySide(a.facts(), a.net().name(), b.facts(), b.net().name())),
            "MTU 9000|1500\nRDMA MTU 4096|1024\nPFC 3|off\n");
}

TEST(SideBySide, WhatCouldNotBeReadIsUnknown) {
  builders::HostBuilder a("gpu1", 1), b("gpu2", 2);
  *b.net().mutable_dcb()->mutable_pfc()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_DCBNL);
  EXPECT_EQ(Differences(SideBySide(a.facts(), a.net().name(), b.facts(), b.net().name())),
            "PFC 3|unknown\n");
  const auto none = SideBySide(a.facts(), "no-such", b.facts(), b.net().name());
  EXPECT_EQ(none[1].first, "unknown");
}

}  // namespace
}  // namespace roceready::why
