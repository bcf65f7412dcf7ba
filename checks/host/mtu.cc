// SPDX-License-Identifier: Apache-2.0
// mtu.netdev and mtu.rdma-active: the MTU that the policy wants, on the net device and as the RDMA
// port uses it.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/shell.h"

namespace roceready::checks {
namespace {

// GRH 40 + UDP 8 + BTH 12 + XRC 4 + atomic 28 + ICRC 4: what iboe_get_mtu() takes off before it
// rounds down (include/rdma/ib_addr.h). Soft-RoCE takes off 80.
constexpr uint32_t kRoceHeaderBytes = 96;
constexpr uint32_t kRxeHeaderBytes = 80;

uint32_t HeaderBytes(NicFamily family) {
  return family == NicFamily::kSoft ? kRxeHeaderBytes : kRoceHeaderBytes;
}

// irdma, erdma and siw report the netdev MTU rounded down without room for headers, so that 4096 at
// a netdev MTU of 4096 is said but does not fit (ib_mtu_int_to_enum in their query_port).
bool ReportsWithoutHeaders(const PortView& port) {
  const std::string& driver = port.device->driver();
  return port.family == NicFamily::kIntel || driver.starts_with("erdma") ||
         driver.starts_with("siw");
}

struct Target {
  const PortView* port = nullptr;
  const v1::NetDevice* net_device = nullptr;
  // A device that only carries others may have a larger MTU than they have.
  bool at_least = false;
};

std::vector<Target> TargetsOf(const HostView& host) {
  std::vector<Target> targets;
  std::set<const v1::NetDevice*> seen;
  const auto add = [&](const PortView& port, const v1::NetDevice* net_device, bool at_least) {
    if (seen.insert(net_device).second) targets.push_back({&port, net_device, at_least});
  };
  for (const PortView& port : host.ports()) {
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      const bool carries_only = !port.vlans.empty() && net_device->link().kind() != "vlan" &&
                                net_device->addresses().addresses().empty();
      add(port, net_device, carries_only);
    }
    for (const Carrier& carrier : port.carriers) add(port, carrier.net_device, true);
  }
  return targets;
}

void JudgeNetDevice(const HostView& host, const Target& target, Judge& judge) {
  const uint32_t wanted = host.intent().mtu_bytes();
  const v1::NetDevice& net_device = *target.net_device;
  const v1::Subject subject = host.SubjectOfNetDevice(*target.port, net_device);
  const v1::Reading reading = ReadingOf(net_device.has_mtu(), net_device.mtu());
  const std::string expected = fmt::format("MTU {}{}", wanted, target.at_least ? " or more" : "");
  const std::string path = NetPath(net_device.id(), "mtu.mtu_bytes");
  if (!IsOk(reading) || !net_device.mtu().has_mtu_bytes()) {
    v1::Evidence evidence = host.EvidenceAt(path, {}, reading);
    (IsOk(reading)
         ? judge.Unknown(subject, "the kernel's answer holds no MTU").RestsOn(std::move(evidence))
         : judge.Unread(subject, std::move(evidence)))
        .Expected(expected, "intent.mtu_bytes");
    return;
  }
  const uint32_t actual = net_device.mtu().mtu_bytes();
  if (target.at_least ? actual >= wanted : actual == wanted) return judge.Pass();
  Draft& draft = judge.Fail(subject)
                     .Expected(expected, "intent.mtu_bytes")
                     .Actual(fmt::format("MTU {}", actual))
                     .RestsOn(host.EvidenceAt(path, std::to_string(actual), reading));
  const v1::NetLink& link = net_device.link();
  if (link.has_max_mtu_bytes() && link.max_mtu_bytes() > 0 && link.max_mtu_bytes() < wanted) {
    draft.MendedBy(fmt::format("The driver allows {} bytes at most: this policy does not suit it.",
                               link.max_mtu_bytes()));
    return;
  }
  draft.MendedBy("Set the MTU, also in the network configuration.",
                 ShellCommand("ip link set dev {} mtu {}", net_device.name(), wanted), false);
}

void JudgeNetDevices(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) {
    if (!host.intent().has_mtu_bytes()) {
      judge.NotApplicable();
    } else if (port.net_device == nullptr) {
      // Its GIDs are unknown for the same reason.
      judge
          .Unread(host.SubjectOfPort(port),
                  host.EvidenceAt(PortPath(port.device->id(), port.port->number(), "net_device_id"),
                                  {}, host.NetDeviceReading(port)))
          .explained_by = {"device.rdma-present", "gid.rocev2-ipv4"};
    }
  }
  if (!host.intent().has_mtu_bytes()) return;
  for (const Target& target : TargetsOf(host)) JudgeNetDevice(host, target, judge);
}

void MendActiveMtu(const HostView& host, const PortView& port, uint32_t wanted, Draft& draft) {
  if (port.net_device == nullptr) {
    draft.MendedBy("Raise the MTU of the net device below the port.");
    return;
  }
  const uint32_t needed = std::max(wanted + HeaderBytes(port.family), host.intent().mtu_bytes());
  draft.MendedBy(fmt::format("The RDMA MTU follows the net device's: {} needs {} bytes there.",
                             wanted, wanted + HeaderBytes(port.family)),
                 ShellCommand("ip link set dev {} mtu {}", port.net_device->name(), needed), false);
}

