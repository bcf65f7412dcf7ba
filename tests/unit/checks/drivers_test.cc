// SPDX-License-Identifier: Apache-2.0
// The same numbers mean different things in different drivers, and some things live elsewhere: on a
// bond's members, below a VLAN, on a virtual function's physical one.
#include <fstream>
#include <sstream>

#include "checks/policy/policy_file.h"
#include "proto/contract/facts_file.h"
#include "tests/support/source_path.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;
using ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;
using ::testing::Not, ::testing::UnorderedElementsAre;

v1::AuditReport Judge(const HostBuilder& host) { return AuditOf({host}).Report(); }

TEST(Mlx5, WithoutDscpEntriesTrustsPcp) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.WithDscp({});

  EXPECT_EQ(Only(Judge(host), "qos.dscp-priority").actual(),
            "the port trusts PCP and does not look at DSCP");
}

TEST(Mlx5, WithDscpEntriesDoesNotTrustPcpAsThePolicyWants) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5)});
  audit.policy.intent.set_trust("pcp");

  EXPECT_THAT(Only(audit.Report(), "qos.dscp-priority").actual(), HasSubstr("trusts DSCP"));

  audit.host().WithDscp({});
  EXPECT_EQ(Find(audit.Report(), "qos.dscp-priority"), nullptr);
}

TEST(Mlx5, WhoseFirmwareRunsDcbxIsToldSoInTheFix) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.WithPfc({});
  host.net().mutable_dcb()->mutable_dcbx()->clear_modes();
  host.net().mutable_dcb()->mutable_dcbx()->add_modes("ieee");

  EXPECT_THAT(Only(Judge(host), "pfc.lossless-priority").fix().text(),
              HasSubstr("firmware runs DCBX"));
}

