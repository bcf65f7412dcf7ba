// SPDX-License-Identifier: Apache-2.0
#include "checks/what_if.h"

#include "checks/check.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using ::testing::ElementsAre, ::testing::IsEmpty, ::testing::UnorderedElementsAre;

const std::vector<std::string> kHosts = {"host1", "host2", "host3"};

std::string WordOf(Standing standing) {
  switch (standing) {
    case Standing::kGreen:
      return "green";
    case Standing::kRed:
      return "red";
    case Standing::kInMaintenance:
      return "maintenance";
    case Standing::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<std::string> HostsOf(const WhatIf& what_if) {
  std::vector<std::string> words;
  for (const HostChange& host : what_if.hosts) {
    words.push_back(fmt::format("{} {} {}", host.host, WordOf(host.before), WordOf(host.after)));
  }
  return words;
}

// The moves of roots.
std::vector<std::string> MovesOf(const WhatIf& what_if) {
  std::vector<std::string> words;
  for (const CheckMove& move : what_if.moves) {
    if (move.follows) continue;
    words.push_back(fmt::format("{} {}->{} x{} {}", move.check_id, static_cast<int>(move.before),
                                static_cast<int>(move.after), move.findings.size(),
                                move.findings.front()->subject().host()));
  }
  return words;
}

class TwoPolicies : public ::testing::Test {
 protected:
  WhatIf Compare() {
    before = Under(now);
    after = Under(then);
    return CompareReports({before, after, kHosts, judged_alike});
  }
  v1::AuditReport Under(const EffectivePolicy& policy) {
    audit.policy = policy;
    return audit.Report();
  }

  AuditOf audit = HealthyLab();
  EffectivePolicy now = builders::HealthyPolicy();
  EffectivePolicy then = builders::HealthyPolicy();
  bool judged_alike = true;
  v1::AuditReport before, after;
};

constexpr int kNone = static_cast<int>(Weight::kNone);
constexpr int kBlocks = static_cast<int>(Weight::kBlocks);
constexpr int kDegrades = static_cast<int>(Weight::kDegrades);

TEST_F(TwoPolicies, ThatSayTheSameMoveNothing) {
  const WhatIf what_if = Compare();
  EXPECT_THAT(HostsOf(what_if),
              ElementsAre("host1 green green", "host2 green green", "host3 green green"));
  EXPECT_THAT(what_if.moves, IsEmpty());
}

TEST_F(TwoPolicies, AHostThatOnlyTheNewOneRejectsTurnsRed) {
  audit.host(1).WithPfc({});
  audit.host(2).WithPfc({});
  now.checks["pfc.lossless-priority"].enabled = false;
  const WhatIf what_if = Compare();
  EXPECT_THAT(HostsOf(what_if),
              ElementsAre("host1 green green", "host2 green red", "host3 green red"));
  EXPECT_THAT(MovesOf(what_if),
              ElementsAre(fmt::format("pfc.lossless-priority {}->{} x2 host2", kNone, kBlocks)));
}

TEST_F(TwoPolicies, WhatOnlyTheOldOneRejectsTurnsGreenAndIsShownAsItWas) {
  audit.host(1).WithPfc({});
  then.checks["pfc.lossless-priority"].enabled = false;
  const WhatIf what_if = Compare();
  EXPECT_THAT(HostsOf(what_if),
              ElementsAre("host1 green green", "host2 red green", "host3 green green"));
  ASSERT_THAT(MovesOf(what_if),
              ElementsAre(fmt::format("pfc.lossless-priority {}->{} x1 host2", kBlocks, kNone)));
  EXPECT_FALSE(what_if.moves.front().findings.front()->actual().empty());
}

TEST_F(TwoPolicies, AnotherSeverityIsAMove) {
  audit.host(1).WithPfc({});
  then.checks["pfc.lossless-priority"].severity = v1::SEVERITY_DEGRADES;
  EXPECT_THAT(MovesOf(Compare()), ElementsAre(fmt::format("pfc.lossless-priority {}->{} x1 host2",
                                                          kBlocks, kDegrades)));
}

TEST_F(TwoPolicies, AWaiverIsAMove) {
  audit.host(1).WithPfc({});
  v1::Waiver& waiver = then.waivers.emplace_back();
  waiver.set_id("OPS-1");
  waiver.set_check_id("pfc.lossless-priority");
  waiver.set_hosts("*");
  waiver.set_reason("a cable is on its way");
  waiver.mutable_until()->set_seconds(4'000'000'000);
  const WhatIf what_if = Compare();
  EXPECT_THAT(MovesOf(what_if),
              ElementsAre(fmt::format("pfc.lossless-priority {}->{} x1 host2", kBlocks,
                                      static_cast<int>(Weight::kWaived))));
  EXPECT_EQ(what_if.hosts[1].after, Standing::kGreen);
}

TEST_F(TwoPolicies, AHostWithoutFactsIsUnknownUnderBoth) {
  audit.input(2).state = v1::HOST_STATE_UNKNOWN;
  EXPECT_THAT(HostsOf(Compare()),
              ElementsAre("host1 green green", "host2 green green", "host3 unknown unknown"));
}

TEST_F(TwoPolicies, AHostWithoutFactsIsNotGreenWhereNobodyMindsSilence) {
  audit.input(2).state = v1::HOST_STATE_UNKNOWN;
  then.checks["host.heard-from"].enabled = false;
  EXPECT_EQ(Compare().hosts[2].after, Standing::kUnknown);
}

TEST_F(TwoPolicies, WhatMustBeKnownMakesAHostUnknown) {
  *audit.host(1).net().mutable_dcb()->mutable_pfc()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_DCBNL);
  then.checks["pfc.lossless-priority"].on_unknown = v1::ON_UNKNOWN_BLOCK;
  EXPECT_THAT(HostsOf(Compare()),
              ElementsAre("host1 green green", "host2 green unknown", "host3 green green"));
}

TEST_F(TwoPolicies, AHostInMaintenanceIsOnNoSide) {
  audit.input(0).state = v1::HOST_STATE_MAINTENANCE;
  EXPECT_EQ(Compare().hosts[0].after, Standing::kInMaintenance);
}

TEST_F(TwoPolicies, WherePassesNothingNobodyIsGreen) {
  for (const Check& check : Catalog()) {
    if (check.id != "host.heard-from") then.checks[std::string(check.id)].enabled = false;
  }
  EXPECT_THAT(HostsOf(Compare()),
              ElementsAre("host1 green unknown", "host2 green unknown", "host3 green unknown"));
}

TEST_F(TwoPolicies, WhatOnlyOneJudgeKnewIsLeftOut) {
  v1::Finding& twin = audit.fleet.given.emplace_back();
  twin.set_check_id("fleet.duplicate-host");
  twin.mutable_subject()->set_host("host2");
  twin.mutable_subject()->set_label("host2");
  twin.set_status(v1::CHECK_STATUS_FAIL);
  twin.set_expected("one machine");
  twin.set_actual("a second machine id");
  twin.mutable_fix()->set_text("Give it a certificate of its own.");
  twin.add_evidence()->set_host("host2");
  then.checks["fleet.duplicate-host"].enabled = false;
  EXPECT_THAT(HostsOf(Compare()),
              ElementsAre("host1 green green", "host2 red green", "host3 green green"));
  judged_alike = false;
  const WhatIf what_if = Compare();
  EXPECT_THAT(HostsOf(what_if),
              ElementsAre("host1 green green", "host2 green green", "host3 green green"));
  EXPECT_THAT(what_if.moves, IsEmpty());
}

TEST(ChecksOfSwitches, NeedTheController) {
  EXPECT_TRUE(NeedsController("switch.mtu"));
  EXPECT_TRUE(NeedsController("switch.host-mtu"));
  EXPECT_FALSE(NeedsController("mtu.netdev"));
  EXPECT_FALSE(NeedsController("site.jumbo"));
}

}  // namespace
}  // namespace roceready::checks
