// SPDX-License-Identifier: Apache-2.0
#include "checks/evaluate.h"

#include <fmt/core.h>

#include "checks/check.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic, builders::ProbeBuilder, builders::EndOf;
using ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Verdict, IsReadyWhenEveryHostIsRight) {
  AuditOf audit = HealthyLab();

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(RootsOf(report), IsEmpty());
  EXPECT_THAT(FoldedOf(report), IsEmpty());
  EXPECT_EQ(report.verdict().blocking(), 0u);
  EXPECT_THAT(report.verdict().hosts_blocked(), IsEmpty());
}

TEST(Verdict, IsReadyForMlx5WithTheInboxDriverAndSaysWhatWasNotSeen) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  for (int rail = 0; rail < 2; ++rail) {
    v1::CongestionControl& congestion = *host.port(rail).mutable_congestion();
    congestion.Clear();
    *congestion.mutable_reading() = builders::Answered(v1::SOURCE_DEBUGFS);
    for (v1::PriorityMask* mask :
         {congestion.mutable_notification_point(), congestion.mutable_reaction_point()}) {
      *mask->mutable_reading() = builders::Unanswered(
          v1::OUTCOME_UNSUPPORTED, v1::SOURCE_VENDOR_SYSFS, "the vendor's driver");
    }
    *congestion.mutable_parameters()->mutable_reading() =
        builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_DEBUGFS, "root");
  }
  AuditOf audit({host});

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(RootsOf(report), UnorderedElementsAre("UNKNOWN ecn.dcqcn-parameters gpu1",
                                                    "UNKNOWN ecn.dcqcn-parameters gpu1"));
  EXPECT_EQ(Find(report, "ecn.dcqcn-enabled")->reason(),
            "UNSUPPORTED, needs the vendor's driver (vendor sysfs)");
  EXPECT_THAT(report.verdict().coverage().not_audited(), Contains("ecn.dcqcn-enabled on 2 of 2"));
  EXPECT_THAT(report.verdict().coverage().not_audited(),
              Contains("ecn.dcqcn-parameters on 2 of 2"));
}

TEST(Verdict, IsNotReadyOnABlockingFailure) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({});

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_EQ(report.verdict().blocking(), 1u);
  EXPECT_THAT(report.verdict().hosts_blocked(), ElementsAre("host2"));
}

TEST(Verdict, StaysReadyOnDegradationAndAdvice) {
  AuditOf audit = HealthyLab();
  audit.policy.hardware.clear();
  audit.host(1).net().mutable_ethernet()->set_speed_mbps(25'000);
  audit.host(2).WithFirmware("28.39.0001");

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(RootsOf(report), UnorderedElementsAre("FAIL speed.as-planned host2",
                                                    "FAIL firmware.odd-one-out host3"));
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(report.verdict().degrading(), 1u);
  EXPECT_EQ(report.verdict().advice(), 1u);
}

TEST(Verdict, IsUndeterminedWhenABlockingCheckIsUnknown) {
  AuditOf audit = HealthyLab();
  *audit.host(1).port().mutable_reading() =
      builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RDMA_NETLINK, {}, "RTNL is held");
  audit.host(1).port().clear_state();

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(Only(report, "port.active").reason(), "TIMED_OUT: RTNL is held (RDMA netlink)");
  EXPECT_EQ(report.verdict().blocking_unknown(), 1u);
  EXPECT_THAT(report.verdict().hosts_blocked(), ElementsAre("host2"));
}

TEST(Verdict, StaysReadyWhenAnUnknownIsOnlyNoted) {
  AuditOf audit = HealthyLab();
  audit.host(0).net().mutable_dcb()->clear_pfc();

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(RootsOf(report), ElementsAre("UNKNOWN pfc.lossless-priority host1"));
  EXPECT_THAT(Only(report, "pfc.lossless-priority").reason(), HasSubstr("NOT_COLLECTED"));
}