TEST(Bnxt, WithAnEmptyCacheIsUnknownAndNotOff) {
  HostBuilder host("gpu1", 1, Nic::kBnxt);
  host.WithPfc({}).WithDscp({});
  for (uint32_t& value : *host.net().mutable_dcb()->mutable_ets()->mutable_priority_to_class())
    value = 0;
  for (uint32_t& value : *host.net().mutable_dcb()->mutable_ets()->mutable_tx_bandwidth_percent())
    value = 0;

  const v1::AuditReport report = Judge(host);

  EXPECT_EQ(Only(report, "pfc.lossless-priority").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(Only(report, "qos.dscp-priority").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
}

TEST(Bnxt, WithSettingsThroughTheKernelIsJudged) {
  HostBuilder host("gpu1", 1, Nic::kBnxt);
  host.WithPfc({}).WithDscp({{26, 5}});

  const v1::AuditReport report = Judge(host);

  EXPECT_EQ(Only(report, "pfc.lossless-priority").status(), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(Only(report, "qos.dscp-priority").actual(), "DSCP 26 (RoCE) -> priority 5");
}

TEST(Ice, MapsDscpToTrafficClasses) {
  HostBuilder host("gpu1", 1, Nic::kIce);
  v1::Ets& ets = *host.net().mutable_dcb()->mutable_ets();
  ets.set_priority_to_class(3, 1);
  ets.set_priority_to_class(6, 2);
  host.WithDscp({{26, 1}, {48, 2}});
  EXPECT_EQ(Find(Judge(host), "qos.dscp-priority"), nullptr);

  host.WithDscp({{26, 3}, {48, 2}});
  EXPECT_EQ(Only(Judge(host), "qos.dscp-priority").actual(),
            "DSCP 26 (RoCE) -> class 3, but priority 3 is in class 1");
  EXPECT_THAT(Only(Judge(host), "qos.dscp-priority").fix().command(),
              HasSubstr("dcb app add dev ens0 dscp-prio 26:1"));

  host.net().mutable_dcb()->clear_ets();
  EXPECT_EQ(Only(Judge(host), "qos.dscp-priority").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(Irdma, SaysRdmaMtu4096WhereHeadersDoNotFit) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kIce)});
  audit.policy.intent.clear_mtu_bytes();
  audit.host().WithMtu(4096, 4096);

  EXPECT_THAT(Only(audit.Report(), "mtu.rdma-active").actual(),
              HasSubstr("full packets do not fit"));
  EXPECT_EQ(Only(audit.Report(), "mtu.rdma-active").fix().command(),
            "ip link set dev ens0 mtu 4192");

  audit.host().WithMtu(4192, 4096);
  EXPECT_EQ(Find(audit.Report(), "mtu.rdma-active"), nullptr);

  audit.host().net().clear_mtu();
  EXPECT_EQ(Only(audit.Report(), "mtu.rdma-active").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(AppTrust, DecidesWhereTheKernelHasIt) {
  HostBuilder host("host1", 1);
  v1::AppTrust& trust = *host.net().mutable_dcb()->mutable_app_trust();
  *trust.mutable_reading() = builders::Answered(v1::SOURCE_DCBNL);
  trust.add_order("pcp");
  trust.add_order("dscp");

  EXPECT_EQ(Only(Judge(host), "qos.dscp-priority").actual(),
            "the port trusts PCP and does not look at DSCP");
}

TEST(AppTable, WithTwoPrioritiesForOneDscpIsAFault) {
  HostBuilder host("host1", 1);
  host.WithDscp({{26, 3}, {26, 5}, {48, 6}});

  const v1::Finding finding = Only(Judge(host), "qos.dscp-priority");

  EXPECT_EQ(finding.actual(), "DSCP 26 (RoCE) -> several: priorities 3 and 5");
  EXPECT_EQ(finding.fix().command(), "dcb app del dev eth0 dscp-prio 26:5");
}

TEST(VirtualFunction, IsJudgedOnItsPhysicalFunction) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.MakeVirtual().mutable_dcb()->mutable_pfc()->clear_enabled_priorities();

  const v1::Finding finding = Only(Judge(host), "pfc.lossless-priority");

  EXPECT_EQ(finding.status(), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(finding.subject().label(), "gpu1 pf0 of ens0 (mlx5_0)");
  EXPECT_EQ(finding.fix().command(), "dcb pfc set dev pf0 prio-pfc 3:on");
}

TEST(VirtualFunction, IsUnknownWhereItsPhysicalFunctionIsNotVisible) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.MakeVirtual();
  host.facts().mutable_net_devices()->RemoveLast();

  const v1::Finding finding = Only(Judge(host), "pfc.lossless-priority");

  EXPECT_EQ(finding.status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_THAT(finding.reason(), HasSubstr("the physical port below is not visible"));
}

TEST(Bond, IsJudgedOnItsMembers) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.WithPfc({}, 1).BondRails(0, 1);

  const v1::AuditReport report = Judge(host);

  EXPECT_THAT(RootsOf(report), ElementsAre("FAIL pfc.lossless-priority gpu1"));
  EXPECT_EQ(Only(report, "pfc.lossless-priority").subject().label(), "gpu1 ens1 of bond0 (mlx5_0)");
  EXPECT_EQ(TallyOf(report, "pfc.lossless-priority").evaluated(), 2u);
}

TEST(Bond, HasTheMtuThatItsMembersMayExceed) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.BondRails(0, 1);
  host.net(0).mutable_mtu()->set_mtu_bytes(9216);
  EXPECT_THAT(RootsOf(Judge(host)), IsEmpty());

  host.net(1).mutable_mtu()->set_mtu_bytes(1500);
  EXPECT_EQ(Only(Judge(host), "mtu.netdev").expected(), "MTU 9000 or more");
}

TEST(Vlan, WithTheAddressesMustHaveTheMtuItself) {
  HostBuilder host("host1", 1);
  v1::NetDevice& vlan = host.AddVlan(100);
  vlan.mutable_mtu()->set_mtu_bytes(1500);

  EXPECT_EQ(Only(Judge(host), "mtu.netdev").subject().label(), "host1 eth0.100 of eth0 (rxe0)");
}

TEST(Vlan, MayCarryTheGid) {
  HostBuilder host("host1", 1);
  v1::NetDevice& vlan = host.AddVlan(100);
  *vlan.mutable_addresses() = host.net().addresses();
  host.port().mutable_gid_table()->mutable_gids(1)->set_net_device_id(vlan.id());

  EXPECT_EQ(Find(Judge(host), "gid.rocev2-ipv4"), nullptr);
}

TEST(Vlan, WithTheOnlyGidThatWasNotReadMayBeDown) {
  HostBuilder host("host1", 1);
  v1::NetDevice& vlan = host.AddVlan(100);
  *vlan.mutable_addresses() = host.net().addresses();
  host.port().mutable_gid_table()->mutable_gids(1)->set_net_device_id(vlan.id());
  vlan.clear_link();
  *vlan.mutable_link()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);

  EXPECT_EQ(TallyOf(Judge(host), "port.active").unknown(), 1u);
}

