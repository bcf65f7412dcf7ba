// SPDX-License-Identifier: Apache-2.0
// address.duplicate and address.duplicate-mac: what must be one host's alone is.
#include <map>
#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

// One group for the whole fleet: something is unique only if everybody was asked.
constexpr std::string_view kFleet = "all hosts";

bool NamesNoFabric(const v1::IpAddress& address) {
  const std::string& text = address.address();
  return address.scope() == "link" || address.scope() == "host" || text.starts_with("fe80:") ||
         text.starts_with("169.254.") || text.starts_with("127.") || text == "::1";
}

// Calls `each` with every net device that gives a RoCE port its addresses, once.
template <typename Each>
void ForEachAddressed(const HostView& host, Each each) {
  std::set<const v1::NetDevice*> seen;
  for (const PortView& port : host.ports()) {
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      if (seen.insert(net_device).second) each(port, *net_device);
    }
  }
}

// A port whose net device is in another network namespace has addresses and a MAC all the same.
Observation NotVisible(const HostView& host, const PortView& port) {
  Observation observation{.subject = host.SubjectOfPort(port), .group = std::string(kFleet)};
  const v1::Reading reading = host.NetDeviceReading(port);
  observation.unknown = ReasonOf(reading);
  observation.evidence = host.EvidenceAt(
      PortPath(port.device->id(), port.port->number(), "net_device_id"), {}, reading);
  return observation;
}

std::vector<Observation> ObserveAddresses(const HostView& host) {
  std::vector<Observation> observations;
  for (const PortView& port : host.ports()) {
    if (port.net_device == nullptr) observations.push_back(NotVisible(host, port));
  }
  ForEachAddressed(host, [&](const PortView& port, const v1::NetDevice& net_device) {
    const v1::Reading reading = ReadingOf(net_device.has_addresses(), net_device.addresses());
    Observation observation{.subject = host.SubjectOfNetDevice(port, net_device),
                            .group = std::string(kFleet)};
    const std::string path = NetPath(net_device.id(), "addresses");
    if (!IsOk(reading)) {
      observation.unknown = ReasonOf(reading);
      observation.evidence = host.EvidenceAt(path, {}, reading);
      observations.push_back(std::move(observation));
      return;
    }
    for (const v1::IpAddress& address : net_device.addresses().addresses()) {
      if (NamesNoFabric(address)) continue;
      observation.value = address.address();
      observation.evidence = host.EvidenceAt(path, address.address(), reading);
      observations.push_back(observation);
    }
  });
  return observations;
}

std::vector<Observation> ObserveMacs(const HostView& host) {
  std::vector<Observation> observations;
  std::set<std::string> own;
  for (const PortView& port : host.ports()) {
    if (port.net_device == nullptr) {
      observations.push_back(NotVisible(host, port));
      continue;
    }
    const v1::NetLink& link = port.net_device->link();
    // Of the loopback device (Soft-RoCE may be on it): it names nobody.
    if (link.mac() == "00:00:00:00:00:00") continue;
    const v1::Reading reading = ReadingOf(port.net_device->has_link(), link);
    Observation observation{.subject = host.SubjectOfPort(port), .group = std::string(kFleet)};
    observation.evidence =
        host.EvidenceAt(NetPath(port.net_device->id(), "link.mac"), link.mac(), reading);
    if (!IsOk(reading)) {
      observation.unknown = ReasonOf(reading);
    } else if (!link.has_mac()) {
      observation.unknown = "the answer holds no MAC";
    } else if (own.insert(link.mac()).second) {
      // Members of a bond share one, and so does what is stacked on it.
      observation.value = link.mac();
    } else {
      continue;
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

void FailDuplicate(std::string_view value, const std::vector<const Observation*>& holders,
                   std::string_view what, std::string_view fix, Judge& judge) {
  v1::Subject subject;
  subject.set_group(std::string(value));
  subject.set_label(fmt::format("{} {}", what, value));
  Draft& draft = judge.Fail(subject);
  // A port that is down explains why something was not read, but no duplicate.
  draft.explained_by = {"fleet.duplicate-host"};
  std::vector<std::string> hosts;
  for (const Observation* holder : holders) {
    hosts.push_back(holder->subject.host());
    for (PortKey& port : PortsOfSubject(holder->subject)) draft.touches.push_back(std::move(port));
    draft.RestsOn(holder->evidence);
  }
  draft.Expected(fmt::format("one holder of each {}", what))
      .Actual(fmt::format("{} is on {}", value, FoldHostList(std::move(hosts))))
      .MendedBy(std::string(fix));
}

void JudgeUnique(const FleetGroup& group, std::string_view what, std::string_view fix,
                 Judge& judge) {
  for (const Observation* one : group.unknown) {
    Draft& draft = judge.Unknown(one->subject, one->unknown)
                       .Expected(fmt::format("one holder of each {}", what))
                       .RestsOn(one->evidence);
    // Of a port without a net device GIDs and MTU are unknown for the same reason.
    if (one->evidence.fact_path().ends_with(".net_device_id")) {
      draft.explained_by = {"fleet.duplicate-host", "device.rdma-present", "gid.rocev2-ipv4",
                            "mtu.netdev"};
    }
  }
  for (const auto& [value, holders] : group.by_value) {
    if (holders.size() > 1) {
      FailDuplicate(value, holders, what, fix, judge);
    } else if (group.unknown.empty()) {
      judge.Pass();
    }
  }
}

void JudgeAddresses(const FleetGroup& group, Judge& judge) {
  JudgeUnique(group, "address",
              "Take the address from the host that should not have it, also in its network "
              "configuration, and flush the neighbours' tables.",
              judge);
}

void JudgeMacs(const FleetGroup& group, Judge& judge) {
  JudgeUnique(group, "MAC",
              "Give each net device its own MAC; clones of a machine keep the old one.", judge);
}

}  // namespace

Check AddressDuplicate() {
  return {
      .id = "address.duplicate",
      .title = "No two hosts have one address",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Packets for a duplicate address (and its GID) reach whoever answered ARP last: queue "
          "pairs time out on one host and then on the other.",
      .how =
          "Every IPv4 and global IPv6 address of the RoCE ports' net devices, bonds and VLANs must "
          "be held by one net device of all hosts in this audit. Where one of them was not read, "
          "nothing passes.",
      .fix = "Take the address from the host that should not have it.",
      .sources = {"rtnetlink RTM_GETADDR on all hosts"},
      .explained_by = {"fleet.duplicate-host", "device.rdma-present", "port.active"},
      .observe = ObserveAddresses,
      .fleet = JudgeAddresses,
  };
}

Check AddressDuplicateMac() {
  return {
      .id = "address.duplicate-mac",
      .title = "No two hosts have one MAC",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Switches send frames for a duplicate MAC to the port that spoke last: connections of "
          "both "
          "hosts break at random. Cloned virtual machines are the usual cause.",
      .how =
          "The MAC of every RoCE port's net device must be on one host of this audit only; devices "
          "of one host may share it, as the members of a bond do. Where one was not read, nothing "
          "passes.",
      .fix = "Give each net device its own MAC.",
      .sources = {"rtnetlink IFLA_ADDRESS on all hosts"},
      .explained_by = {"fleet.duplicate-host", "device.rdma-present", "port.active"},
      .observe = ObserveMacs,
      .fleet = JudgeMacs,
  };
}

}  // namespace roceready::checks
