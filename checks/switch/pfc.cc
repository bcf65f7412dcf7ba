// SPDX-License-Identifier: Apache-2.0
// switch.pfc-lossless, switch.pfc-unwanted: priority flow control on the switch's ports.
#include <algorithm>

#include "checks/check.h"
#include "checks/shell.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {

PortPfc PfcOf(const SwitchView& view, const v1::SwitchPort& port) {
  PortPfc pfc;
  const v1::Reading row = ReadingOf(port.has_qos(), port.qos());
  const v1::Reading reading = IsOk(row) ? ReadingOf(port.qos().has_pfc(), port.qos().pfc()) : row;
  const auto& enabled = port.qos().pfc().enabled_priorities();
  pfc.priorities.assign(enabled.begin(), enabled.end());
  pfc.evidence = view.EvidenceAt(SwitchPortPath(port, "qos.pfc.enabled_priorities"),
                                 enabled.empty() ? "none" : JoinWords(enabled, ", "), reading);
  pfc.known = IsOk(reading) || (reading.outcome() == v1::OUTCOME_ABSENT && view.facts().complete());
  pfc.reason = IsOk(reading) ? "" : pfc.known ? reading.detail() : ReasonOf(reading);
  return pfc;
}

namespace {

// `config interface pfc priority PORT PRIORITY on|off` takes one priority at a time.
std::string PfcCommand(const v1::SwitchPort& port, const std::vector<uint32_t>& priorities,
                       std::string_view to) {
  std::string command;
  for (const uint32_t priority : priorities) {
    if (!command.empty()) command += "; ";
    command += ShellCommand("config interface pfc priority {} {} {}", port.name(), priority, to);
  }
  return command;
}

void JudgeLossless(const SwitchView& view, Judge& judge) {
  const auto& wanted = view.intent().lossless_priorities();
  for (const v1::SwitchPort* port : view.ports()) {
    if (wanted.empty()) {
      judge.NotApplicable();
      continue;
    }
    const std::string expected = fmt::format("PFC on {}", PriorityWords(wanted));
    const PortPfc pfc = PfcOf(view, *port);
    if (!pfc.known) {
      judge.Unknown(view.SubjectOf(*port), pfc.reason)
          .Expected(expected, "intent.lossless_priorities")
          .RestsOn(pfc.evidence);
      continue;
    }
    std::vector<uint32_t> missing;
    for (const uint32_t priority : wanted) {
      if (std::ranges::find(pfc.priorities, priority) == pfc.priorities.end()) {
        missing.push_back(priority);
      }
    }
    if (missing.empty()) {
      judge.Pass();
      continue;
    }
    const std::string actual =
        fmt::format("PFC on {} of the switch port{}{}", PriorityWords(pfc.priorities),
                    pfc.reason.empty() ? "" : ": ", pfc.reason);
    Draft& draft = judge.Fail(view.SubjectOf(*port))
                       .Expected(expected, "intent.lossless_priorities")
                       .Actual(actual)
                       .RestsOn(pfc.evidence);
    MendedOnSwitch(draft, view, "The port also needs the QoS maps and buffers of a lossless class.",
                   PfcCommand(*port, missing, "on"));
  }
}

void JudgeUnwanted(const SwitchView& view, Judge& judge) {
  const auto& wanted = view.intent().lossless_priorities();
  for (const v1::SwitchPort* port : view.ports()) {
    const PortPfc pfc = PfcOf(view, *port);
    // What is not known is said by switch.pfc-lossless.
    if (wanted.empty() || !pfc.known) {
      judge.NotApplicable();
      continue;
    }
    std::vector<uint32_t> unwanted;
    for (const uint32_t priority : pfc.priorities) {
      if (!Contains(wanted, priority)) unwanted.push_back(priority);
    }
    if (unwanted.empty()) {
      judge.Pass();
      continue;
    }
    Draft& draft =
        judge.Fail(view.SubjectOf(*port))
            .Expected(fmt::format("PFC on {} alone", PriorityWords(wanted)),
                      "intent.lossless_priorities")
            .Actual(fmt::format("PFC also on {} of the switch port", PriorityWords(unwanted)))
            .RestsOn(pfc.evidence);
    MendedOnSwitch(draft, view, "Give the headroom to the class that needs it.",
                   PfcCommand(*port, unwanted, "off"));
  }
}

}  // namespace

Check SwitchPfcLossless() {
  return {
      .id = "switch.pfc-lossless",
      .title = "PFC is on where the fabric is lossless",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "One port without PFC on the way drops RoCE packets when it fills up, whatever all the "
          "others do; on a fabric link it does so for many hosts at once.",
      .how =
          "Every port in service (external, administratively up, not in switches.ignored_ports) "
          "must have the policy's lossless_priorities among those with PFC. A port without a QoS "
          "row has none. A configuration that is not whole leaves it UNKNOWN.",
      .fix = "config interface pfc priority PORT PRIORITY on; config save",
      .sources = {"SONiC CONFIG_DB PORT_QOS_MAP pfc_enable (sonic-port-qos-map.yang)",
                  "IEEE 802.1Qbb"},
      .at_switch = JudgeLossless,
  };
}

Check SwitchPfcUnwanted() {
  return {
      .id = "switch.pfc-unwanted",
      .title = "PFC is on for no other priority",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Each lossless priority takes headroom from the shared buffer, and lets traffic that "
          "nobody planned for stop a port.",
      .how = "The priorities with PFC on a port in service must all be in lossless_priorities.",
      .fix = "config interface pfc priority PORT PRIORITY off; config save",
      .sources = {"SONiC CONFIG_DB PORT_QOS_MAP pfc_enable (sonic-port-qos-map.yang)"},
      .at_switch = JudgeUnwanted,
  };
}

}  // namespace roceready::checks
