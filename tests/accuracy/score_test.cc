// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::accuracy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

v1::Finding& Add(Audit& audit, const std::string& check, const std::string& host,
                 v1::CheckStatus status = v1::CHECK_STATUS_FAIL) {
  v1::Finding& finding = *audit.report.add_findings();
  finding.set_check_id(check);
  finding.set_status(status);
  finding.mutable_subject()->set_host(host);
  finding.mutable_subject()->set_net_device_id("pci:0000:3b:00.0/0");
  finding.mutable_subject()->set_label(host + " ens1np0");
  finding.set_actual("wrong");
  return finding;
}

Audit NotReady() {
  Audit audit;
  audit.report.mutable_verdict()->set_readiness(v1::READINESS_NOT_READY);
  audit.names.emplace("gpu1 pci:0000:3b:00.0/0", "ens1np0");
  return audit;
}

Case Wants(std::vector<Text> findings, std::vector<Text> unknown = {}) {
  Case one;
  one.verdict.text = "not-ready";
  one.findings = std::move(findings);
  one.unknown = std::move(unknown);
  return one;
}

TEST(Score, ALabelIsMetByCheckHostAndName) {
  Audit audit = NotReady();
  Add(audit, "mtu.netdev", "gpu1");
  EXPECT_EQ(Compare(Wants({{"mtu.netdev gpu1", {}}}), audit).met, 1u);
  EXPECT_EQ(Compare(Wants({{"mtu.netdev gpu1 ens1np0", {}}}), audit).met, 1u);
  EXPECT_EQ(Compare(Wants({{"mtu.* gpu1 pci:0000:3b:00.0/0", {}}}), audit).met, 1u);
  for (const char* wrong : {"mtu.netdev gpu2", "mtu.netdev gpu1 ens2np0", "pfc.* gpu1"}) {
    const Outcome outcome = Compare(Wants({{wrong, {}}}), audit);
    EXPECT_THAT(outcome.missed, ElementsAre(wrong));
    EXPECT_THAT(outcome.raised, ElementsAre("mtu.netdev gpu1 ens1np0: wrong"));
  }
}

TEST(Score, OnlyRootCausesArePositives) {
  Audit audit = NotReady();
  Add(audit, "mtu.netdev", "gpu1");
  Add(audit, "mtu.rdma-active", "gpu1").set_caused_by("mtu.netdev host=gpu1");
  Add(audit, "pfc.lossless-priority", "gpu1").set_waived_by("rack-7");
  Add(audit, "link.flaps", "gpu1", v1::CHECK_STATUS_UNKNOWN);
  const Outcome outcome = Compare(Wants({{"mtu.netdev gpu1", {}}}), audit);
  EXPECT_THAT(outcome.raised, ElementsAre());
  EXPECT_THAT(Compare(Wants({{"mtu.rdma-active gpu1", {}}}), audit).missed,
              ElementsAre("mtu.rdma-active gpu1"));
}

TEST(Score, AnUnknownThatBlocksCounts) {
  Audit audit = NotReady();
  Add(audit, "mtu.netdev", "gpu1", v1::CHECK_STATUS_UNKNOWN).set_on_unknown(v1::ON_UNKNOWN_BLOCK);
  EXPECT_EQ(Compare(Wants({}), audit).raised.size(), 1u);
  EXPECT_EQ(Compare(Wants({}, {{"mtu.netdev gpu1", {}}}), audit).met, 1u);
  EXPECT_THAT(Compare(Wants({{"mtu.netdev gpu1", {}}}), audit).missed,
              ElementsAre("mtu.netdev gpu1"));
}

TEST(Score, AWrongVerdictIsTold) {
  Audit audit = NotReady();
  audit.report.mutable_verdict()->set_readiness(v1::READINESS_READY);
  EXPECT_EQ(Compare(Wants({}), audit).verdict_wrong, "ready, expected not-ready");
}

TEST(Score, FiguresAreOfAllLabels) {
  Tally tally;
  tally += Outcome{.group = "mtu",
                   .name = {},
                   .mode = {},
                   .met = 3,
                   .missed = {"a"},
                   .raised = {"b", "c"},
                   .verdict_wrong = "x"};
  EXPECT_DOUBLE_EQ(tally.Precision(), 0.6);
  EXPECT_DOUBLE_EQ(tally.Recall(), 0.75);
  EXPECT_DOUBLE_EQ(tally.Verdicts(), 0);
  EXPECT_DOUBLE_EQ(Tally().Precision(), 1);
}

TEST(Score, TheTableHasGroupsAndConfusions) {
  const std::string text = Render({{.group = "mtu",
                                    .name = "left-at-1500",
                                    .mode = "MTU-01",
                                    .met = 1,
                                    .missed = {"mtu.netdev gpu1"},
                                    .raised = {},
                                    .verdict_wrong = {}}});
  EXPECT_THAT(text, HasSubstr("mtu"));
  EXPECT_THAT(text, HasSubstr("0.500"));
  EXPECT_THAT(text, HasSubstr("mtu/left-at-1500 (MTU-01)\n  missed: mtu.netdev gpu1\n"));
}

}  // namespace
}  // namespace roceready::accuracy
