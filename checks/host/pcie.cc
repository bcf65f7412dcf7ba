// SPDX-License-Identifier: Apache-2.0
// pcie.link and pcie.bandwidth: PCIe links run as fast and wide as both ends can, and fast enough
// for the port.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/port_capacity.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// "16.0 GT/s x8"
std::string LinkWords(uint32_t speed_mtps, uint32_t lanes) {
  return fmt::format("{}.{} GT/s x{}", speed_mtps / 1000, speed_mtps % 1000 / 100, lanes);
}

// Two ends of one PCIe link: the device, and the bridge port above it.
struct Link {
  const v1::PciHop* device = nullptr;
  const v1::PciHop* bridge = nullptr;

  uint32_t Speed() const { return std::min(device->max_speed_mtps(), bridge->max_speed_mtps()); }
  uint32_t Lanes() const { return std::min(device->max_width_lanes(), bridge->max_width_lanes()); }
  bool IsDegraded() const {
    return device->current_speed_mtps() < Speed() || device->current_width_lanes() < Lanes();
  }
};

// Hops come in pairs: a device and the port above it, then the upper port of that switch and the
// port above it. Within a switch there is no link.
std::vector<Link> LinksOf(const v1::PciFunction& function) {
  std::vector<Link> links;
  for (int i = 0; i + 1 < function.path_to_root_size(); i += 2) {
    links.push_back({&function.path_to_root(i), &function.path_to_root(i + 1)});
  }
  return links;
}

v1::Reading WorstReading(const v1::PciFunction& function) {
  if (!IsOk(function.reading())) return ReadingOf(true, function);
  for (const v1::PciHop& hop : function.path_to_root()) {
    if (!IsOk(hop.reading())) return ReadingOf(true, hop);
  }
  return function.reading();
}

void JudgeLink(const HostView& host, const CarrierView& carrier, const v1::PciFunction& function,
               const v1::Subject& subject, Judge& judge) {
  const std::vector<Link> links = LinksOf(function);
  Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "path_to_root"),
      .reading = WorstReading(function),
      .expected = "PCIe links as fast and wide as both ends can",
  };
  // One link that is known to be slow is a fault, whatever is not known of the others.
  for (const Link& link : links) {
    if (!IsComplete(*link.device) || !IsComplete(*link.bridge) || !link.IsDegraded()) continue;
    question.reading = link.device->reading();
    question.expected = fmt::format("PCIe {} (what both ends of the link can)",
                                    LinkWords(link.Speed(), link.Lanes()));
    const std::string actual =
        LinkWords(link.device->current_speed_mtps(), link.device->current_width_lanes());
    FailOn(
        host, judge, question,
        fmt::format("{} between {} and {}", actual, link.device->address(), link.bridge->address()))
        .MendedBy(
            "Reseat the card, look at the riser and at the slot's bifurcation in the BIOS; "
            "some cards need a power cycle.");
    return;
  }
  const bool whole = std::ranges::all_of(
      links, [](const Link& link) { return IsComplete(*link.device) && IsComplete(*link.bridge); });
  if (IsUnanswered(host, judge, question, whole && !links.empty())) return;
  judge.Pass();
}

void JudgeBandwidth(const HostView& host, const CarrierView& carrier,
                    const v1::PciFunction& function, const v1::Subject& subject, Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const v1::Ethernet& ethernet = carrier.net_device->ethernet();
  const Question speed{
      .subject = subject,
      .path = NetPath(carrier.net_device->id(), "ethernet.speed_mbps"),
      .reading = ReadingOf(carrier.net_device->has_ethernet(), ethernet),
      .expected = "PCIe faster than the port",
  };
  if (IsUnanswered(host, judge, speed, ethernet.has_speed_mbps())) return;
  const Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "path_to_root"),
      .reading = WorstReading(function),
      .expected = fmt::format("PCIe that carries the port's {} Mb/s", ethernet.speed_mbps()),
  };
  const v1::PciHop* slowest = nullptr;
  bool whole = function.path_to_root_size() > 0;
  for (const v1::PciHop& hop : function.path_to_root()) {
    whole &= IsComplete(hop);
    if (IsComplete(hop) && (slowest == nullptr || UsableMbps(hop) < UsableMbps(*slowest))) {
      slowest = &hop;
    }
  }
  if (slowest != nullptr && UsableMbps(*slowest) < ethernet.speed_mbps()) {
    FailOn(host, judge, question,
           fmt::format("{} at {}: about {} Mb/s",
                       LinkWords(slowest->current_speed_mtps(), slowest->current_width_lanes()),
                       slowest->address(), UsableMbps(*slowest)))
        .MendedBy("Put the card into a wider slot, or plan with the slower rail.");
    return;
  }
  if (IsUnanswered(host, judge, question, whole)) return;
  judge.Pass();
}

void JudgeHostLinks(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgeLink(host, carrier, function, subject, judge);
      });
}

void JudgeHostBandwidth(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgeBandwidth(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check PcieLink() {
  return {
      .id = "pcie.link",
      .title = "PCIe links are trained to the full",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A card that trained down to half the lanes or an older generation runs its rail at half "
          "speed with no error anywhere.",
      .how =
          "For every link on the way from the NIC to the root port, current speed and width must "
          "be the smaller of what its two ends can. No fixed value per card: a x16 card in a x8 "
          "slot is not degraded. A virtual function is judged on its physical one.",
      .fix = "Reseat the card; look at riser, slot bifurcation and BIOS settings.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/current_link_speed, max_link_speed, _width"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHostLinks,
  };
}

Check PcieBandwidth() {
  return {
      .id = "pcie.bandwidth",
      .title = "PCIe carries what the port can receive",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A port that is faster than its slot fills the NIC's buffer, which then pauses the "
          "switch: one such host slows others.",
      .how =
          "The slowest PCIe hop above the NIC (after coding, less a tenth for headers) must carry "
          "the Ethernet speed of the port. Ports of one card share it; that is not added up. A "
          "software device has no such limit.",
      .fix = "Use a slot with more lanes or a newer generation.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/current_link_speed and _width",
                  "ethtool LINKMODES_GET", "PCI Express base specification"},
      .explained_by = {"device.rdma-present", "port.active", "pcie.link"},
      .host = JudgeHostBandwidth,
  };
}

}  // namespace roceready::checks
