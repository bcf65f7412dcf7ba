// SPDX-License-Identifier: Apache-2.0
// vlan.peer-mismatch: addresses of one subnet are in one VLAN.
#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/alike.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/reading.h"

namespace roceready::checks {
namespace {

// By an access port of the switch, which tags for the host: into which VLAN, only the switch knows.
constexpr std::string_view kUntagged = "untagged";

void SayVlan(const HostView& host, const v1::NetDevice& net_device, Observation& observation) {
  if (net_device.link().kind() != "vlan" && !net_device.has_vlan()) {
    const v1::Reading link = ReadingOf(net_device.has_link(), net_device.link());
    observation.evidence =
        host.EvidenceAt(NetPath(net_device.id(), "link.kind"), net_device.link().kind(), link);
    if (IsOk(link)) {
      observation.value = std::string(kUntagged);
    } else {
      observation.unknown = ReasonOf(link);
    }
    return;
  }
  const v1::Reading reading = ReadingOf(net_device.has_vlan(), net_device.vlan());
  if (!IsOk(reading)) {
    observation.unknown = ReasonOf(reading);
  } else if (!net_device.vlan().has_vlan_id()) {
    observation.unknown = "the answer does not hold this value";
  } else {
    observation.value = fmt::format("VLAN {}", net_device.vlan().vlan_id());
  }
  observation.evidence =
      host.EvidenceAt(NetPath(net_device.id(), "vlan.vlan_id"), observation.value, reading);
}

std::vector<Observation> Observe(const HostView& host) {
  std::vector<Observation> observations;
  for (const FabricAddress& one : FabricAddressesOf(host.ports()).known) {
    const std::string subnet = one.address.Network().Text();
    Observation observation{.subject = host.SubjectOfNetDevice(*one.port, *one.net_device),
                            .group = subnet};
    observation.subject.set_group(subnet);
    // Two addresses of one net device in one subnet say the same.
    const bool is_said = !observations.empty() && observations.back().group == subnet &&
                         observations.back().subject.net_device_id() == one.net_device->id();
    if (is_said) continue;
    SayVlan(host, *one.net_device, observation);
    observations.push_back(std::move(observation));
  }
  return observations;
}

void JudgeSubnet(const FleetGroup& group, Judge& judge) {
  FleetGroup tagged = group;
  size_t untagged = 0;
  if (const auto found = tagged.by_value.find(kUntagged); found != tagged.by_value.end()) {
    untagged = found->second.size();
    tagged.by_value.erase(found);
  }
  for (size_t i = 0; i < untagged; ++i) {
    // With nobody to differ from there is nothing to compare.
    if (untagged > 1 || !tagged.by_value.empty()) {
      judge.Pass();
    } else {
      judge.NotApplicable();
    }
  }
  if (tagged.by_value.empty() && tagged.unknown.empty()) return;
  JudgeOddOneOut(tagged, "one VLAN for one subnet",
                 "Put the address on the VLAN that the others of its subnet use, also in the "
                 "network configuration; look whether two rails are swapped.",
                 judge);
}

}  // namespace

Check VlanPeerMismatch() {
  return {
      .id = "vlan.peer-mismatch",
      .title = "A subnet is in one VLAN on all hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Hosts that tag the frames of one subnet differently are in two broadcast domains: "
          "neither hears the other's ARP, and no connection comes up.",
      .how =
          "The VLAN ids of the net devices that have the addresses of one subnet are compared over "
          "all hosts; whoever differs from the most is named, swapped rails too. Untagged beside "
          "tagged is right where the switch port tags, and is not judged.",
      .fix = "Put the address on the VLAN that its subnet has everywhere else.",
      .sources = {"rtnetlink IFLA_VLAN_ID", "rtnetlink RTM_GETADDR"},
      .explained_by = {"device.rdma-present"},
      .observe = Observe,
      .fleet = JudgeSubnet,
  };
}

}  // namespace roceready::checks
