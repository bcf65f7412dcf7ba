// SPDX-License-Identifier: Apache-2.0
// switch.pfc-watchdog: a watchdog ends PFC storms on every port with PFC.
#include <algorithm>

#include "checks/check.h"
#include "checks/shell.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {
namespace {

std::string StartCommand(const v1::SwitchPort& port) {
  // Detection and restoration times as SONiC's own configurations have them.
  return ShellCommand("pfcwd start --action drop --restoration-time 200 {} 200", port.name());
}

// Priorities with PFC that the watchdog does not look at, where the configuration says at which it
// does.
std::vector<uint32_t> Unwatched(const v1::PfcWatchdog& watchdog, const PortPfc& pfc) {
  std::vector<uint32_t> unwatched;
  if (!watchdog.has_watched()) return unwatched;
  for (const uint32_t priority : pfc.priorities) {
    if (!Contains(watchdog.watched().priorities(), priority)) unwatched.push_back(priority);
  }
  return unwatched;
}

void JudgeWatchdog(const SwitchView& view, Judge& judge) {
  for (const v1::SwitchPort* port : view.ports()) {
    const PortPfc pfc = PfcOf(view, *port);
    if (!view.policy().switches.pfc_watchdog() || (pfc.known && pfc.priorities.empty())) {
      judge.NotApplicable();
      continue;
    }
    if (!pfc.known) {
      judge.Unknown(view.SubjectOf(*port), pfc.reason)
          .Expected("a PFC watchdog where PFC is", "switches.pfc_watchdog")
          .RestsOn(pfc.evidence);
      continue;
    }
    const v1::PfcWatchdog& watchdog = port->pfc_watchdog();
    const v1::Reading reading = ReadingOf(port->has_pfc_watchdog(), watchdog);
    const std::string expected = fmt::format("a PFC watchdog on {}", PriorityWords(pfc.priorities));
    v1::Evidence evidence =
        view.EvidenceAt(SwitchPortPath(*port, "pfc_watchdog.action"), watchdog.action(), reading);
    std::string actual;
    if (!IsOk(reading)) {
      if (reading.outcome() != v1::OUTCOME_ABSENT || !view.facts().complete()) {
        judge.Unread(view.SubjectOf(*port), std::move(evidence))
            .Expected(expected, "switches.pfc_watchdog");
        continue;
      }
      actual = "no PFC watchdog: " + reading.detail();
    } else if (watchdog.has_watched() && !IsOk(ReadingOf(true, watchdog.watched()))) {
      judge
          .Unread(view.SubjectOf(*port),
                  view.EvidenceAt(SwitchPortPath(*port, "pfc_watchdog.watched"), {},
                                  ReadingOf(true, watchdog.watched())))
          .Expected(expected, "switches.pfc_watchdog");
      continue;
    } else if (const auto unwatched = Unwatched(watchdog, pfc); !unwatched.empty()) {
      actual = fmt::format("the PFC watchdog does not watch {}", PriorityWords(unwatched));
    }
    if (actual.empty()) {
      judge.Pass();
      continue;
    }
    Draft& draft = judge.Fail(view.SubjectOf(*port))
                       .Expected(expected, "switches.pfc_watchdog")
                       .Actual(std::move(actual))
                       .RestsOn(std::move(evidence));
    MendedOnSwitch(draft, view, "A port that is paused for long then drops instead of waiting.",
                   StartCommand(*port));
  }
}

}  // namespace

Check SwitchPfcWatchdog() {
  return {
      .id = "switch.pfc-watchdog",
      .title = "A PFC watchdog is on where PFC is",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "One broken NIC that sends PFC without end stops its leaf, then the leaf's peers, then "
          "the fabric. A watchdog gives up on the port instead.",
      .how =
          "Where the policy's switches.pfc_watchdog is true, every port in service with PFC must "
          "have a watchdog, which must look at all its lossless priorities where the configuration "
          "says at which it looks.",
      .fix = "pfcwd start --action drop --restoration-time 200 PORT 200; config save",
      .sources = {"SONiC CONFIG_DB PFC_WD, PORT_QOS_MAP pfcwd_sw_enable (sonic-yang-models)",
                  "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016"},
      .explained_by = {"switch.pfc-lossless"},
      .at_switch = JudgeWatchdog,
  };
}

}  // namespace roceready::checks
