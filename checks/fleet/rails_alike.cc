// SPDX-License-Identifier: Apache-2.0
// Ports of one rail are alike on all hosts: name, model, slot and speed. A majority is a hint.
#include <algorithm>
#include <tuple>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/alike.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/host_view.h"
#include "checks/rails.h"
#include "checks/reading.h"

namespace roceready::checks {
namespace {

// What one port says of itself; `value` stays empty where it was not read.
struct Say {
  std::string value;
  std::string path;
  v1::Reading reading;
};

// One observation a rail and port. A port without a rail has nobody to be compared with.
std::vector<Observation> ObserveRails(const HostView& host,
                                      Say (*say)(const HostView& host, const PortView& port)) {
  std::vector<Observation> observations;
  for (const RailPort& rail : RailsOfHost(host.facts())) {
    for (const PortView& port : host.ports()) {
      if (port.device->id() != rail.rdma_device_id || port.port->number() != rail.port) continue;
      const Say said = say(host, port);
      Observation observation{
          .subject = host.SubjectOfPort(port), .group = "rail " + rail.rail, .value = said.value};
      // A port may be on several rails.
      observation.subject.set_group(rail.rail);
      observation.evidence = host.EvidenceAt(said.path, said.value, said.reading);
      if (said.value.empty()) {
        observation.unknown =
            IsOk(said.reading) ? "the answer does not hold this value" : ReasonOf(said.reading);
      }
      observations.push_back(std::move(observation));
    }
  }
  return observations;
}

// The same for what no two ports of a host have in common: where several are in one subnet, as in a
// flat fabric, each is compared with its like of the other hosts, in the order of their ids.
std::vector<Observation> ObserveRailsInOrder(const HostView& host,
                                             Say (*say)(const HostView& host,
                                                        const PortView& port)) {
  std::vector<Observation> observations = ObserveRails(host, say);
  std::ranges::stable_sort(observations, {}, [](const Observation& one) {
    return std::tuple(one.group, one.subject.device_id(), one.subject.port());
  });
  size_t ports_before = 0;
  for (size_t i = 0; i < observations.size(); ++i) {
    const std::string& rail = observations[i].subject.group();
    ports_before = i > 0 && observations[i - 1].subject.group() == rail ? ports_before + 1 : 0;
    if (ports_before > 0) observations[i].group += fmt::format(", port {}", ports_before + 1);
  }
  return observations;
}

Say SayName(const HostView&, const PortView& port) {
  return {port.device->name(), RdmaPath(port.device->id(), "name"), ReadingOf(true, *port.device)};
}

// What stands in place of a value that the port's PCI function would tell.
Say SayUnlisted(const HostView& host, const PortView& port) {
  return {{}, "pci_functions", host.FunctionReading(port)};
}

Say SayModel(const HostView& host, const PortView& port) {
  if (port.LacksFunction()) return SayUnlisted(host, port);
  if (port.pci == nullptr) {
    return {port.device->driver(), RdmaPath(port.device->id(), "driver"),
            ReadingOf(true, *port.device)};
  }
  Say said{.value = {},
           .path = PciPath(port.pci->id(), "device"),
           .reading = ReadingOf(true, *port.pci)};
  if (port.pci->has_vendor() && port.pci->has_device() && !port.device->driver().empty()) {
    said.value = fmt::format("{} {:04x}:{:04x}", port.device->driver(), port.pci->vendor(),
                             port.pci->device());
  }
  return said;
}

Say SaySlot(const HostView& host, const PortView& port) {
  if (port.LacksFunction()) return SayUnlisted(host, port);
  if (port.pci == nullptr) {
    return {"no PCI function", RdmaPath(port.device->id(), "id"), ReadingOf(true, *port.device)};
  }
  Say said{.value = {},
           .path = PciPath(port.pci->id(), "numa_node"),
           .reading = ReadingOf(true, *port.pci)};
  if (port.pci->has_numa_node()) {
    said.value = fmt::format("{} on NUMA node {}", port.pci->id(), port.pci->numa_node());
  }
  return said;
}

Say SaySpeed(const HostView& host, const PortView& port) {
  if (port.carriers.empty()) {
    return {{},
            PortPath(port.device->id(), port.port->number(), "net_device_id"),
            host.NetDeviceReading(port)};
  }
  const v1::NetDevice& net_device = *port.carriers.front().net_device;
  const v1::Ethernet& ethernet = net_device.ethernet();
  Say said{.value = {},
           .path = NetPath(net_device.id(), "ethernet.speed_mbps"),
           .reading = ReadingOf(net_device.has_ethernet(), ethernet)};
  if (ethernet.has_speed_mbps()) said.value = fmt::format("{} Mb/s", ethernet.speed_mbps());
  return said;
}

std::vector<Observation> ObserveNames(const HostView& host) {
  return ObserveRailsInOrder(host, SayName);
}
std::vector<Observation> ObserveModels(const HostView& host) {
  return ObserveRails(host, SayModel);
}
std::vector<Observation> ObserveSlots(const HostView& host) {
  return ObserveRailsInOrder(host, SaySlot);
}
std::vector<Observation> ObserveSpeeds(const HostView& host) {
  std::vector<Observation> observations = ObserveRails(host, SaySpeed);
  const std::string kind = KindOf(host);
  for (Observation& one : observations) {
    const v1::PciFunction* function = FindPciFunction(host.facts(), one.subject.device_id());
    one.group +=
        fmt::format(", {} of {}", function == nullptr ? "ports" : ModelOf(*function), kind);
  }
  return observations;
}

void JudgeNames(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one RDMA device name for a rail on all hosts",
                 "Name devices by slot with a udev rule, or list the names of each host in the "
                 "job's settings.",
                 judge);
}

void JudgeModels(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one NIC model for a rail on all hosts",
                 "Keep hosts with other NICs out of the job, or give the rail one model.", judge);
}

