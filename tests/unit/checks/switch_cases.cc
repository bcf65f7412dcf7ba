// SPDX-License-Identifier: Apache-2.0
// What raises the checks of switches: host1 is plugged into Ethernet0 of leaf1, nobody into
// Ethernet4.
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::SwitchBuilder;

SwitchBuilder& Leaf(FullFleet& fleet) { return fleet.audit.switches[0]; }

std::vector<Case> PortCases() {
  return {
      {"switch.pfc-lossless",
       "PFC is off on a port, and all that follows from it",
       [](FullFleet& fleet) { Leaf(fleet).WithPfc({}); },
       {"FAIL switch.pfc-lossless leaf1"},
       {"FAIL switch.host-pfc host1 <- switch.pfc-lossless"}},
      {"switch.pfc-lossless",
       "a fabric port has no QoS row",
       [](FullFleet& fleet) {
         v1::SwitchPortQos& qos = *Leaf(fleet).port(1).mutable_qos();
         qos.Clear();
         *qos.mutable_reading() = builders::Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_SWITCH_CONFIG,
                                                       {}, "the port has no row");
       },
       {"FAIL switch.pfc-lossless leaf1"},
       {"FAIL switch.roce-class leaf1 <- switch.pfc-lossless",
        "UNKNOWN switch.ecn-enabled leaf1 <- switch.pfc-lossless",
        "FAIL switch.cnp-class leaf1 <- switch.pfc-lossless"}},
      {"switch.pfc-unwanted",
       "PFC is on for one priority more",
       [](FullFleet& fleet) { Leaf(fleet).WithPfc({3, 4}); },
       {"FAIL switch.pfc-unwanted leaf1"},
       {}},
      {"switch.roce-class",
       "the stock map leads DSCP 26 to best effort, on every port",
       [](FullFleet& fleet) { Leaf(fleet).WithDscp(26, 1); },
       {"FAIL switch.roce-class leaf1", "FAIL switch.roce-class leaf1"},
       {"FAIL switch.ecn-enabled leaf1 <- switch.roce-class",
        "FAIL switch.ecn-enabled leaf1 <- switch.roce-class",
        "FAIL switch.host-dscp host1 <- switch.roce-class"}},
      {"switch.roce-class",
       "PFC stops another queue than the packets wait in",
       [](FullFleet& fleet) {
         Leaf(fleet).map(v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_QUEUE).mutable_entries(3)->set_to(4);
       },
       {"FAIL switch.roce-class leaf1", "FAIL switch.roce-class leaf1"},
       {}},
      {"switch.mtu",
       "a port is left at 1500",
       [](FullFleet& fleet) { Leaf(fleet).port().set_mtu_bytes(1500); },
       {"FAIL switch.mtu leaf1"},
       {"FAIL switch.host-mtu host1 <- switch.mtu"}},
      {"switch.ecn-enabled",
       "the queue has no WRED profile",
       [](FullFleet& fleet) { Leaf(fleet).port().mutable_queues(0)->clear_wred_profile(); },
       {"FAIL switch.ecn-enabled leaf1"},
       {}},
      {"switch.ecn-enabled",
       "the profile marks nothing",
       [](FullFleet& fleet) { Leaf(fleet).wred().mutable_green()->set_marks_ecn(false); },
       {"FAIL switch.ecn-enabled leaf1", "FAIL switch.ecn-enabled leaf1"},
       {}},
      {"switch.ecn-thresholds",
       "Kmin is above Kmax",
       [](FullFleet& fleet) { Leaf(fleet).wred().mutable_green()->set_drop_min_bytes(2'000'000); },
       {"FAIL switch.ecn-thresholds leaf1", "FAIL switch.ecn-thresholds leaf1"},
       {}},
      {"switch.ecn-thresholds",
       "thresholds of ECN's own are out of the band, WRED's are not",
       [](FullFleet& fleet) {
         Leaf(fleet).wred().mutable_green()->set_ecn_min_bytes(4'000);
         Leaf(fleet).wred().mutable_green()->set_ecn_max_bytes(1'500'000);
       },
       {"FAIL switch.ecn-thresholds leaf1", "FAIL switch.ecn-thresholds leaf1"},
       {}},
      {"switch.headroom",
       "the profile has none",
       [](FullFleet& fleet) { Leaf(fleet).headroom().clear_xoff_bytes(); },
       {"FAIL switch.headroom leaf1", "FAIL switch.headroom leaf1"},
       {}},
      {"switch.headroom",
       "it is for another speed, after a breakout",
       [](FullFleet& fleet) { Leaf(fleet).port().set_speed_mbps(50'000); },
       {"FAIL switch.headroom leaf1"},
       {}},
      {"switch.headroom",
       "there is no profile, and no cable length to compute one from",
       [](FullFleet& fleet) {
         Leaf(fleet).port().clear_priority_groups();
         Leaf(fleet).port().clear_cable_length();
       },
       {"FAIL switch.headroom leaf1"},
       {}},
      {"switch.headroom",
       "the switch computes it from the cable length: not to be seen",
       [](FullFleet& fleet) { Leaf(fleet).port().clear_priority_groups(); },
       {"UNKNOWN switch.headroom leaf1"},
       {}},
      {"switch.cnp-class",
       "CNPs wait behind RoCE data",
       [](FullFleet& fleet) { Leaf(fleet).WithDscp(48, 3); },
       {"FAIL switch.cnp-class leaf1", "FAIL switch.cnp-class leaf1"},
       {}},
      {"switch.cnp-class",
       "CNPs wait behind best effort",
       [](FullFleet& fleet) { Leaf(fleet).WithDscp(48, 0); },
       {"FAIL switch.cnp-class leaf1", "FAIL switch.cnp-class leaf1"},
       {}},
      {"switch.pfc-watchdog",
       "a port has none",
       [](FullFleet& fleet) {
         *Leaf(fleet).port().mutable_pfc_watchdog()->mutable_reading() = builders::Unanswered(
             v1::OUTCOME_ABSENT, v1::SOURCE_SWITCH_CONFIG, {}, "the port has no row");
       },
       {"FAIL switch.pfc-watchdog leaf1"},
       {}},
      {"switch.pfc-watchdog",
       "it looks at another priority",
       [](FullFleet& fleet) {
         v1::WatchedPriorities& watched =
             *Leaf(fleet).port().mutable_pfc_watchdog()->mutable_watched();
         *watched.mutable_reading() = Leaf(fleet).port().reading();
         watched.add_priorities(4);
       },
       {"FAIL switch.pfc-watchdog leaf1"},
       {}},
  };
}

std::vector<Case> LinkCases() {
  return {
      {"switch.host-pfc",
       "the host has PFC and the switch has not, which is no concern of the policy",
       [](FullFleet& fleet) {
         fleet.audit.policy.checks["switch.pfc-lossless"].enabled = false;
         Leaf(fleet).WithPfc({});
       },
       {"FAIL switch.host-pfc host1"},
       {}},
      {"switch.host-dscp",
       "the switch has another class for the host's DSCP, which is no concern of the policy",
       [](FullFleet& fleet) {
         for (const char* id : {"switch.roce-class", "switch.ecn-enabled"}) {
           fleet.audit.policy.checks[id].enabled = false;
         }
         Leaf(fleet).WithDscp(26, 0);
       },
       {"FAIL switch.host-dscp host1"},
       {}},
      {"switch.host-mtu",
       "the switch is narrower than the host, which is no concern of the policy",
       [](FullFleet& fleet) {
         fleet.audit.policy.checks["switch.mtu"].enabled = false;
         Leaf(fleet).port().set_mtu_bytes(8900);
       },
       {"FAIL switch.host-mtu host1"},
       {}},
      {"switch.host-cabling",
       "the switch's plan has another host there",
       [](FullFleet& fleet) { Leaf(fleet).Plan("host3", "eth0"); },
       {"FAIL switch.host-cabling host1"},
       {}},
  };
}

}  // namespace

std::vector<Case> SwitchCases() {
  std::vector<Case> cases = PortCases();
  for (Case& one : LinkCases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace roceready::checks
