// SPDX-License-Identifier: Apache-2.0
// speed.as-planned: the link has at least the policy's speed.
#include "checks/check.h"
#include "checks/host/carriers.h"

namespace roceready::checks {
namespace {

void JudgeHost(const HostView& host, Judge& judge) {
  if (!host.intent().has_min_speed_mbps()) return NotApplicableToAny(host, judge);
  const uint32_t wanted = host.intent().min_speed_mbps();
  const std::string expected = fmt::format("{} Mb/s or more", wanted);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    const v1::Ethernet& ethernet = carrier.net_device->ethernet();
    const v1::Reading reading = ReadingOf(carrier.net_device->has_ethernet(), ethernet);
    const std::string path = NetPath(carrier.net_device->id(), "ethernet.speed_mbps");
    if (!IsOk(reading)) {
      judge.Unread(subject, host.EvidenceAt(path, {}, reading))
          .Expected(expected, "intent.min_speed_mbps");
    } else if (!ethernet.has_speed_mbps()) {
      judge.Unknown(subject, "the driver says no speed")
          .Expected(expected, "intent.min_speed_mbps")
          .RestsOn(host.EvidenceAt(path, {}, reading));
    } else if (ethernet.speed_mbps() < wanted) {
      judge.Fail(subject)
          .Expected(expected, "intent.min_speed_mbps")
          .Actual(fmt::format("{} Mb/s", ethernet.speed_mbps()))
          .RestsOn(host.EvidenceAt(path, std::to_string(ethernet.speed_mbps()), reading))
          .MendedBy("Check cable, optic, breakout and the switch port's speed setting.");
    } else {
      judge.Pass();
    }
  });
}

}  // namespace

Check SpeedAsPlanned() {
  return {
      .id = "speed.as-planned",
      .title = "Links run at the planned speed",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why = "One rail at half speed slows every collective operation to its pace.",
      .how =
          "The Ethernet speed of every physical port below a RoCE port must be at least the "
          "policy's min_speed_mbps. The RDMA device's own rate is not used: most drivers of "
          "Linux 6.1 stop at 100 Gb/s there.",
      .fix = "Check cable, optic, breakout and the switch port's speed setting.",
      .sources = {"ethtool LINKMODES_GET, ETHTOOL_A_LINKMODES_SPEED"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
