// SPDX-License-Identifier: Apache-2.0
// link-layer.odd-one-out: a port that could speak RoCE speaks what its like speak on other hosts.
#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/alike.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/reading.h"

namespace roceready::checks {
namespace {

NicFamily FamilyOf(const v1::RdmaDevice& device, const v1::PciFunction& function) {
  const NicFamily family = FamilyOfDriver(device.driver());
  return family == NicFamily::kOther ? FamilyOfDriver(function.driver()) : family;
}

std::string LinkLayerOf(const v1::RdmaDevice& device, const v1::RdmaPort& port) {
  if (port.attributes().has_link_layer()) return port.attributes().link_layer();
  if (device.protocol() == "roce") return "Ethernet";
  if (device.protocol() == "ib") return "InfiniBand";
  return device.protocol();
}

Observation ObservePort(const HostView& host, const v1::RdmaDevice& device,
                        const v1::RdmaPort& port, const v1::PciFunction& function) {
  Observation observation{.subject = host.SubjectOfHost()};
  observation.subject.set_device_id(device.id());
  observation.subject.set_port(port.number());
  observation.subject.set_label(
      fmt::format("{} {} port {}", host.host(), device.name(), port.number()));
  observation.group =
      fmt::format("{} at {} port {}", ModelOf(function), device.id(), port.number());
  observation.value = LinkLayerOf(device, port);
  const v1::Reading reading = ReadingOf(port.has_attributes(), port.attributes());
  if (observation.value.empty()) {
    observation.unknown = IsOk(reading) ? "the answer does not hold this value" : ReasonOf(reading);
  }
  observation.evidence =
      port.attributes().has_link_layer()
          ? host.EvidenceAt(PortPath(device.id(), port.number(), "attributes.link_layer"),
                            observation.value, reading)
          : host.EvidenceAt(RdmaPath(device.id(), "protocol"), device.protocol(),
                            ReadingOf(true, device));
  return observation;
}

std::vector<Observation> Observe(const HostView& host) {
  // The job names its interfaces: device.rdma-present misses those that speak no RoCE.
  if (!host.policy().job.interfaces().empty()) return {};
  std::vector<Observation> observations;
  for (const v1::RdmaDevice& device : host.facts().rdma_devices()) {
    const v1::PciFunction* function = FindPciFunction(host.facts(), device.id());
    if (function == nullptr || FamilyOf(device, *function) == NicFamily::kOther) continue;
    for (const v1::RdmaPort& port : device.ports()) {
      observations.push_back(ObservePort(host, device, port, *function));
    }
  }
  return observations;
}

void JudgeLinkLayers(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one link layer for a NIC model in one slot",
                 "Set the port's link type to Ethernet in the NIC's firmware and reset it; see the "
                 "vendor's configuration tool (LINK_TYPE_P1).",
                 judge);
}

}  // namespace

Check LinkLayerOddOneOut() {
  return {
      .id = "link-layer.odd-one-out",
      .title = "Ports in one place speak one link layer on all hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A port that was left at InfiniBand has no net device and no RoCE: the host has one rail "
          "less, and nothing on it looks broken.",
      .how =
          "The link layer of every port of a NIC that can do both, or the protocol of its device, "
          "is compared over hosts by NIC model, PCI address and port number; whoever differs from "
          "the most is named. Nothing is said where the policy names the job's interfaces.",
      .fix = "Set the port's link type to Ethernet in the NIC's firmware, and reset it.",
      .sources = {"verbs ibv_query_port, link_layer",
                  "RDMA netlink GET, RDMA_NLDEV_ATTR_DEV_PROTOCOL"},
      .explained_by = {"device.rdma-present"},
      .observe = Observe,
      .fleet = JudgeLinkLayers,
  };
}

}  // namespace roceready::checks
