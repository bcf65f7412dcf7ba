// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/plan.h"

#include "agent/facts/planner.h"

namespace roceready::facts {

absl::StatusOr<GenericConnection> OpenGeneric(const Sources& sources, std::string_view family) {
  GenericConnection connection;
  ASSIGN_OR_RETURN(connection.transport, sources.OpenNetlink(netlink::Protocol::kGeneric));
  ASSIGN_OR_RETURN(connection.family, netlink::ResolveGenericFamily(*connection.transport, family));
  return connection;
}

std::vector<PlannedReading> PlanReadings(const std::shared_ptr<const Sources>& sources,
                                         const std::shared_ptr<const Inventory>& inventory,
                                         const std::string& host, bool with_raw_counters) {
  Planner planner(sources, inventory, with_raw_counters);
  planner.PlanKernel(host);
  planner.PlanRdmaStack();
  planner.PlanRdmaUse();
  planner.PlanKernelUsers();
  planner.PlanFirewall();
  planner.PlanHealth();
  for (const std::string& address : inventory->pci_addresses) {
    planner.PlanPciFunction(address);
    planner.PlanFirmware(address);
  }
  for (const std::string& address : inventory->gpu_addresses) planner.PlanGpu(address);
  // sysfs gives the MTU before rtnetlink replaces it.
  for (const NetDeviceEntry& entry : inventory->net_devices) planner.PlanNetFiles(entry);
  planner.PlanLldp();
  planner.PlanLinks();
  planner.PlanIpStack();
  planner.PlanNeighbours();
  for (const NetDeviceEntry& entry : inventory->net_devices) planner.PlanEthtool(entry);
  for (const NetDeviceEntry& entry : inventory->net_devices) {
    if (!entry.pci_address.empty()) planner.PlanVirtualFunctions(entry);
  }
  for (const RdmaDeviceEntry& entry : inventory->rdma_devices) planner.PlanRdmaDevice(entry);
  // Last on the RTNL lane: drivers ask their firmware in DCB callbacks, and modules are slow.
  for (const NetDeviceEntry& entry : inventory->net_devices) planner.PlanDcb(entry);
  for (const NetDeviceEntry& entry : inventory->net_devices) {
    if (!entry.pci_address.empty()) planner.PlanTransceiver(entry);
  }
  return planner.Take();
}

}  // namespace roceready::facts
