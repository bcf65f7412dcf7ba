// SPDX-License-Identifier: Apache-2.0
// GIDs and the addresses that they are made from: stale ones, tentative ones, untagged ones.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic, builders::Unanswered;
using ::testing::HasSubstr;

v1::AuditReport Judge(const HostBuilder& host) { return AuditOf({host}).Report(); }

v1::IpAddress& FirstAddress(HostBuilder& host) {
  return *host.net().mutable_addresses()->mutable_addresses(0);
}

TEST(StaleGid, IsOneWhoseAddressItsNetDeviceNoLongerHas) {
  HostBuilder host("host1", 1);
  FirstAddress(host).set_address("10.77.0.99");

  const v1::AuditReport report = Judge(host);

  const v1::Finding& finding = Only(report, "gid.rocev2-ipv4");
  EXPECT_EQ(finding.status(), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(finding.actual(), "stale: eth0 has no longer the address of GID ::ffff:10.77.0.1");
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_NOT_READY);
}

TEST(StaleGid, DoesNotMatterBesideOneWithItsAddress) {
  HostBuilder host("host1", 1);
  v1::Gid& stale = *host.port().mutable_gid_table()->add_gids();
  stale = host.port().gid_table().gids(1);
  stale.set_index(2);
  stale.set_gid("0000:0000:0000:0000:0000:ffff:0a4d:0063");

  EXPECT_EQ(TallyOf(Judge(host), "gid.rocev2-ipv4").pass(), 1u);
}

TEST(StaleGid, IsNotToldOfWhereAddressesWereNotRead) {
  HostBuilder host("host1", 1);
  host.net().mutable_addresses()->clear_addresses();
  *host.net().mutable_addresses()->mutable_reading() =
      Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);

  EXPECT_EQ(TallyOf(Judge(host), "gid.rocev2-ipv4").pass(), 1u);
}

TEST(StaleGid, IsComparedInWhateverWayAnAddressIsWritten) {
  HostBuilder host("host1", 1);
  host.port().mutable_gid_table()->mutable_gids(1)->set_gid(
      "0000:0000:0000:0000:0000:ffff:0a4d:0001");

  EXPECT_EQ(TallyOf(Judge(host), "gid.rocev2-ipv4").pass(), 1u);
}

TEST(StaleGid, AtTheIndexOfTheJobIsAFaultOfItsOwn) {
  AuditOf audit({HostBuilder("host1", 1)});
  v1::GidTable& table = *audit.host().port().mutable_gid_table();
  v1::Gid& stale = *table.add_gids();
  stale = table.gids(1);
  stale.set_index(2);
  stale.set_gid("::ffff:10.77.0.99");
  audit.policy.job.set_gid_index(2);

  EXPECT_THAT(Only(audit.Report(), "job.gid-index").actual(), HasSubstr("it is stale"));
}

AuditOf Ipv6Host() {
  AuditOf audit({HostBuilder("host1", 1)});
  audit.policy.intent.set_ip_family("ipv6");
  audit.host()
      .WithIpv6("fd00:77::1")
      .port()
      .mutable_gid_table()
      ->mutable_gids(1)
      ->set_gid("fd00:0077:0000:0000:0000:0000:0000:0001");
  return audit;
}

TEST(Ipv6Gid, IsUsableWithItsAddress) {
  EXPECT_EQ(TallyOf(Ipv6Host().Report(), "gid.rocev2-ipv4").pass(), 1u);
}

TEST(Ipv6Gid, IsStaleWithoutItsAddress) {
  AuditOf audit = Ipv6Host();
  audit.host().net().mutable_addresses()->mutable_addresses()->RemoveLast();

  EXPECT_EQ(Only(audit.Report(), "gid.rocev2-ipv4").status(), v1::CHECK_STATUS_FAIL);
}

TEST(Ipv6Gid, IsUnknownWhileItsAddressIsTentative) {
  AuditOf audit = Ipv6Host();
  audit.host().net().mutable_addresses()->mutable_addresses(1)->set_tentative(true);

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(Only(report, "gid.rocev2-ipv4").reason(), HasSubstr("tentative on eth0"));
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_UNDETERMINED);
}