TEST(Verdict, FollowsThePolicysSeverityAndOnUnknown) {
  AuditOf audit = HealthyLab();
  audit.host(0).net().mutable_dcb()->clear_pfc();
  audit.host(1).WithPfc({4});
  audit.policy.checks["pfc.lossless-priority"] = {.severity = v1::SEVERITY_ADVICE,
                                                  .on_unknown = v1::ON_UNKNOWN_BLOCK};

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(report.verdict().advice(), 1u);
}

TEST(Verdict, LeavesOutADisabledCheck) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({4});
  audit.policy.checks["pfc.lossless-priority"] = {.enabled = false};

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(RootsOf(report), IsEmpty());
  EXPECT_EQ(TallyOf(report, "pfc.lossless-priority").evaluated(), 0u);
}

TEST(Verdict, NeverPassesWhenNothingIsJudged) {
  AuditOf audit = HealthyLab();
  for (const Check& check : Catalog()) audit.policy.checks[std::string(check.id)].enabled = false;

  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_UNDETERMINED);
}

TEST(Verdict, NeverPassesWithoutAHost) {
  AuditOf audit({});

  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_UNDETERMINED);
}

TEST(Verdict, NeverPassesWhenNothingIsKnownOfAHost) {
  AuditOf audit({HostBuilder("host1", 1)});
  audit.host().facts().Clear();

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(RootsOf(report), ::testing::Contains("UNKNOWN device.rdma-present host1"));
  EXPECT_THAT(RootsOf(report), ::testing::Each(::testing::StartsWith("UNKNOWN ")));
}

TEST(SilentHost, IsARowThatBlocksAndDoesNotHideTheOthers) {
  AuditOf audit = HealthyLab();
  audit.With({.host = "gpu9", .state = v1::HOST_STATE_UNKNOWN});
  audit.With({.host = "gpu8",
              .state = v1::HOST_STATE_MISSING,
              .state_reason = "not heard for 2 h 14 min, agent 0.4.1"});

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_THAT(RootsOf(report),
              ElementsAre("UNKNOWN host.heard-from gpu8", "UNKNOWN host.heard-from gpu9"));
  EXPECT_THAT(report.verdict().coverage().hosts_missing(), ElementsAre("gpu8", "gpu9"));
  EXPECT_THAT(report.verdict().hosts_blocked(), ElementsAre("gpu8", "gpu9"));
  EXPECT_EQ(report.verdict().coverage().hosts_asked(), 5u);
  EXPECT_EQ(report.verdict().coverage().hosts_judged(), 3u);
}

TEST(SilentHost, IsNotJudgedInMaintenance) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({});
  audit.input(1).state = v1::HOST_STATE_MAINTENANCE;

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(report.verdict().coverage().hosts_in_maintenance(), ElementsAre("host2"));
}

TEST(OldFacts, AreUnknownBeyondTheLimitAndAlwaysStated) {
  AuditOf audit = HealthyLab();
  audit.input(0).fact_ages = {{"net_devices/pci:0000:30:00.0/0/dcb", std::chrono::seconds(4)},
                              {"kernel", std::chrono::seconds(90)}};

  EXPECT_EQ(audit.Report().verdict().coverage().oldest_fact().seconds(), 90);
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY);

  audit.input(0).max_fact_age = std::chrono::seconds(60);
  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(Only(report, "host.heard-from").reason(),
            "kernel was read 90 s ago, more than the 60 s allowed");
}

TEST(OldFacts, OfAHostThatWasAskedInVainAreUnknown) {
  AuditOf audit = HealthyLab();
  audit.input(0).state = v1::HOST_STATE_STALE;
  audit.input(0).state_reason = "it is connected, but sent no fresh facts in time";

  const v1::AuditReport report = audit.Report();
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(Only(report, "host.heard-from").reason(), audit.input(0).state_reason);

  audit.input(0).max_fact_age = std::chrono::minutes(60);
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY) << "such facts are allowed";
}