void JudgeSlots(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one slot and NUMA node for a rail on all hosts",
                 "Check that cables go to the right NIC, and that the card is in the slot that the "
                 "others use.",
                 judge);
}

void JudgeSpeeds(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one speed for a rail on all hosts of one kind",
                 "Check cable, optic, breakout and the switch port's speed setting.", judge);
}

}  // namespace

Check DeviceNameOddOneOut() {
  return {
      .id = "name.odd-one-out",
      .title = "A rail's device has one name everywhere",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Job settings name devices literally: where the name is another, the job falls back to "
          "TCP or uses the wrong rail.",
      .how =
          "The RDMA devices of the ports in one IPv4 subnet are compared by name over all hosts; "
          "whoever differs from the most is named. Several ports of a host in one subnet are "
          "compared in the order of their PCI addresses. A majority is a hint, not a proof.",
      .fix = "Name devices by slot with a udev rule.",
      .sources = {"RDMA netlink GET, RDMA_NLDEV_ATTR_DEV_NAME"},
      .explained_by = {"device.rdma-present", "address.duplicate", "slot.odd-one-out",
                       "model.odd-one-out"},
      .observe = ObserveNames,
      .fleet = JudgeNames,
  };
}

Check DeviceModelOddOneOut() {
  return {
      .id = "model.odd-one-out",
      .title = "A rail has one NIC model on all hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "NICs of different makers differ in limits, timers and congestion control: the slower "
          "half "
          "sets the pace, and some libraries refuse or hang.",
      .how =
          "Driver and PCI id of the ports in one IPv4 subnet are compared over all hosts; whoever "
          "differs from the most is named.",
      .fix = "Keep hosts with other NICs out of the job.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/vendor and device"},
      .explained_by = {"device.rdma-present"},
      .observe = ObserveModels,
      .fleet = JudgeModels,
  };
}

Check DeviceSlotOddOneOut() {
  return {
      .id = "slot.odd-one-out",
      .title = "A rail is in one slot on all hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Swapped cables or addresses, or a card in another slot, put a rail far from its GPU: "
          "traffic crosses sockets or spines, and only some groups are slow.",
      .how =
          "PCI address and NUMA node of the ports in one IPv4 subnet are compared over all hosts; "
          "whoever differs from the most is named. Several ports of a host in one subnet are "
          "compared in the order of their PCI addresses. Hosts of different make differ rightly.",
      .fix = "Check cabling and slot against the others.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/numa_node"},
      .explained_by = {"device.rdma-present", "model.odd-one-out"},
      .observe = ObserveSlots,
      .fleet = JudgeSlots,
  };
}

Check SpeedOddOneOut() {
  return {
      .id = "speed.odd-one-out",
      .title = "A rail runs at one speed on all hosts of one kind",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why = "One port at half speed slows every collective operation to its pace.",
      .how =
          "The Ethernet speeds of the ports of one NIC model in one IPv4 subnet are compared over "
          "hosts with the same RDMA NIC models and as many GPUs, since storage may rightly be "
          "slower than compute; whoever differs from the most is named.",
      .fix = "Check cable, optic, breakout and the switch port's speed setting.",
      .sources = {"ethtool LINKMODES_GET, ETHTOOL_A_LINKMODES_SPEED"},
      .explained_by = {"device.rdma-present", "port.active", "speed.as-planned",
                       "model.odd-one-out"},
      .observe = ObserveSpeeds,
      .fleet = JudgeSpeeds,
  };
}

}  // namespace roceready::checks