TEST(Gid, OfAnotherNetDeviceIsNotThePorts) {
  HostBuilder host("host1", 1);
  host.port().mutable_gid_table()->mutable_gids(1)->set_net_device_id("name:macvlan7");
  EXPECT_THAT(Only(Judge(host), "gid.rocev2-ipv4").actual(), HasSubstr("other net devices"));

  host.port().mutable_gid_table()->mutable_gids(1)->clear_net_device_id();
  EXPECT_EQ(Only(Judge(host), "gid.rocev2-ipv4").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(Gid, AndMtuAreOneUnknownWhereTheNetDeviceIsInAnotherNamespace) {
  HostBuilder host("host1", 1);
  host.port().clear_net_device_id();
  for (v1::Gid& gid : *host.port().mutable_gid_table()->mutable_gids()) {
    gid.set_net_device_id("name:elsewhere");
  }

  EXPECT_THAT(FoldedOf(Judge(host)), Contains("UNKNOWN mtu.netdev host1 <- gid.rocev2-ipv4"));
}

TEST(Gid, OfIpv6CountsWhereThePolicyWantsIt) {
  AuditOf audit({HostBuilder("host1", 1)});
  audit.policy.intent.set_ip_family("ipv6");
  EXPECT_EQ(Only(audit.Report(), "gid.rocev2-ipv4").expected(),
            "a RoCE v2 GID with an IPv6 address");

  audit.host().WithIpv6("fd00::1");
  EXPECT_EQ(Find(audit.Report(), "gid.rocev2-ipv4"), nullptr);
}

TEST(AuditedPorts, LeaveOutManagementNicsAndInfiniBand) {
  HostBuilder host("host1", 1, Nic::kLab, 3);
  host.WithPfc({}, 1).WithPfc({}, 2);
  host.facts().mutable_rdma_devices()->DeleteSubrange(1, 1);
  host.rdma(1).set_protocol("ib");
  host.port(1).mutable_attributes()->set_link_layer("InfiniBand");

  const v1::AuditReport report = Judge(host);

  EXPECT_THAT(RootsOf(report), IsEmpty());
  EXPECT_EQ(report.verdict().coverage().ports_judged(), 1u);
}

TEST(AuditedPorts, AreThoseThatTheJobNames) {
  AuditOf audit({HostBuilder("host1", 1, Nic::kLab, 2)});
  audit.host().WithPortDown(1);
  EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_NOT_READY);

  for (const char* name : {"eth0", "rxe0", "rxe0:1"}) {
    audit.policy.job.clear_interfaces();
    audit.policy.job.add_interfaces(name);
    EXPECT_EQ(audit.Report().verdict().readiness(), v1::READINESS_READY) << name;
  }
}

TEST(AuditedPorts, WithOnlyInfiniBandAreNone) {
  HostBuilder host("host1", 1);
  host.rdma().set_protocol("ib");
  host.port().mutable_attributes()->set_link_layer("InfiniBand");

  EXPECT_EQ(Only(Judge(host), "device.rdma-present").actual(), "no RoCE port among rxe0 (ib)");
}

TEST(DeadRdmaHalf, IsAFailureWhereNoRdmaStackIsLoadedAtAll) {
  HostBuilder host("host1", 1);
  host.facts().clear_rdma_devices();
  *host.facts().mutable_rdma_scan() =
      builders::Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS, "module ib_core");
  EXPECT_EQ(Only(Judge(host), "device.rdma-present").status(), v1::CHECK_STATUS_FAIL);

  // Where the host was not read either, nothing is known.
  host.facts().mutable_pci_scan()->set_outcome(v1::OUTCOME_DENIED);
  EXPECT_EQ(Only(Judge(host), "device.rdma-present").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(DeadRdmaHalf, IsNamedWithItsModule) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.facts().clear_rdma_devices();

  const v1::Finding finding = Only(Judge(host), "device.rdma-present");

  EXPECT_EQ(finding.actual(), "no RDMA device; 2 functions of mlx5_core without mlx5_ib");
  EXPECT_EQ(finding.fix().command(), "modprobe mlx5_ib");
}

TEST(Firmware, StagedAndNotRunningIsNotEnough) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.WithFirmware("28.30.1000");
  v1::FirmwareVersion& stored = *host.pci().mutable_firmware()->add_stored();
  stored.set_name("fw.version");
  stored.set_value("28.43.1014");

  EXPECT_EQ(Only(Judge(host), "firmware.minimum").fix().text(),
            "28.43.1014 is flashed already: reset the NIC or reboot.");
}

