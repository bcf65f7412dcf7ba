// SPDX-License-Identifier: Apache-2.0
// lldp.frame-size and lldp.one-speaker: what the switch announces suits the host, and only one
// agent of the host answers it.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

void JudgeFrameSize(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                    Judge& judge) {
  const v1::NetDevice& net_device = *carrier.net_device;
  const Question question{
      .subject = subject,
      .path = NetPath(net_device.id(), "lldp.neighbours"),
      .reading = ReadingOf(net_device.has_lldp(), net_device.lldp()),
      .expected = "a switch port whose frames hold the host's MTU",
  };
  if (IsUnanswered(host, judge, question)) return;
  std::optional<uint32_t> smallest;
  for (const v1::LldpNeighbour& neighbour : net_device.lldp().neighbours()) {
    // Some NICs announce 0 where they have nothing to say.
    if (neighbour.max_frame_bytes() == 0) continue;
    smallest =
        std::min(smallest.value_or(neighbour.max_frame_bytes()), neighbour.max_frame_bytes());
  }
  if (!smallest) return judge.NotApplicable();
  const Question mtu{.subject = subject,
                     .path = NetPath(net_device.id(), "mtu.mtu_bytes"),
                     .reading = ReadingOf(net_device.has_mtu(), net_device.mtu()),
                     .expected = question.expected};
  if (IsUnanswered(host, judge, mtu, net_device.mtu().has_mtu_bytes())) return;
  if (*smallest >= net_device.mtu().mtu_bytes()) return judge.Pass();
  FailOn(host, judge, question,
         fmt::format("frames of {} bytes, where the host sends packets of {}", *smallest,
                     net_device.mtu().mtu_bytes()),
         fmt::format("{}", *smallest))
      .MendedBy("Raise the MTU of the switch port to the fabric's, headers included.");
}

void JudgeSpeakers(const HostView& host, Judge& judge) {
  const v1::LldpDaemons& daemons = host.facts().lldp_daemons();
  const Question question{
      .subject = host.SubjectOfHost(),
      .path = "lldp_daemons.running",
      .reading = ReadingOf(host.facts().has_lldp_daemons(), daemons),
      .expected = "one LLDP agent at most",
  };
  if (IsUnanswered(host, judge, question)) return;
  if (daemons.running_size() < 2) return judge.Pass();
  FailOn(host, judge, question, JoinWords(daemons.running()))
      .MendedBy("Leave LLDP to one of them and switch the others off.");
}

void JudgeHostFrameSizes(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeFrameSize(host, carrier, subject, judge);
  });
}

}  // namespace

Check LldpFrameSize() {
  return {
      .id = "lldp.frame-size",
      .title = "The switch port announces frames as large as the host's",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A switch port with a smaller MTU drops the large packets and lets the small ones pass: "
          "connections come up and then stand still.",
      .how =
          "The maximum frame size that a neighbour of the port announces by LLDP must not be "
          "smaller than the MTU of the net device. Some switches count the Ethernet header and "
          "some do not, so that the last bytes are not judged; a neighbour that announces no size "
          "is not judged at all.",
      .fix = "Raise the MTU of the switch port.",
      .sources = {"LLDP, IEEE 802.3 Maximum Frame Size TLV"},
      .explained_by = {"device.rdma-present", "port.active", "mtu.netdev", "switch.mtu"},
      .host = JudgeHostFrameSizes,
  };
}

Check LldpOneSpeaker() {
  return {
      .id = "lldp.one-speaker",
      .title = "One LLDP agent speaks for the host",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A switch that hears two DCBX speakers on one port must take it for a shared segment and "
          "switches PFC off; two agents also undo each other's settings.",
      .how =
          "Of the LLDP agents of the host (lldpd, lldpad) no more than one may run. The NIC's own "
          "is "
          "judged by dcbx.settings-hold.",
      .fix = "systemctl disable --now lldpad, or lldpd.",
      .sources = {"sockets of lldpd and lldpad", "IEEE 802.1Qaz, multiple peers"},
      .explained_by = {},
      .host = JudgeSpeakers,
  };
}

}  // namespace roceready::checks
