// SPDX-License-Identifier: Apache-2.0
// mtu.peer-mismatch: two ports of one rail have the same MTU.
#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"

namespace roceready::checks {
namespace {

Observation ObservePort(const HostView& host, const PortView& port) {
  const v1::PortAttributes& attributes = port.port->attributes();
  const v1::Reading reading = ReadingOf(port.port->has_attributes(), attributes);
  Observation observation{.subject = host.SubjectOfPort(port)};
  observation.evidence = host.EvidenceAt(
      PortPath(port.device->id(), port.port->number(), "attributes.active_mtu_bytes"), {}, reading);
  if (!IsOk(reading)) {
    observation.unknown = ReasonOf(reading);
    return observation;
  }
  if (!attributes.has_active_mtu_bytes()) {
    observation.unknown = "the answer holds no active MTU";
    return observation;
  }
  const bool has_net_device = port.net_device != nullptr;
  if (!has_net_device || !port.net_device->mtu().has_mtu_bytes()) {
    const v1::Reading net = has_net_device
                                ? ReadingOf(port.net_device->has_mtu(), port.net_device->mtu())
                                : host.NetDeviceReading(port);
    observation.unknown = "MTU of the net device: " + ReasonOf(net);
    return observation;
  }
  observation.value = fmt::format("RDMA MTU {} on MTU {}", attributes.active_mtu_bytes(),
                                  port.net_device->mtu().mtu_bytes());
  observation.evidence.set_value(observation.value);
  return observation;
}

std::vector<Observation> Observe(const HostView& host) {
  std::vector<Observation> observations;
  for (const PortView& port : host.ports()) observations.push_back(ObservePort(host, port));
  return observations;
}

v1::Subject SubjectOfPair(const Observation& a, const Observation& b) {
  v1::Subject subject = a.subject;
  subject.set_peer_host(b.subject.host());
  subject.set_peer_device_id(b.subject.device_id());
  subject.set_label(fmt::format("{} and {}", a.subject.label(), b.subject.label()));
  return subject;
}

void JudgePair(const Observation& a, const Observation& b, Judge& judge) {
  const std::string expected = "the same MTU at both ends";
  const v1::Subject subject = SubjectOfPair(a, b);
  if (a.value.empty() || b.value.empty()) {
    const Observation& unread = a.value.empty() ? a : b;
    judge.Unknown(subject, fmt::format("{}: {}", unread.subject.host(), unread.unknown))
        .Expected(expected)
        .RestsOn(unread.evidence);
    return;
  }
  if (a.value == b.value) return judge.Pass();
  judge.Fail(subject)
      .Expected(expected)
      .Actual(
          fmt::format("{} has {}, {} has {}", a.subject.host(), a.value, b.subject.host(), b.value))
      .RestsOn(a.evidence)
      .RestsOn(b.evidence)
      .MendedBy("Give both net devices the fabric's MTU, and write it into the policy.");
}

}  // namespace

Check MtuPeerMismatch() {
  return {
      .id = "mtu.peer-mismatch",
      .title = "Peers have the same MTU",
      .scope = v1::SCOPE_PAIR,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "The end with the larger MTU sends packets that the other drops or cannot answer: "
          "WRITE may pass while READ fails.",
      .how =
          "Neighbours on each rail, and every pair that is probed, must have the same active "
          "RDMA MTU on net devices of the same MTU.",
      .fix = "Give both net devices the fabric's MTU.",
      .sources = {"verbs ibv_query_port, active_mtu", "rtnetlink IFLA_MTU"},
      .explained_by = {"host.heard-from", "device.rdma-present", "port.active", "mtu.netdev",
                       "mtu.rdma-active"},
      .observe = Observe,
      .pair = JudgePair,
  };
}

}  // namespace roceready::checks
