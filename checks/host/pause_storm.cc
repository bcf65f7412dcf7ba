// SPDX-License-Identifier: Apache-2.0
// pause.storm: no host keeps its switch port paused.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/counter_look.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// A pause frame stops a port for at most 65535 quanta of 512 bit times (IEEE 802.3 annex 31B,
// 802.1Qbb). So many frames in a second keep it stopped.
double FramesThatHold(uint32_t speed_mbps) { return speed_mbps * 1e6 / (65535.0 * 512.0); }

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  const std::string_view expected = "a host that lets its switch port send";
  const CounterLook look(host, carrier.net_device->id());
  const auto sent = look.DeltaOf(v1::COUNTER_ID_TX_PAUSE_FRAMES);
  if (!sent && IsSoftwareOnly(carrier)) return judge.NotApplicable();
  if (!sent) {
    look.SayUnknown(subject, expected, judge);
    return;
  }
  if (*sent == 0) return judge.Pass();
  const v1::Ethernet& ethernet = carrier.net_device->ethernet();
  if (!ethernet.has_speed_mbps() || look.WindowSeconds() <= 0) {
    const v1::Reading reading = ReadingOf(carrier.net_device->has_ethernet(), ethernet);
    judge.Unknown(subject, "without the port's speed a number of pause frames says nothing")
        .Expected(std::string(expected))
        .RestsOn(
            host.EvidenceAt(NetPath(carrier.net_device->id(), "ethernet.speed_mbps"), {}, reading));
    return;
  }
  const double rate = static_cast<double>(*sent) / look.WindowSeconds();
  if (rate < FramesThatHold(ethernet.speed_mbps())) return judge.Pass();
  judge.Fail(subject)
      .Expected(std::string(expected))
      .Actual(fmt::format("{} pause frames a second sent, {} keep the port stopped",
                          Grouped(static_cast<uint64_t>(rate)),
                          Grouped(static_cast<uint64_t>(FramesThatHold(ethernet.speed_mbps())))))
      .RestsOn(look.Evidence({v1::COUNTER_ID_TX_PAUSE_FRAMES}))
      .MendedBy(
          "Take the host out of the fabric until it is found why the NIC does not empty its "
          "buffer: PCIe, the receive buffer, or the NIC itself.");
}

void JudgeHost(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

}  // namespace

Check PauseStorm() {
  return {
      .id = "pause.storm",
      .title = "No host keeps its switch port paused",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "One NIC that does not empty its buffer pauses its switch port without end; the pause "
          "spreads from switch to switch until hosts stand still that have nothing to do with it.",
      .how =
          "Between two looks, the pause frames that the port sent, per priority or global, must be "
          "fewer than would keep it stopped all the time at its speed (about 3000 a second at "
          "100 Gb/s). Fewer are how PFC is meant to work.",
      .fix = "Take the host out of the fabric; look at PCIe, receive buffers and the NIC.",
      .sources = {"ethtool statistics (tx_prioN_pause, tx_pfc_ena_frames_priN ...)",
                  "IEEE 802.1Qbb and 802.3 annex 31B, pause quanta"},
      .explained_by = {"device.rdma-present", "port.active", "device.health", "pcie.link",
                       "pcie.bandwidth", "buffer.lossless"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
