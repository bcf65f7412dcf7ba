// SPDX-License-Identifier: Apache-2.0
// link.fec: forward error correction is on where the lane speed needs it.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/shell.h"

namespace roceready::checks {
namespace {

// From 25 Gb/s a lane on, links without FEC meet more bit errors than RDMA stands (IEEE 802.3by,
// 802.3cd); 25G over short copper may do without.
constexpr uint32_t kLaneMbpsThatNeedsFec = 50'000;

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const v1::Ethernet& ethernet = carrier.net_device->ethernet();
  const Question question{
      .subject = subject,
      .path = NetPath(carrier.net_device->id(), "ethernet.fec_active"),
      .reading = ReadingOf(carrier.net_device->has_ethernet(), ethernet),
      .expected = "FEC on, as 50 Gb/s a lane need it",
  };
  const bool has_lanes = ethernet.has_speed_mbps() && ethernet.lanes() > 0;
  if (IsUnanswered(host, judge, question, has_lanes)) return;
  if (ethernet.speed_mbps() / ethernet.lanes() < kLaneMbpsThatNeedsFec) {
    return judge.NotApplicable();
  }
  if (IsUnanswered(host, judge, question, ethernet.has_fec_active())) return;
  if (ethernet.fec_active() != "None") return judge.Pass();
  FailOn(host, judge, question, "FEC is off")
      .MendedBy("Let both ends choose, also on the switch port.",
                ShellCommand("ethtool --set-fec {} encoding auto", carrier.net_device->name()),
                false);
}

void JudgeHost(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

}  // namespace

Check LinkFec() {
  return {
      .id = "link.fec",
      .title = "Fast links have error correction (FEC)",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Without it single bits flip all the time at these speeds; each one drops a packet, and "
          "RDMA sends everything again from there on.",
      .how =
          "A physical port with 50 Gb/s a lane or more must have an active FEC. Slower lanes may "
          "do "
          "without; a software device has none.",
      .fix = "ethtool --set-fec DEVICE encoding auto, and the same at the switch port.",
      .sources = {"ethtool FEC_GET, ETHTOOL_A_FEC_ACTIVE", "IEEE 802.3cd, 802.3bs"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
