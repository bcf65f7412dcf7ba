// SPDX-License-Identifier: Apache-2.0
// What of the switches concerns an audit: those its hosts are plugged into and what lies between
// them, not the ports of other hosts. host1 hears leaf1's Ethernet0.
#include <fmt/core.h>

#include "checks/switch/planned_end.h"
#include "checks/switch/switch_set.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::SwitchBuilder;
using ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty,
    ::testing::Not;

// With the fault that is looked for: a port at 1500.
SwitchBuilder& SickAt(SwitchBuilder& one, int port = 0) {
  one.port(port).set_mtu_bytes(1500);
  return one;
}

// One ASIC of a switch, with ports of its own.
SwitchBuilder Asic(std::string_view chassis, std::string_view asic, int ports) {
  SwitchBuilder one(chassis, ports);
  one.facts().set_name(fmt::format("{}.{}", chassis, asic));
  one.facts().mutable_identity()->set_asic(std::string(asic));
  for (v1::SwitchPort& port : *one.facts().mutable_ports()) {
    port.set_name(fmt::format("{}-{}", port.name(), asic));
    port.set_alias(fmt::format("{}-{}", port.alias(), asic));
  }
  return one;
}

// "leaf1 Ethernet0" of every switch port whose MTU is wrong.
std::vector<std::string> Sick(const v1::AuditReport& report) {
  std::vector<std::string> ports;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.check_id() == "switch.mtu") ports.push_back(finding.subject().label());
  }
  return ports;
}

std::vector<std::string> NotAudited(const v1::AuditReport& report) {
  const auto& list = report.verdict().coverage().not_audited();
  return {list.begin(), list.end()};
}

TEST(SwitchScope, LeavesOutAPortWhoseOtherEndIsAnotherHostByThePlan) {
  FullFleet fleet;
  SickAt(fleet.audit.switches[0], 1).Plan("gpu99", "ens7f0", 1);

  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(report.findings(),
              Not(Contains(testing::Property(&v1::Finding::status, v1::CHECK_STATUS_FAIL))));
  EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(report.verdict().coverage().switch_ports_judged(), 1u);
  EXPECT_THAT(NotAudited(report),
              Contains("1 switch port of other hosts (by the switches' plans)"));
}

TEST(SwitchScope, LeavesOutAPortWhoseOtherEndIsAnotherHostByItsDescription) {
  FullFleet fleet;
  SickAt(fleet.audit.switches[0], 1).port(1).set_description("gpu99:eth0");
  EXPECT_THAT(Sick(fleet.Report()), IsEmpty());
}

TEST(SwitchScope, HoldsThePortsOfFabricLinksAndThoseOfWhichNothingIsWrittenDown) {
  FullFleet fleet;
  SwitchBuilder& leaf = SickAt(fleet.audit.switches[0], 1);
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf1 Ethernet4")) << "nothing is written down";

  for (const char* at_spine : {"Ethernet4", "Eth1/3", "swp1", "et-0/0/1", "etp2"}) {
    leaf.Plan("spine1", at_spine, 1);
    EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf1 Ethernet4")) << at_spine;
  }
  leaf.port(1).clear_planned_neighbour();
  for (const char* words : {"to spine1", "spine1", "uplink: spine1 Ethernet4", "etp2"}) {
    leaf.port(1).set_description(words);
    EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf1 Ethernet4")) << words;
  }
}

TEST(SwitchScope, HoldsAPortWhoseOtherEndIsASwitchOfTheAuditHoweverItsPortIsCalled) {
  FullFleet fleet;
  SickAt(fleet.audit.switches[0], 1).Plan("Spine1.example.org", "eth4", 1);
  EXPECT_THAT(Sick(fleet.Report()), IsEmpty());

  fleet.audit.switches.emplace_back("spine1", 1);
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf1 Ethernet4"));
}

TEST(SwitchScope, HoldsAPortAtWhichAHostOfTheAuditIsPlannedThoughItIsSilent) {
  FullFleet fleet;
  fleet.audit.With({.host = "gpu9.example.org", .state = v1::HOST_STATE_MISSING});
  SickAt(fleet.audit.switches[0], 1).Plan("GPU9", "NIC1", 1);
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf1 Ethernet4"));
}

TEST(SwitchScope, LeavesOutAPortOfAHostInMaintenance) {
  FullFleet fleet;
  fleet.audit.With({.host = "gpu9", .state = v1::HOST_STATE_MAINTENANCE});
  SickAt(fleet.audit.switches[0], 1).Plan("gpu9", "eth0", 1);
  EXPECT_THAT(Sick(fleet.Report()), IsEmpty());
}

TEST(SwitchScope, HoldsAPortThatAHostHearsThoughThePlanHasAnotherThere) {
  FullFleet fleet;
  SickAt(fleet.audit.switches[0]).Plan("gpu99", "eth0");
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf1 Ethernet0"));
}

TEST(SwitchScope, LeavesOutASwitchWithOtherHostsAlone) {
  FullFleet fleet;
  for (const char* name : {"leaf2", "leaf3", "leaf4"}) {
    // Not even its fabric links matter.
    SickAt(SickAt(fleet.audit.switches.emplace_back(name, 2)), 1).Plan("gpu99", "ens7f0");
  }

  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(Sick(report), IsEmpty());
  EXPECT_EQ(report.verdict().coverage().switches_judged(), 1u);
  EXPECT_EQ(report.verdict().coverage().switch_ports_judged(), 2u);
  EXPECT_THAT(NotAudited(report), Contains("3 switches with none of the audit's hosts: leaf[2-4]"));
}

