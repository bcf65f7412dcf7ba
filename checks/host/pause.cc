// SPDX-License-Identifier: Apache-2.0
// pause.with-pfc: no global pause on a port that is meant to have PFC.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/shell.h"

namespace roceready::checks {
namespace {

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  const v1::NetDevice& net_device = *carrier.net_device;
  const v1::GlobalPause& pause = net_device.pause();
  const Question question{
      .subject = subject,
      .path = NetPath(net_device.id(), "pause"),
      .reading = ReadingOf(net_device.has_pause(), pause),
      .expected = "global pause (802.3x) off both ways, as PFC is wanted",
      .policy_path = "intent.lossless_priorities",
  };
  const bool is_on = pause.rx() || pause.tx();
  if (IsUnanswered(host, judge, question, is_on || (pause.has_rx() && pause.has_tx()))) return;
  if (!is_on) return judge.Pass();
  const std::string_view ways = pause.rx() && pause.tx() ? "rx and tx" : pause.rx() ? "rx" : "tx";
  FailOn(host, judge, question, fmt::format("global pause is on for {}", ways))
      .MendedBy("Switch it off, also at boot and on the switch port.",
                ShellCommand("ethtool -A {} autoneg off rx off tx off", net_device.name()), false);
}

void JudgeHost(const HostView& host, Judge& judge) {
  if (host.intent().lossless_priorities().empty()) return NotApplicableToAny(host, judge);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

}  // namespace

Check PauseWithPfc() {
  return {
      .id = "pause.with-pfc",
      .title = "Global pause is off where PFC is wanted",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Global pause and PFC exclude each other. A port that pauses as a whole stops "
          "congestion notifications and storage together with RoCE, or ignores PFC.",
      .how =
          "Where the policy has lossless priorities, ethtool's pause of every physical port below "
          "a RoCE port must be off for rx and tx. A driver that does not say is UNKNOWN.",
      .fix = "ethtool -A DEVICE autoneg off rx off tx off, made permanent by the site's own means.",
      .sources = {"ethtool PAUSE_GET, ETHTOOL_A_PAUSE_RX and _TX", "IEEE 802.3 annex 31B",
                  "IEEE 802.1Qbb"},
      .explained_by = {"device.rdma-present", "port.active", "pfc.lossless-priority"},
      .is_setting = true,
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
