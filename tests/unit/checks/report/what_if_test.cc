// SPDX-License-Identifier: Apache-2.0
#include "checks/report/what_if.h"

#include <google/protobuf/util/json_util.h>

#include "checks/policy/site_rule.h"
#include "tests/unit/checks/audit.h"
#include "tests/unit/checks/report/golden.h"

namespace roceready::report {
namespace {

using checks::AuditOf, checks::HealthyLab;
using ::testing::HasSubstr, ::testing::Not;

// Host 2 has no PFC, which the policy in force has waived; host 3 an MTU that the new policy does
// not mind; of host 4 nothing is stored.
WhatIfReport BothSides() {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({});
  audit.host(2).WithMtu(4200, 2048);
  audit.With({.host = "host4",
              .state = v1::HOST_STATE_UNKNOWN,
              .state_reason = "no agent of this name has been heard of"});
  const EffectivePolicy healthy = builders::HealthyPolicy();
  audit.policy = healthy;
  audit.policy.name = "lossless-dscp";
  v1::Waiver& waiver = audit.policy.waivers.emplace_back();
  waiver.set_id("OPS-211");
  waiver.set_check_id("pfc.lossless-priority");
  waiver.mutable_until()->set_seconds(4'000'000'000);
  WhatIfReport report;
  report.before = {audit.Report(), "lossless-dscp (of the controller, its default)"};
  audit.policy = healthy;
  audit.policy.name = "next";
  for (const char* check : {"mtu.netdev", "mtu.rdma-active", "mtu.peer-mismatch"}) {
    audit.policy.checks[check].enabled = false;
  }
  audit.policy.sources["intent.lossless_priorities"] = "next.yaml:6";
  report.after = {audit.Report(), "next (next.yaml)"};
  report.fact_age_seconds = {{"host1", 9}, {"host2", 11}, {"host3", 7500}};
  report.not_compared = {
      "switch settings, and agents of one name: the controller alone knows them"};
  return report;
}

// The pointers of the changes go into the report that they were made of.
const WhatIfReport& Shown() {
  static const WhatIfReport* report = [] {
    auto* made = new WhatIfReport(BothSides());
    static const std::vector<std::string> hosts = {"host1", "host2", "host3", "host4"};
    made->changes = checks::CompareReports({made->before.report, made->after.report, hosts, false});
    return made;
  }();
  return *report;
}

TEST(WhatIf, ShowsWhoChangesSidesAndWhy) {
  EXPECT_EQ(RenderWhatIf(Shown()), Golden("what_if.txt"));
}

TEST(WhatIf, IsReadableWithoutColourAndWithIt) {
  EXPECT_THAT(RenderWhatIf(Shown()), Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderWhatIf(Shown(), {.color = true}), HasSubstr("\x1b"));
}

TEST(WhatIf, HasARowForEachHostAndAFindingForEachMoveAsJson) {
  const google::protobuf::Struct document = WhatIfAsMessage(Shown());
  const auto& fields = document.fields();
  const auto& hosts = fields.at("hosts").list_value();
  ASSERT_EQ(hosts.values_size(), 4);
  const auto& second = hosts.values(1).struct_value().fields();
  EXPECT_EQ(second.at("host").string_value(), "host2");
  EXPECT_EQ(second.at("before").string_value(), "green");
  EXPECT_EQ(second.at("after").string_value(), "red");
  EXPECT_EQ(second.at("fact_age_seconds").number_value(), 11);
  const auto& last = hosts.values(3).struct_value().fields();
  EXPECT_EQ(last.at("after").string_value(), "unknown");
  EXPECT_FALSE(last.at("has_facts").bool_value());
  EXPECT_FALSE(last.contains("fact_age_seconds"));
  const auto& move = fields.at("checks").list_value().values(0).struct_value().fields();
  EXPECT_EQ(move.at("check_id").string_value(), "pfc.lossless-priority");
  EXPECT_EQ(move.at("before").string_value(), "waived");
  EXPECT_EQ(move.at("after").string_value(), "blocks");
  EXPECT_EQ(move.at("count").number_value(), 1);
  EXPECT_EQ(move.at("hosts").string_value(), "host2");
  const auto& first = move.at("first").struct_value().fields();
  EXPECT_EQ(first.at("check_id").string_value(), "pfc.lossless-priority");
  EXPECT_EQ(fields.at("after").struct_value().fields().at("readiness").string_value(),
            "READINESS_NOT_READY");
  EXPECT_EQ(fields.at("not_compared").list_value().values_size(), 1);
}

TEST(ChecksOfAPolicy, SayWhatItChanges) {
  EffectivePolicy policy = builders::HealthyPolicy();
  policy.name = "site";
  policy.checks["mtu.netdev"].enabled = false;
  policy.checks["mtu.netdev"].source = "site.yaml:7";
  policy.checks["link.fec"].severity = v1::SEVERITY_BLOCKS;
  policy.checks["pfc.lossless-priority"].on_unknown = v1::ON_UNKNOWN_BLOCK;
  v1::SiteCheck jumbo;
  jumbo.set_id("jumbo");
  jumbo.set_path("net_devices[].mtu.mtu_bytes");
  jumbo.set_operator_("at-least");
  jumbo.set_value("9000");
  jumbo.set_text("the storage network carries jumbo frames");
  std::vector<SiteMistake> mistakes;
  policy.site_checks.push_back(MakeSiteRule(jumbo, mistakes));
  ASSERT_TRUE(mistakes.empty());
  policy.sources["site_checks.jumbo"] = "site.yaml:20";

  const std::string text = RenderChecks(policy);
  EXPECT_THAT(text, HasSubstr("policy site, where no override for a host says otherwise\n"));
  EXPECT_THAT(text, testing::ContainsRegex("mtu.netdev +host +off .*"));
  EXPECT_THAT(text, HasSubstr("(site.yaml:7)"));
  EXPECT_THAT(text, testing::ContainsRegex("pfc.lossless-priority +host +blocks "));
  EXPECT_THAT(text, testing::ContainsRegex("site.jumbo +host +advice "));

  const auto rows = ChecksAsMessage(policy).fields().at("checks").list_value();
  EXPECT_EQ(rows.values_size(), static_cast<int>(checks::Catalog().size()) + 1);
  for (const auto& value : rows.values()) {
    const auto& row = value.struct_value().fields();
    const std::string& id = row.at("check_id").string_value();
    EXPECT_EQ(row.at("enabled").bool_value(), id != "mtu.netdev") << id;
    if (id == "link.fec") {
      EXPECT_EQ(row.at("severity").string_value(), "SEVERITY_BLOCKS");
    } else if (id == "site.jumbo") {
      EXPECT_EQ(row.at("policy_source").string_value(), "site.yaml:20");
    }
  }
}

}  // namespace
}  // namespace roceready::report
