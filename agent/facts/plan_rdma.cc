// SPDX-License-Identifier: Apache-2.0
// Readings of RDMA devices. A PCI function and its RDMA device share one thread.
#include "agent/facts/congestion/congestion.h"
#include "agent/facts/congestion/devx.h"
#include "agent/facts/file_counters.h"
#include "agent/facts/gids.h"
#include "agent/facts/planner.h"
#include "agent/facts/rdma.h"
#include "agent/facts/rdma_stack.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

using netlink::Protocol;

Fragment RdmaRow(v1::RdmaDevice device) {
  Fragment fragment;
  *fragment.facts.add_rdma_devices() = std::move(device);
  return fragment;
}

}  // namespace

void Planner::PlanRdmaDevice(const RdmaDeviceEntry& entry) {
  // The PCI function and its RDMA device share one thread.
  const std::string& lane = entry.id;
  Add({"rdma " + entry.id, lane, "RDMA device " + entry.name, v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, inventory = inventory_, entry] {
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         v1::RdmaDevice device =
             ReadRdmaDevice(rdma.ok() ? rdma->get() : nullptr, sources->root(), entry);
         *device.mutable_uverbs() = ReadUverbsAccess(sources->root(), entry.name);
         for (const uint32_t number : entry.ports) {
           v1::RdmaPort* port = device.add_ports();
           port->set_number(number);
           *port->mutable_cm_defaults() = ReadCmDefaults(sources->root(), entry.name, number);
         }
         return RdmaRow(std::move(device));
       },
       [entry](const v1::Reading& reading) {
         v1::RdmaDevice device = RdmaPortsMissing(reading, entry);
         *device.mutable_reading() = reading;
         *device.mutable_uverbs()->mutable_reading() = reading;
         for (v1::RdmaPort& port : *device.mutable_ports()) {
           port.clear_reading();
           *port.mutable_cm_defaults()->mutable_reading() = reading;
         }
         return RdmaRow(std::move(device));
       }});
  PlanRdmaCounters(entry, lane);
  PlanDeviceVerbs(entry, lane);
  PlanPorts(entry, QueryPortTakesRtnl(entry.driver) ? std::string(kRtnlLane) : lane);
  PlanCongestion(entry, lane);
}

void Planner::PlanRdmaCounters(const RdmaDeviceEntry& entry, const std::string& lane) {
  Add({"rdma counters " + entry.id, lane, "RDMA counters of " + entry.name, v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, entry, with_raw = with_raw_] {
         Fragment fragment;
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         if (rdma.ok()) {
           fragment.ports = ReadRdmaTotals(**rdma, entry, with_raw);
         } else {
           fragment.ports = ReadRdmaTotalsFromFiles(
               sources->root(), entry, with_raw, ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK));
         }
         for (size_t i = 0; i < fragment.ports.size(); ++i) {
           AddRdmaBytes(sources->root(), entry, entry.ports[i], &fragment.ports[i].counters);
           AddRefresh(sources->root(), entry, entry.ports[i], &fragment.ports[i].counters);
         }
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         return Fragment{{}, RdmaTotalsMissing(reading, entry), {}};
       }});
  Add({"cm counters " + entry.id, lane, "connection manager of " + entry.name, v1::SOURCE_SYSFS,
       [sources = sources_, entry] {
         return Fragment{{}, ReadCmTotals(sources->root(), entry), {}};
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         for (const uint32_t number : entry.ports) {
           v1::PortCounters& counters = fragment.ports.emplace_back().counters;
           counters.set_owner_id(CmOwnerId(entry.id, number));
           *counters.mutable_reading() = reading;
         }
         return fragment;
       }});
  Add({"optional counters " + entry.id, lane, "optional counters of " + entry.name,
       v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, entry] {
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         if (rdma.ok()) return RdmaRow(ReadOptionalCounters(**rdma, entry));
         return RdmaRow(
             OptionalCountersMissing(ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK), entry));
       },
       [entry](const v1::Reading& reading) {
         return RdmaRow(OptionalCountersMissing(reading, entry));
       }});
}