TEST(Evidence, CarriesTheAgeOfThePartItRestsOn) {
  AuditOf audit({HostBuilder("host1", 1).WithPfc({})});
  audit.input(0).fact_ages = {{"net_devices/pci:0000:30:00.0/0", std::chrono::seconds(9)},
                              {"net_devices/pci:0000:30:00.0/0/dcb", std::chrono::seconds(4)}};

  const v1::Evidence evidence = Only(audit.Report(), "pfc.lossless-priority").evidence(0);

  EXPECT_EQ(evidence.fact_path(), "net_devices[pci:0000:30:00.0/0].dcb.pfc.enabled_priorities");
  EXPECT_EQ(evidence.value(), "none");
  EXPECT_EQ(evidence.reading().source(), v1::SOURCE_DCBNL);
  EXPECT_EQ(evidence.age().seconds(), 4);
}

TEST(Key, DoesNotChangeWithNamesIndexesAndValues) {
  AuditOf audit({HostBuilder("host1", 1).WithPfc({})});
  const std::string before = Only(audit.Report(), "pfc.lossless-priority").key();

  audit.host().net().set_name("renamed0");
  audit.host().net().set_index(77);
  audit.host().rdma().set_name("roce9");
  audit.host().WithPfc({5, 6});

  EXPECT_EQ(Only(audit.Report(), "pfc.lossless-priority").key(), before);
  EXPECT_EQ(before,
            "pfc.lossless-priority host=host1 device=netdev:pci:0000:30:00.0/0 port=1 "
            "net=pci:0000:30:00.0/0");
}

TEST(Waiver, KeepsAFindingInTheReportAndOutOfTheVerdict) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({});
  v1::Waiver waiver;
  waiver.set_id("OPS-211");
  waiver.set_check_id("pfc.lossless-priority");
  waiver.set_hosts("host2");
  waiver.mutable_until()->set_seconds(kNow.time_since_epoch() / std::chrono::seconds(1) + 60);
  EffectivePolicy waiving = audit.policy;
  waiving.waivers.push_back(waiver);
  audit.input(1).policy = &waiving;

  v1::AuditReport report = audit.Report();
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(RootsOf(report), ElementsAre("waived FAIL pfc.lossless-priority host2"));
  EXPECT_EQ(TallyOf(report, "pfc.lossless-priority").waived(), 1u);
  EXPECT_EQ(report.verdict().blocking(), 0u);

  audit.fleet.now = kNow + std::chrono::seconds(120);
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(Waiver, ExplainsNothing) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithMtu(1500, 1024);
  v1::Waiver waiver;
  waiver.set_id("OPS-1");
  waiver.set_check_id("mtu.netdev");
  waiver.set_hosts("*");
  waiver.mutable_until()->set_seconds(kNow.time_since_epoch() / std::chrono::seconds(1) + 60);
  audit.policy.waivers.push_back(waiver);

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_THAT(RootsOf(report),
              ElementsAre("FAIL mtu.rdma-active host2", "waived FAIL mtu.netdev host2"));
}

TEST(Folding, LeavesAFailureStandingUnderAnUnknown) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithMtu(9000, 1024).net().clear_mtu();

  EXPECT_THAT(RootsOf(audit.Report()),
              UnorderedElementsAre("FAIL mtu.rdma-active host2", "UNKNOWN mtu.netdev host2"));
}

void ForgetBuffer(builders::HostBuilder& host) {
  v1::PortBuffer& buffer = *host.net().mutable_dcb()->mutable_buffer();
  buffer.Clear();
  *buffer.mutable_reading() = builders::Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_DCBNL);
}

TEST(Folding, AWrongSettingDoesNotExplainWhatCouldNotBeRead) {
  AuditOf audit = HealthyLab();
  ForgetBuffer(audit.host(1).WithMtu(1500, 1024));

  EXPECT_THAT(RootsOf(audit.Report()),
              UnorderedElementsAre("FAIL mtu.netdev host2", "UNKNOWN buffer.lossless host2"));
}

TEST(Folding, APortThatIsDownDoes) {
  AuditOf audit = HealthyLab();
  ForgetBuffer(audit.host(1).WithPortDown());

  const v1::AuditReport report = audit.Report();
  EXPECT_THAT(RootsOf(report), ElementsAre("FAIL port.active host2"));
  EXPECT_THAT(FoldedOf(report), Contains("UNKNOWN buffer.lossless host2 <- port.active"));
}

