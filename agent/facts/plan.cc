// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/plan.h"

#include <utility>

#include "agent/facts/congestion/congestion.h"
#include "agent/facts/dcb.h"
#include "agent/facts/ethernet.h"
#include "agent/facts/firmware.h"
#include "agent/facts/gids.h"
#include "agent/facts/ip_stack.h"
#include "agent/facts/kernel.h"
#include "agent/facts/links.h"
#include "agent/facts/pci.h"
#include "agent/facts/rdma.h"
#include "agent/facts/rdma_stack.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

using netlink::Protocol;
using SharedSources = std::shared_ptr<const Sources>;
using SharedInventory = std::shared_ptr<const Inventory>;

Fragment Facts(v1::HostFacts facts) { return Fragment{std::move(facts), {}, {}}; }

v1::NetDevice* AddRow(const NetDeviceEntry& entry, v1::HostFacts* facts) {
  v1::NetDevice* row = facts->add_net_devices();
  row->set_id(entry.id);
  row->set_index(entry.index);
  row->set_name(entry.name);
  return row;
}

Fragment RdmaRow(v1::RdmaDevice device) {
  Fragment fragment;
  *fragment.facts.add_rdma_devices() = std::move(device);
  return fragment;
}

// A generic netlink connection with its family's number, or what stands for its answer.
struct GenericConnection {
  std::unique_ptr<netlink::Transport> transport;
  netlink::GenericFamily family;
};
absl::StatusOr<GenericConnection> OpenGeneric(const Sources& sources, std::string_view family) {
  GenericConnection connection;
  ASSIGN_OR_RETURN(connection.transport, sources.OpenNetlink(Protocol::kGeneric));
  ASSIGN_OR_RETURN(connection.family, netlink::ResolveGenericFamily(*connection.transport, family));
  return connection;
}

class Planner {
 public:
  Planner(SharedSources sources, SharedInventory inventory, bool with_raw)
      : sources_(std::move(sources)), inventory_(std::move(inventory)), with_raw_(with_raw) {}

  void PlanHost(const std::string& host);
  void PlanPciFunction(const std::string& address);
  void PlanNetFiles(const NetDeviceEntry& entry);
  void PlanRdmaDevice(const RdmaDeviceEntry& entry);
  void PlanLinks();
  void PlanEthtool(const NetDeviceEntry& entry);
  void PlanDcb(const NetDeviceEntry& entry);

  std::vector<PlannedReading> Take() { return std::move(readings_); }

 private:
  void Add(PlannedReading reading) { readings_.push_back(std::move(reading)); }
  void PlanDeviceVerbs(const RdmaDeviceEntry& entry, const std::string& lane);
  void PlanPorts(const RdmaDeviceEntry& entry, const std::string& lane);
  void PlanCongestion(const RdmaDeviceEntry& entry, const std::string& lane);

  const SharedSources sources_;
  const SharedInventory inventory_;
  const bool with_raw_;
  std::vector<PlannedReading> readings_;
};

void Planner::PlanHost(const std::string& host) {
  Add({"kernel", std::string(kHostLane), "kernel and modules", v1::SOURCE_PROCFS,
       [sources = sources_, host] {
         Fragment fragment;
         *fragment.facts.mutable_identity() = ReadIdentity(sources->root(), host);
         *fragment.facts.mutable_kernel() = ReadKernel(sources->root());
         return fragment;
       },
       [host](const v1::Reading& reading) {
         Fragment fragment;
         fragment.facts.mutable_identity()->set_host(host);
         *fragment.facts.mutable_kernel()->mutable_reading() = reading;
         return fragment;
       }});
  Add({"rdma_stack", std::string(kHostLane), "RDMA subsystem", v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, inventory = inventory_] {
         Fragment fragment;
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         *fragment.facts.mutable_rdma_stack() =
             ReadRdmaStack(rdma.ok() ? rdma->get() : nullptr, sources->root());
         if (rdma.ok()) {
           *fragment.facts.mutable_rdma_use() = ReadRdmaUse(**rdma, *inventory);
         } else {
           *fragment.facts.mutable_rdma_use()->mutable_reading() =
               ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK);
         }
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_rdma_stack()->mutable_reading() = reading;
         *fragment.facts.mutable_rdma_use()->mutable_reading() = reading;
         return fragment;
       }});
  Add({"health", std::string(kDevlinkLane), "devlink health reporters", v1::SOURCE_DEVLINK,
       [sources = sources_, inventory = inventory_] {
         const auto devlink = OpenGeneric(*sources, netlink::kDevlinkFamily);
         Health health = HealthOf(
             devlink.ok() ? netlink::ReadDevlinkHealth(*devlink->transport, devlink->family)
                          : devlink.status(),
             inventory->pci_addresses);
         return Fragment{std::move(health.facts), {}, std::move(health.counters)};
       },
       [inventory = inventory_](const v1::Reading& reading) {
         Fragment fragment;
         for (const std::string& address : inventory->pci_addresses) {
           v1::PciFunction* function = fragment.facts.add_pci_functions();
           function->set_id(PciId(address));
           *function->mutable_health()->mutable_reading() = reading;
         }
         return fragment;
       }});
}