TEST(Firmware, IsTakenFromEthtoolWhereDevlinkIsSilent) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_firmware()->clear_running();
  host.net().mutable_driver()->set_firmware("28.30.1000 (LAB0000000001)");

  EXPECT_EQ(Only(Judge(host), "firmware.minimum").actual(), "firmware 28.30.1000 (LAB0000000001)");
}

TEST(Firmware, IsUnknownWhereNobodySaysIt) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_firmware()->clear_running();
  *host.pci().mutable_firmware()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_DEVLINK);

  EXPECT_EQ(Only(Judge(host), "firmware.minimum").reason(), "firmware: UNSUPPORTED (devlink)");
}

TEST(Firmware, IsUnknownWhereThePsidThatARuleAsksForWasNotRead) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_firmware()->clear_psid();
  host.WithFirmware("28.30.1000");
  EXPECT_EQ(Only(Judge(host), "firmware.minimum").status(), v1::CHECK_STATUS_UNKNOWN);

  host.WithFirmware("28.43.1000");
  EXPECT_EQ(Find(Judge(host), "firmware.minimum"), nullptr);
}

TEST(Loss, CountsDiscardsOnLosslessPrioritiesAlone) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::PortCounters* counters = nullptr;
  for (v1::PortCounters& one : *host.counters().mutable_ports()) {
    if (one.owner_id() == host.net().id()) counters = &one;
  }
  ASSERT_NE(counters, nullptr);
  v1::CounterSample& discards = *counters->add_samples();
  discards.set_id(v1::COUNTER_ID_RX_DISCARDS);
  discards.set_priority(0);
  discards.set_delta(900);
  EXPECT_EQ(Find(Judge(host), "loss.counters-moving"), nullptr);

  discards.set_priority(3);
  EXPECT_EQ(Only(Judge(host), "loss.counters-moving").actual(),
            "in 60 s: rx-discards 900 on priority 3");
}