// Where the driver's number leaves no room for headers: whether such packets fit. True when done.
bool JudgeRoomForHeaders(const HostView& host, const PortView& port, uint32_t wanted,
                         Judge& judge) {
  if (!ReportsWithoutHeaders(port) || port.net_device == nullptr) return false;
  const v1::NetMtu& mtu = port.net_device->mtu();
  const v1::Reading reading = ReadingOf(port.net_device->has_mtu(), mtu);
  const v1::Subject subject = host.SubjectOfPort(port);
  const std::string path = NetPath(port.net_device->id(), "mtu.mtu_bytes");
  const uint32_t needed = wanted + kRoceHeaderBytes;
  const std::string expected = fmt::format("RDMA MTU {} with room for headers: {} bytes on {}",
                                           wanted, needed, port.net_device->name());
  if (!IsOk(reading) || !mtu.has_mtu_bytes()) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading))
        .Expected(expected, "intent.rdma_mtu_bytes");
    return true;
  }
  if (mtu.mtu_bytes() >= needed) return false;
  Draft& draft =
      judge.Fail(subject)
          .Expected(expected, "intent.rdma_mtu_bytes")
          .Actual(fmt::format("RDMA MTU {} is said, but {} has MTU {}: full packets do not fit",
                              wanted, port.net_device->name(), mtu.mtu_bytes()))
          .RestsOn(host.EvidenceAt(path, std::to_string(mtu.mtu_bytes()), reading));
  MendActiveMtu(host, port, wanted, draft);
  return true;
}

void JudgeActiveMtu(const HostView& host, const PortView& port, Judge& judge) {
  const uint32_t wanted = host.intent().rdma_mtu_bytes();
  const v1::PortAttributes& attributes = port.port->attributes();
  const v1::Subject subject = host.SubjectOfPort(port);
  const v1::Reading reading = ReadingOf(port.port->has_attributes(), attributes);
  const std::string path =
      PortPath(port.device->id(), port.port->number(), "attributes.active_mtu_bytes");
  const std::string expected = fmt::format("RDMA MTU {}", wanted);
  if (!IsOk(reading)) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading))
        .Expected(expected, "intent.rdma_mtu_bytes");
    return;
  }
  if (!attributes.has_active_mtu_bytes()) {
    judge.Unknown(subject, "the answer holds no active MTU")
        .Expected(expected, "intent.rdma_mtu_bytes")
        .RestsOn(host.EvidenceAt(path, {}, reading));
    return;
  }
  const uint32_t actual = attributes.active_mtu_bytes();
  if (actual == wanted) {
    if (!JudgeRoomForHeaders(host, port, wanted, judge)) judge.Pass();
    return;
  }
  Draft& draft = judge.Fail(subject)
                     .Expected(expected, "intent.rdma_mtu_bytes")
                     .Actual(fmt::format("RDMA MTU {}", actual))
                     .RestsOn(host.EvidenceAt(path, std::to_string(actual), reading));
  MendActiveMtu(host, port, wanted, draft);
}

void JudgeActiveMtus(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) {
    if (host.intent().has_rdma_mtu_bytes()) {
      JudgeActiveMtu(host, port, judge);
    } else {
      judge.NotApplicable();
    }
  }
}

}  // namespace

Check MtuNetdev() {
  return {
      .id = "mtu.netdev",
      .title = "Net devices have the fabric's MTU",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "The RDMA MTU follows from it. A host left at 1500 runs at RDMA MTU 1024, and peers "
          "with a larger one send packets that it never receives.",
      .how =
          "The net device of each RoCE port, its bond and the VLANs on it must have exactly the "
          "policy's mtu_bytes; what only carries them (a bond's members, the device below a "
          "VLAN) must have at least that.",
      .fix = "ip link set dev DEVICE mtu BYTES, and the same in the network configuration.",
      .sources = {"rtnetlink IFLA_MTU, or /sys/class/net/DEVICE/mtu"},
      .explained_by = {"device.rdma-present"},
      .is_setting = true,
      .host = JudgeNetDevices,
  };
}

Check MtuRdmaActive() {
  return {
      .id = "mtu.rdma-active",
      .title = "RDMA ports use the fabric's RDMA MTU",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Smaller packets cost bandwidth; and where two ends disagree, one sends packets that "
          "the other drops.",
      .how =
          "The active MTU of each RoCE port must equal the policy's rdma_mtu_bytes. Most "
          "drivers take 96 bytes of headers off the netdev MTU before rounding down (Soft-RoCE "
          "80). irdma, erdma and siw take nothing off, so there the netdev MTU must leave room "
          "for 96 bytes more.",
      .fix = "Raise the MTU of the net device: 4096 needs 4192 bytes (Soft-RoCE 4176).",
      .sources = {"verbs ibv_query_port, active_mtu", "include/rdma/ib_addr.h, iboe_get_mtu()"},
      .explained_by = {"device.rdma-present", "port.active", "mtu.netdev"},
      .host = JudgeActiveMtus,
  };
}

}  // namespace roceready::checks