void Planner::PlanPciFunction(const std::string& address) {
  const std::string id = PciId(address);
  Add({"pci " + id, id, "PCI function " + address, v1::SOURCE_SYSFS,
       [sources = sources_, address] {
         Fragment fragment;
         *fragment.facts.add_pci_functions() = ReadPciFunction(sources->root(), address);
         return fragment;
       },
       [id](const v1::Reading& reading) {
         Fragment fragment;
         v1::PciFunction* function = fragment.facts.add_pci_functions();
         function->set_id(id);
         *function->mutable_reading() = reading;
         return fragment;
       }});
  Add({"firmware " + id, id, "devlink info of " + address, v1::SOURCE_DEVLINK,
       [sources = sources_, address] {
         Fragment fragment;
         v1::PciFunction* function = fragment.facts.add_pci_functions();
         function->set_id(PciId(address));
         const auto devlink = OpenGeneric(*sources, netlink::kDevlinkFamily);
         if (devlink.ok()) {
           *function = ReadFirmware(*devlink->transport, devlink->family, address);
         } else {
           FillFirmware(devlink.status(), function);
         }
         return fragment;
       },
       [id](const v1::Reading& reading) {
         Fragment fragment;
         v1::PciFunction* function = fragment.facts.add_pci_functions();
         function->set_id(id);
         *function->mutable_firmware()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanNetFiles(const NetDeviceEntry& entry) {
  Add({"net files " + entry.id, std::string(kHostLane), "sysfs of " + entry.name, v1::SOURCE_SYSFS,
       [sources = sources_, entry] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         *row->mutable_mtu() = ReadMtuFromSysfs(sources->root(), entry.name);
         *row->mutable_sysctl() = ReadNetSysctl(sources->root(), entry.name);
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         *row->mutable_mtu()->mutable_reading() = reading;
         *row->mutable_sysctl()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanEthtool(const NetDeviceEntry& entry) {
  Add({"ethtool " + entry.id, std::string(kRtnlLane), "ethtool of " + entry.name,
       v1::SOURCE_ETHTOOL_NETLINK,
       [sources = sources_, entry, with_raw = with_raw_] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         const auto ethtool = OpenGeneric(*sources, netlink::kEthtoolFamily);
         if (ethtool.ok()) {
           *row->mutable_ethernet() =
               ReadEthernet(*ethtool->transport, ethtool->family, entry.name);
           *row->mutable_pause() =
               ReadGlobalPause(*ethtool->transport, ethtool->family, entry.name);
         } else {
           FillEthernetMissing(ReadingOf(ethtool.status(), v1::SOURCE_ETHTOOL_NETLINK), row);
         }
         const auto control = sources->OpenEthtool();
         if (control.ok()) {
           *row->mutable_driver() = ReadNetDriver(**control, entry.name);
           fragment.ports.push_back(ReadEthernetTotals(**control, entry, with_raw));
         } else {
           *row->mutable_driver()->mutable_reading() =
               ReadingOf(control.status(), v1::SOURCE_ETHTOOL_IOCTL);
         }
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         FillEthernetMissing(reading, AddRow(entry, &fragment.facts));
         PortTotals& port = fragment.ports.emplace_back();
         port.counters.set_owner_id(entry.id);
         *port.counters.mutable_reading() = reading;
         return fragment;
       }});
}

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
  Add({"rdma counters " + entry.id, lane, "RDMA counters of " + entry.name, v1::SOURCE_RDMA_NETLINK,
       [sources = sources_, entry, with_raw = with_raw_] {
         Fragment fragment;
         const auto rdma = sources->OpenNetlink(Protocol::kRdma);
         if (rdma.ok()) {
           fragment.ports = ReadRdmaTotals(**rdma, entry, with_raw);
         } else {
           fragment.ports =
               RdmaTotalsMissing(ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK), entry);
         }
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         return Fragment{{}, RdmaTotalsMissing(reading, entry), {}};
       }});
  PlanDeviceVerbs(entry, lane);
  PlanPorts(entry, QueryPortTakesRtnl(entry.driver) ? std::string(kRtnlLane) : lane);
  PlanCongestion(entry, lane);
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
         if (rdma.ok()) return RdmaRow(ReadRdmaPorts(**rdma, *inventory, entry));
         return RdmaRow(RdmaPortsMissing(ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK), entry));
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
           row(port.port, ReadCongestion(sources->root(), entry.driver, port), &device);
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

void Planner::PlanLinks() {
  Add({"links", std::string(kRtnlLane), "rtnetlink", v1::SOURCE_RTNETLINK,
       [sources = sources_, inventory = inventory_] {
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         if (route.ok()) return Facts(ReadLinks(**route, *inventory));
         return Facts(LinksMissing(ReadingOf(route.status(), v1::SOURCE_RTNETLINK), *inventory));
       },
       [inventory = inventory_](const v1::Reading& reading) {
         return Facts(LinksMissing(reading, *inventory));
       }});
  Add({"ip_stack", std::string(kRtnlLane), "routes by rtnetlink", v1::SOURCE_RTNETLINK,
       [sources = sources_, inventory = inventory_] {
         Fragment fragment;
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         if (route.ok()) {
           *fragment.facts.mutable_ip_stack() = ReadIpStack(**route, *inventory);
         } else {
           *fragment.facts.mutable_ip_stack()->mutable_reading() =
               ReadingOf(route.status(), v1::SOURCE_RTNETLINK);
         }
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_ip_stack()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanDcb(const NetDeviceEntry& entry) {
  Add({"dcb " + entry.id, std::string(kRtnlLane), "DCB of " + entry.name, v1::SOURCE_DCBNL,
       [sources = sources_, entry] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         *row->mutable_dcb() = route.ok() ? ReadDcbFacts(**route, entry.name)
                                          : DcbMissing(ReadingOf(route.status(), v1::SOURCE_DCBNL));
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         *AddRow(entry, &fragment.facts)->mutable_dcb() = DcbMissing(reading);
         return fragment;
       }});
}

}  // namespace

std::vector<PlannedReading> PlanReadings(const SharedSources& sources,
                                         const SharedInventory& inventory, const std::string& host,
                                         bool with_raw_counters) {
  Planner planner(sources, inventory, with_raw_counters);
  planner.PlanHost(host);
  for (const std::string& address : inventory->pci_addresses) planner.PlanPciFunction(address);
  // sysfs gives the MTU before rtnetlink replaces it.
  for (const NetDeviceEntry& entry : inventory->net_devices) planner.PlanNetFiles(entry);
  planner.PlanLinks();
  for (const NetDeviceEntry& entry : inventory->net_devices) planner.PlanEthtool(entry);
  for (const RdmaDeviceEntry& entry : inventory->rdma_devices) planner.PlanRdmaDevice(entry);
  // Last on the RTNL lane: drivers ask their firmware in DCB callbacks.
  for (const NetDeviceEntry& entry : inventory->net_devices) planner.PlanDcb(entry);
  return planner.Take();
}

}  // namespace roceready::facts