TEST(SwitchScope, LeavesOutATopOfRackSwitchWithoutAnyPlan) {
  FullFleet fleet;
  SwitchBuilder& leaf = SickAt(fleet.audit.switches.emplace_back("leaf2", 1));
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("leaf2 Ethernet0")) << "it may be a spine";

  leaf.facts().mutable_identity()->set_role("ToRRouter");
  EXPECT_THAT(Sick(fleet.Report()), IsEmpty());
}

TEST(SwitchScope, HoldsSpines) {
  FullFleet fleet;
  SwitchBuilder& spine = SickAt(fleet.audit.switches.emplace_back("spine1", 2));
  spine.Plan("leaf1", "Ethernet4");
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("spine1 Ethernet0"));

  // A single monitoring server does not make it a leaf.
  spine.Plan("monitor1", "eth0", 1).facts().mutable_identity()->set_role("SpineRouter");
  EXPECT_THAT(Sick(fleet.Report()), ElementsAre("spine1 Ethernet0"));
}

TEST(SwitchScope, HoldsAllAsicsOfASwitchAtWhichAHostIs) {
  FullFleet fleet;
  fleet.audit.switches = {Asic("leaf1", "asic0", 1), Asic("leaf1", "asic1", 2)};
  *fleet.audit.host(0).net().mutable_lldp() = fleet.audit.switches[0].HeardAt();
  // host1 is at the first ASIC; the second has an uplink and another host.
  SwitchBuilder& second = SickAt(SickAt(fleet.audit.switches[1]), 1);
  second.Plan("gpu99", "eth0", 0).Plan("spine1", "Ethernet4", 1);

  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(Sick(report), ElementsAre("leaf1.asic1 Ethernet4-asic1"));
  EXPECT_EQ(report.verdict().coverage().switches_judged(), 2u);
}

TEST(SwitchScope, LeavesOutAllAsicsOfASwitchWithOtherHostsAlone) {
  FullFleet fleet;
  fleet.audit.switches.push_back(Asic("leaf2", "asic0", 1).Plan("gpu99", "eth0"));
  SwitchBuilder uplinks = Asic("leaf2", "asic1", 1);
  fleet.audit.switches.push_back(SickAt(uplinks).Plan("spine1", "Ethernet4"));

  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(Sick(report), IsEmpty());
  EXPECT_THAT(NotAudited(report),
              Contains("2 switches with none of the audit's hosts: leaf2.asic[0-1]"));
}

TEST(SwitchScope, IsAllWhereNothingTellsWhereAnyHostIsPluggedIn) {
  FullFleet fleet;
  fleet.audit.host(0).net().clear_lldp();
  SickAt(fleet.audit.switches[0].Plan("gpu99", "eth0"));
  SickAt(fleet.audit.switches.emplace_back("leaf2", 1)).Plan("gpu98", "eth0");

  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(Sick(report), testing::UnorderedElementsAre("leaf1 Ethernet0", "leaf2 Ethernet0"));
  EXPECT_THAT(NotAudited(report), Contains(HasSubstr("the hosts' cabling (neither LLDP nor")));
  EXPECT_THAT(NotAudited(report), Not(Contains(HasSubstr("none of the audit's hosts"))));
}

TEST(SwitchScope, IsAllWithoutAnyHost) {
  FullFleet fleet;
  SwitchBuilder leaf("leaf2", 1);
  SickAt(leaf).Plan("gpu98", "eth0");
  const SwitchSet set({{.facts = &leaf.facts(), .age = {}, .policy = &fleet.audit.policy}});
  FleetInput input;
  input.policy = &fleet.audit.policy;
  input.switches = &set;

  const v1::AuditReport report = Conclude({}, input);

  EXPECT_THAT(Sick(report), ElementsAre("leaf2 Ethernet0"));
  EXPECT_THAT(NotAudited(report), ElementsAre("hosts (only switches were given)"));
}

TEST(SwitchScope, NamesOnlySoManySwitchesAsCanBeRead) {
  FullFleet fleet;
  for (const char* name :
       {"amsterdam-row-a", "berlin-row-b", "copenhagen-row-c", "dublin-row-d", "edinburgh-row-e"}) {
    fleet.audit.switches.emplace_back(name, 1).Plan("gpu99", "eth0");
  }
  EXPECT_THAT(NotAudited(fleet.Report()), Contains("5 switches with none of the audit's hosts"));
}

TEST(PlannedEnd, IsAHostByTheNamesThatLinuxAndVendorsGiveNics) {
  for (const char* port :
       {"eth0", "Eth0", "ens7f0np0", "enp59s0f1", "eno1", "enx525400aa0001", "p3p1", "em2", "bond0",
        "ib0", "ibp59s0", "mlx5_3", "rocep59s0f0", "bnxt_re1", "NIC1", "hca2", "rdma0"}) {
    EXPECT_TRUE((PlannedEnd{"gpu1", port}.IsHost())) << port;
  }
  for (const char* port :
       {"", "Ethernet0", "Ethernet1/1", "Eth1/1", "eth1/1", "etp1", "Et49", "swp1", "xe-0/0/1", "1",
        "port 1", "en", "eth", "p1", "PortChannel1", "spine1"}) {
    EXPECT_FALSE((PlannedEnd{"spine1", port}.IsHost())) << port;
  }
}

}  // namespace
}  // namespace roceready::checks