TEST(Folding, StaysWithinAPort) {
  AuditOf audit = HealthyLab(2);
  audit.host(1).WithPortDown(0).WithMtu(9000, 1024, 0).WithMtu(9000, 1024, 1);

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(RootsOf(report),
              UnorderedElementsAre("FAIL port.active host2", "FAIL mtu.rdma-active host2"));
  EXPECT_THAT(FoldedOf(report), Contains("FAIL mtu.rdma-active host2 <- port.active"));
}

TEST(Folding, HidesNoWrongSettingUnderAPortThatIsDown) {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPortDown().WithPfc({});
  EXPECT_THAT(RootsOf(audit.Report()),
              UnorderedElementsAre("FAIL port.active host2", "FAIL pfc.lossless-priority host2"));

  // What firmware agrees on with the switch goes with the link.
  audit.host(1).net().mutable_dcb()->mutable_dcbx()->set_modes(0, "lld-managed");
  EXPECT_THAT(FoldedOf(audit.Report()),
              Contains("FAIL pfc.lossless-priority host2 <- port.active"));
}

TEST(Tallies, CountPassesAndSendNone) {
  AuditOf audit = HealthyLab(2);
  audit.host(1).WithPfc({}, 1);

  const v1::CheckTally tally = TallyOf(audit.Report(), "pfc.lossless-priority");

  EXPECT_EQ(tally.evaluated(), 6u);
  EXPECT_EQ(tally.pass(), 5u);
  EXPECT_EQ(tally.fail(), 1u);
}

TEST(Blocks, AreOneForTheSameFindingOnManyHosts) {
  AuditOf audit = HealthyLab();
  audit.host(0).WithPfc({});
  audit.host(1).WithPfc({});
  audit.host(2).WithPfc({4});

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(report.verdict().blocking(), 2u);
  EXPECT_THAT(report.verdict().hosts_blocked(), ElementsAre("host1", "host2", "host3"));
}

TEST(GivenFinding, IsSettledLikeOurOwn) {
  AuditOf audit = HealthyLab();
  v1::Finding twin;
  twin.set_check_id("fleet.duplicate-host");
  twin.mutable_subject()->set_host("host1");
  twin.mutable_subject()->set_label("host1");
  twin.set_status(v1::CHECK_STATUS_FAIL);
  twin.set_expected("one machine");
  twin.set_actual("a second machine id");
  twin.mutable_fix()->set_text("Give it its own certificate.");
  twin.add_evidence()->set_host("host1");
  audit.fleet.given.push_back(twin);

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(RootsOf(report), ElementsAre("FAIL fleet.duplicate-host host1"));
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_EQ(Only(report, "fleet.duplicate-host").key(), "fleet.duplicate-host host=host1");

  audit.fleet.given.clear();
  EXPECT_THAT(RootsOf(audit.Report()), IsEmpty());
}

TEST(JudgeHost, CanBeKeptWhenItsFactsAreGone) {
  const EffectivePolicy policy = builders::HealthyPolicy();
  std::vector<HostJudgementPtr> kept;
  for (uint32_t number : {1u, 2u}) {
    HostBuilder host(fmt::format("host{}", number), number);
    if (number == 2) host.WithMtu(1500, 1024);
    kept.push_back(JudgeHost({.host = host.facts().identity().host(),
                              .facts = &host.facts(),
                              .counters = &host.counters(),
                              .policy = &policy}));
  }

  const v1::AuditReport report = Conclude(kept, {.policy = &policy, .now = kNow});

  EXPECT_THAT(RootsOf(report), ElementsAre("FAIL mtu.netdev host2"));
  EXPECT_THAT(FoldedOf(report),
              UnorderedElementsAre("FAIL mtu.rdma-active host2 <- mtu.netdev",
                                   "FAIL mtu.peer-mismatch host1>host2 <- mtu.netdev"));
}

TEST(Evaluate, SaysTheSameForTheSameInput) {
  AuditOf audit = HealthyLab(2);
  audit.host(1).WithPfc({}).WithMtu(1500, 1024, 1);

  EXPECT_EQ(audit.Report().SerializeAsString(), audit.Report().SerializeAsString());
}

}  // namespace
}  // namespace roceready::checks