TEST(Loss, IsMeasuredAgainstTheTraffic) {
  HostBuilder host("host1", 1);
  host.WithCounter(v1::COUNTER_ID_RETRANSMITS, 3).WithCounter(v1::COUNTER_ID_RX_PACKETS, 1'000'000);
  EXPECT_EQ(Find(Judge(host), "loss.counters-moving"), nullptr);

  host.WithCounter(v1::COUNTER_ID_RX_PACKETS, 10'000);
  EXPECT_EQ(Only(Judge(host), "loss.counters-moving").status(), v1::CHECK_STATUS_FAIL);
}

TEST(Loss, IsUnknownOnAFirstLook) {
  HostBuilder host("host1", 1);
  host.port_counters().clear_window();
  for (v1::CounterSample& sample : *host.port_counters().mutable_samples()) sample.clear_delta();

  EXPECT_THAT(Only(Judge(host), "loss.counters-moving").reason(), HasSubstr("a first look"));
}

TEST(Loss, IsNotRuledOutByLooksCloserThanTheDeviceRefreshes) {
  HostBuilder host("host1", 1);
  host.port_counters().mutable_window()->set_seconds(1);
  host.port_counters().mutable_refresh()->set_seconds(2);
  EXPECT_THAT(Only(Judge(host), "loss.counters-moving").reason(), HasSubstr("refreshes"));
  // What did move has moved.
  host.WithCounter(v1::COUNTER_ID_RETRANSMITS, 40);
  EXPECT_EQ(Only(Judge(host), "loss.counters-moving").status(), v1::CHECK_STATUS_FAIL);

  host.WithCounter(v1::COUNTER_ID_RETRANSMITS, 0);
  host.port_counters().mutable_window()->set_seconds(2);
  EXPECT_EQ(Find(Judge(host), "loss.counters-moving"), nullptr);
}

TEST(LinkFlaps, AreNotRuledOutByLooksCloserThanTheDeviceRefreshes) {
  HostBuilder host("host1", 1);
  for (v1::PortCounters& one : *host.counters().mutable_ports()) {
    one.mutable_window()->set_seconds(1);
    one.mutable_refresh()->set_seconds(2);
  }
  EXPECT_EQ(Only(Judge(host), "link.flaps").status(), v1::CHECK_STATUS_UNKNOWN);
}

// The composed hosts of tests/hosts under the policy that we ship.
class ComposedHost : public ::testing::Test {
 protected:
  static v1::AuditReport Audit(const std::string& name) {
    std::ifstream stream(SourcePath("tests/hosts/") + name + "/facts.json");
    std::stringstream text;
    text << stream.rdbuf();
    const auto file = ParseFactsFile(text.str(), name);
    if (!file.ok()) {
      ADD_FAILURE() << file.status();
      return {};
    }
    const PolicyResult loaded =
        LoadPolicyFile(SourcePath("checks/policy/policies/lossless-dscp.yaml"), {.now = kNow});
    if (!loaded.ok()) {
      ADD_FAILURE() << RenderPolicyResult(loaded);
      return {};
    }
    const EffectivePolicy policy = loaded.policy->ForHost(file->facts().identity().host());
    HostInput host{.host = file->facts().identity().host(),
                   .facts = &file->facts(),
                   .counters = file->has_counters() ? &file->counters() : nullptr,
                   .policy = &policy};
    return Evaluate({.hosts = {host}, .fleet = {.policy = &policy, .now = kNow}});
  }
};

TEST_F(ComposedHost, WithTheKernelsOwnMlx5DriverIsReadyAndSaysWhatWasNotSeen) {
  const v1::AuditReport report = Audit("mlx5-inbox");

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  for (const v1::Finding& finding : report.findings()) {
    if (finding.check_id() == "iommu.passthrough") continue;
    EXPECT_EQ(finding.status(), v1::CHECK_STATUS_UNKNOWN) << finding.DebugString();
  }
  // The IOMMU translates for its second NIC, which is advice.
  EXPECT_EQ(Only(report, "iommu.passthrough").severity(), v1::SEVERITY_ADVICE);
  EXPECT_THAT(Find(report, "ecn.dcqcn-enabled")->reason(), HasSubstr("UNSUPPORTED"));
  EXPECT_THAT(Find(report, "ecn.dcqcn-parameters")->reason(), HasSubstr("DENIED"));
  EXPECT_THAT(report.verdict().coverage().not_audited(), Contains("ecn.dcqcn-enabled on 2 of 2"));
}

TEST_F(ComposedHost, WithTheVendorsMlx5DriverIsReady) {
  const v1::AuditReport report = Audit("mlx5-vendor");

  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(Find(report, "ecn.dcqcn-enabled"), nullptr);
  EXPECT_EQ(Find(report, "ecn.dcqcn-parameters"), nullptr);
}

TEST_F(ComposedHost, WithTheVendorsDriverAndGpusHasNoFaultOfPcieOrGpus) {
  const v1::AuditReport report = Audit("mlx5-vendor");

  for (const char* id : {"pcie.acs", "pcie.payload", "pcie.read-request", "gpu.numa-node",
                         "cm.default-tos", "cm.roce-mode", "limits.rdma-cgroup",
                         "limits.rdma-cgroup-room", "device.roce-enabled", "use.storage-live"}) {
    EXPECT_GT(TallyOf(report, id).pass(), 0u) << id;
    EXPECT_EQ(Find(report, id), nullptr) << id;
  }
  // Its kernel has dma-buf, which a job may use or not.
  EXPECT_EQ(Find(report, "gpu.peer-memory")->status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST_F(ComposedHost, ThatIsBrokenShowsWhatIsWrongAroundItsPorts) {
  const v1::AuditReport report = Audit("mlx5-vendor-broken");

  EXPECT_THAT(Find(report, "cm.default-tos")->actual(), HasSubstr("DSCP 24"));
  EXPECT_THAT(Find(report, "cm.roce-mode")->actual(), HasSubstr("RoCE v1"));
  EXPECT_THAT(Find(report, "use.storage-live")->actual(), HasSubstr("connecting"));
  EXPECT_THAT(Find(report, "ecn.odd-one-out")->actual(), HasSubstr("cnp_dscp=26"));
  EXPECT_THAT(Find(report, "ecn.odd-one-out")->actual(), Not(HasSubstr("rpg_gd")));
  EXPECT_THAT(Find(Audit("mlx5-broken"), "driver.on-disk")->actual(), HasSubstr("mlx5_core"));
}

TEST_F(ComposedHost, WithOneVirtualFunctionInAPodIsReady) {
  EXPECT_EQ(Audit("vf-container").verdict().readiness(), v1::READINESS_READY);
}

}  // namespace
}  // namespace roceready::checks