AuditOf HostThatTrustsPcp(HostBuilder host) {
  AuditOf audit({std::move(host)});
  audit.policy.intent.set_trust("pcp");
  audit.policy.intent.set_roce_pcp(3);
  return audit;
}

TEST(UntaggedGid, CarriesNoPcpToAPortThatTrustsIt) {
  AuditOf audit = HostThatTrustsPcp(HostBuilder("gpu1", 1, Nic::kMlx5));

  const v1::AuditReport report = audit.Report();

  EXPECT_THAT(Only(report, "qos.vlan-priority").actual(), HasSubstr("ens0 are untagged"));
  EXPECT_THAT(Only(report, "qos.vlan-priority").fix().command(),
              HasSubstr("type vlan id <VLAN> egress-qos-map 2:3"));
}

TEST(UntaggedGid, DoesNotMatterBesideOneOnAVlanNorWhereDscpIsTrusted) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  EXPECT_EQ(TallyOf(Judge(host), "qos.vlan-priority").not_applicable(), 1u);

  v1::NetDevice& vlan = host.AddVlan(100);
  v1::IpAddress& address = *vlan.mutable_addresses()->add_addresses();
  address.set_address("10.78.0.1");
  address.set_prefix_bits(24);
  v1::QosMapping& mapping = *vlan.mutable_vlan()->add_egress();
  mapping.set_from(2);
  mapping.set_to(3);
  v1::Gid& gid = *host.port().mutable_gid_table()->add_gids();
  gid = host.port().gid_table().gids(1);
  gid.set_index(2);
  gid.set_gid("::ffff:10.78.0.1");
  gid.set_net_device_id(vlan.id());
  EXPECT_EQ(TallyOf(HostThatTrustsPcp(host).Report(), "qos.vlan-priority").pass(), 1u);

  *vlan.mutable_link()->mutable_reading() = Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);
  EXPECT_EQ(TallyOf(HostThatTrustsPcp(host).Report(), "qos.vlan-priority").unknown(), 1u);
}

TEST(UntaggedGid, OfAVirtualFunctionMayBeTaggedByItsNic) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::NetDevice& physical = host.MakeVirtual();
  EXPECT_EQ(TallyOf(HostThatTrustsPcp(host).Report(), "qos.vlan-priority").unknown(), 1u);

  v1::VirtualFunctions& functions = *physical.mutable_virtual_functions();
  *functions.mutable_reading() = builders::Answered(v1::SOURCE_RTNETLINK);
  functions.clear_functions();
  v1::VirtualFunction& vf = *functions.add_functions();
  vf.set_mac(host.net().link().mac());
  vf.set_link_state("auto");
  vf.set_max_rate_mbps(0);
  vf.set_vlan_priority(3);
  vf.set_vlan_id(100);
  EXPECT_EQ(TallyOf(HostThatTrustsPcp(host).Report(), "qos.vlan-priority").not_applicable(), 1u);

  vf.set_vlan_id(0);
  vf.set_vlan_priority(0);
  EXPECT_EQ(TallyOf(HostThatTrustsPcp(host).Report(), "qos.vlan-priority").fail(), 1u);
}

TEST(Trust, ThatNamesNothingIsUnknown) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  *host.net().mutable_dcb()->mutable_app_trust()->mutable_reading() =
      builders::Answered(v1::SOURCE_DCBNL);

  EXPECT_THAT(Only(Judge(host), "qos.dscp-priority").reason(), HasSubstr("neither DSCP nor PCP"));
}

TEST(RoceSwitch, IsUnknownWhereNoGidsTellWhetherAStagedValueIsInForce) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_parameters()->mutable_parameters(0)->set_driverinit("false");
  host.WithoutGids();
  *host.port().mutable_gid_table()->mutable_reading() =
      Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_VERBS);

  EXPECT_EQ(Only(Judge(host), "device.roce-enabled").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(RoceSwitch, MayWaitForAReloadWhereThePortWasNotRead) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_parameters()->mutable_parameters(0)->set_driverinit("false");
  *host.port().mutable_reading() = Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RDMA_NETLINK);
  host.port().clear_state();

  EXPECT_EQ(TallyOf(Judge(host), "firmware.staged").pass(), 0u);
  EXPECT_EQ(TallyOf(Judge(host), "firmware.staged").unknown(), 1u);
}

}  // namespace
}  // namespace roceready::checks