void Planner::PlanDeviceVerbs(const RdmaDeviceEntry& entry, const std::string& lane) {
  Add({"verbs " + entry.id, lane, "verbs of " + entry.name, v1::SOURCE_VERBS,
       [sources = sources_, inventory = inventory_, entry] {
         const HostRoot& root = sources->root();
         const v1::Reading access = ReadUverbsAccess(root, entry.name).reading();
         const auto verbs =
             sources->OpenVerbs()->ReadDevice(entry.name, CountGidSlots(root, entry));
         v1::RdmaDevice device = DeviceFactsOf(verbs, access, *inventory, entry);
         if (device.ports().empty()) {
           for (const uint32_t number : entry.ports) {
             v1::RdmaPort* port = device.add_ports();
             port->set_number(number);
             *port->mutable_gid_table() = ReadGidsFromSysfs(root, *inventory, entry.name, number);
           }
         }
         // PORT_GET replaces it; where that hangs, joins go on by the GID table.
         for (v1::RdmaPort& port : *device.mutable_ports()) {
           const auto net_device = NetDeviceOfGids(port.gid_table());
           if (net_device.has_value()) port.set_net_device_id(*net_device);
         }
         return RdmaRow(std::move(device));
       },
       [entry](const v1::Reading& reading) {
         v1::RdmaDevice device;
         device.set_id(entry.id);
         *device.mutable_attributes()->mutable_reading() = reading;
         for (const uint32_t number : entry.ports) {
           v1::RdmaPort* port = device.add_ports();
           port->set_number(number);
           *port->mutable_gid_table()->mutable_reading() = reading;
         }
         return RdmaRow(std::move(device));
       }});
}

void Planner::PlanPorts(const RdmaDeviceEntry& entry, const std::string& lane) {
  Add({"rdma ports " + entry.id, lane, "port state of " + entry.name, v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, inventory = inventory_, entry] {
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         return RdmaRow(
             ReadRdmaPorts(rdma.ok() ? rdma->get() : nullptr, sources->root(), *inventory, entry));
       },
       [entry](const v1::Reading& reading) { return RdmaRow(RdmaPortsMissing(reading, entry)); }});
  Add({"verbs ports " + entry.id, lane, "port attributes of " + entry.name, v1::SOURCE_VERBS,
       [sources = sources_, entry] {
         const v1::Reading access = ReadUverbsAccess(sources->root(), entry.name).reading();
         return RdmaRow(PortFactsOf(sources->OpenVerbs()->ReadPorts(entry.name), access, entry));
       },
       [entry](const v1::Reading& reading) { return RdmaRow(PortFactsMissing(reading, entry)); }});
}

void Planner::PlanCongestion(const RdmaDeviceEntry& entry, const std::string& lane) {
  std::vector<CongestionPort> ports;
  for (const uint32_t number : entry.ports) {
    CongestionPort port{entry.name, entry.pci_address, "", number};
    for (const NetDeviceEntry& device : inventory_->net_devices) {
      const bool same_function =
          !entry.pci_address.empty() && device.pci_address == entry.pci_address;
      if (same_function && (port.net_device.empty() || device.dev_port + 1 == number)) {
        port.net_device = device.name;
      }
    }
    ports.push_back(std::move(port));
  }
  const auto row = [entry](uint32_t number, v1::CongestionControl congestion,
                           v1::RdmaDevice* device) {
    v1::RdmaPort* port = device->add_ports();
    port->set_number(number);
    *port->mutable_congestion() = std::move(congestion);
  };
  Add({"congestion " + entry.id, lane, "congestion control of " + entry.name, v1::SOURCE_DEBUGFS,
       [sources = sources_, entry, ports, row] {
         v1::RdmaDevice device;
         device.set_id(entry.id);
         for (const CongestionPort& port : ports) {
           v1::CongestionControl congestion = ReadCongestion(sources->root(), entry.driver, port);
           const v1::Reading& shown = congestion.notification_point().reading();
           if (entry.driver == "mlx5" && shown.outcome() == v1::OUTCOME_UNSUPPORTED) {
             AddCongestionPoints(sources->OpenVerbs()->ReadCongestionPoints(entry.name),
                                 &congestion);
           }
           row(port.port, std::move(congestion), &device);
         }
         return RdmaRow(std::move(device));
       },
       [entry, row](const v1::Reading& reading) {
         v1::RdmaDevice device;
         device.set_id(entry.id);
         for (const uint32_t number : entry.ports) row(number, CongestionMissing(reading), &device);
         return RdmaRow(std::move(device));
       }});
}

}  // namespace roceready::facts
