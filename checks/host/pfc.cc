// SPDX-License-Identifier: Apache-2.0
// pfc.lossless-priority: priority flow control is on for exactly the policy's lossless priorities.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/dcb.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

using Priorities = std::set<uint32_t>;

std::string SetCommand(const v1::NetDevice& net_device, const Priorities& wanted,
                       const Priorities& actual) {
  std::string command = ShellCommand("dcb pfc set dev {} prio-pfc", net_device.name());
  for (uint32_t priority = 0; priority < 8; ++priority) {
    const bool want = wanted.contains(priority);
    if (want != actual.contains(priority)) {
      command += fmt::format(" {}:{}", priority, want ? "on" : "off");
    }
  }
  return command;
}

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  const Priorities wanted(host.intent().lossless_priorities().begin(),
                          host.intent().lossless_priorities().end());
  const v1::NetDevice& net_device = *carrier.net_device;
  const v1::Pfc& pfc = net_device.dcb().pfc();
  const v1::Reading reading = ReadingOf(net_device.dcb().has_pfc(), pfc);
  const Priorities actual(pfc.enabled_priorities().begin(), pfc.enabled_priorities().end());
  const std::string expected = fmt::format("PFC on {}, on no other", PriorityWords(wanted));
  const std::string path = NetPath(net_device.id(), "dcb.pfc.enabled_priorities");
  if (!IsOk(reading)) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading))
        .Expected(expected, "intent.lossless_priorities");
    return;
  }
  v1::Evidence evidence =
      host.EvidenceAt(path, actual.empty() ? "none" : JoinWords(actual, ", "), reading);
  if (ShowsOnlyAnEmptyCache(carrier)) {
    judge
        .Unknown(subject,
                 "bnxt_en shows only what was set through the kernel, and nothing was: the NIC's "
                 "own setting is not visible")
        .Expected(expected, "intent.lossless_priorities")
        .RestsOn(std::move(evidence));
    return;
  }
  if (actual == wanted) return judge.Pass();
  Draft& draft = judge.Fail(subject)
                     .Expected(expected, "intent.lossless_priorities")
                     .Actual(fmt::format("PFC on {}", PriorityWords(actual)))
                     .RestsOn(std::move(evidence));
  draft.goes_with_port = FirmwareRunsDcbx(net_device);
  if (pfc.has_capable_classes() && pfc.capable_classes() < wanted.size()) {
    draft.MendedBy(fmt::format("The NIC can have PFC on {} at most.",
                               Counted(pfc.capable_classes(), "priority class")));
    return;
  }
  draft.MendedBy(FirmwareRunsDcbx(net_device)
                     ? "The NIC's firmware runs DCBX and may refuse or undo this: set it on the "
                       "switch, or give DCBX to the host first."
                     : "Set it on the host, also at boot; and see that the switch has the same.",
                 SetCommand(net_device, wanted, actual), false);
}

void JudgeHost(const HostView& host, Judge& judge) {
  if (host.intent().lossless_priorities().empty()) return NotApplicableToAny(host, judge);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

}  // namespace

Check PfcLosslessPriority() {
  return {
      .id = "pfc.lossless-priority",
      .title = "PFC is on for the lossless priorities",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Without PFC on the RoCE priority packets are dropped as soon as two senders meet, "
          "and bandwidth falls to a fraction. PFC on other priorities lets unrelated traffic "
          "stop the fabric.",
      .how =
          "The priorities with PFC on must be exactly the policy's lossless_priorities, on "
          "every physical port below a RoCE port (a bond's members, a VF's physical function). "
          "bnxt_en in HOST mode answers from its own cache, so all zero there is UNKNOWN, not "
          "off.",
      .fix = "dcb pfc set dev DEVICE prio-pfc PRIORITY:on, made permanent by the site's own means.",
      .sources = {"dcb IEEE_GET, struct ieee_pfc (include/uapi/linux/dcbnl.h)", "IEEE 802.1Qbb",
                  "drivers/net/ethernet/broadcom/bnxt/bnxt_dcb.c"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
