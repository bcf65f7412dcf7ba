// SPDX-License-Identifier: Apache-2.0
// The parts of plan.h: one member function for each thing that is read, one file for each kind of
// device (plan_host.cc, plan_pci.cc, plan_net.cc, plan_rdma.cc).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/facts/plan.h"
#include "agent/netlink/generic.h"

namespace roceready::facts {

class Planner {
 public:
  Planner(std::shared_ptr<const Sources> sources, std::shared_ptr<const Inventory> inventory,
          bool with_raw)
      : sources_(std::move(sources)), inventory_(std::move(inventory)), with_raw_(with_raw) {}

  void PlanKernel(const std::string& host);
  void PlanRdmaStack();
  void PlanRdmaUse();
  void PlanKernelUsers();
  void PlanFirewall();
  void PlanHealth();

  void PlanPciFunction(const std::string& address);
  void PlanFirmware(const std::string& address);
  void PlanGpu(const std::string& address);

  void PlanNetFiles(const NetDeviceEntry& entry);
  void PlanLldp();
  void PlanLinks();
  void PlanIpStack();
  void PlanNeighbours();
  void PlanEthtool(const NetDeviceEntry& entry);
  void PlanVirtualFunctions(const NetDeviceEntry& entry);
  void PlanDcb(const NetDeviceEntry& entry);
  void PlanTransceiver(const NetDeviceEntry& entry);

  void PlanRdmaDevice(const RdmaDeviceEntry& entry);

  std::vector<PlannedReading> Take() { return std::move(readings_); }

 private:
  void Add(PlannedReading reading) { readings_.push_back(std::move(reading)); }
  void PlanRdmaCounters(const RdmaDeviceEntry& entry, const std::string& lane);
  void PlanDeviceVerbs(const RdmaDeviceEntry& entry, const std::string& lane);
  void PlanPorts(const RdmaDeviceEntry& entry, const std::string& lane);
  void PlanCongestion(const RdmaDeviceEntry& entry, const std::string& lane);

  const std::shared_ptr<const Sources> sources_;
  const std::shared_ptr<const Inventory> inventory_;
  const bool with_raw_;
  std::vector<PlannedReading> readings_;
};

// A generic netlink connection with its family's number, or what stands for its answer.
struct GenericConnection {
  std::unique_ptr<netlink::Transport> transport;
  netlink::GenericFamily family;
};
absl::StatusOr<GenericConnection> OpenGeneric(const Sources& sources, std::string_view family);

}  // namespace roceready::facts
