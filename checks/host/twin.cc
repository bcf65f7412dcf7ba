// SPDX-License-Identifier: Apache-2.0
#include "checks/host/twin.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

// What tells NICs of one kind, as far as it was read.
auto KindOf(const v1::PciFunction& function) {
  return std::tuple(function.vendor(), function.device(), function.subsystem_vendor(),
                    function.subsystem_device(), function.driver());
}

std::string AdapterIdOf(const v1::PciFunction& function) {
  return function.adapter_id().empty() ? AdapterIdOfAddress(PciAddressOf(function.id()))
                                       : function.adapter_id();
}

}  // namespace

const v1::RdmaDevice* RdmaDeviceOf(const v1::HostFacts& facts, const v1::PciFunction& function) {
  const std::string id = PciRdmaDeviceId(PciAddressOf(function.id()));
  const auto found = std::ranges::find(facts.rdma_devices(), id, &v1::RdmaDevice::id);
  return found == facts.rdma_devices().end() ? nullptr : &*found;
}

SharedPort PortAtSibling(const v1::HostFacts& facts, const v1::PciFunction& function) {
  SharedPort shared = SharedPort::kNo;
  for (const v1::PciFunction& sibling : facts.pci_functions()) {
    if (&sibling == &function || sibling.driver() != function.driver() ||
        AdapterIdOf(sibling) != AdapterIdOf(function)) {
      continue;
    }
    const v1::RdmaDevice* device = RdmaDeviceOf(facts, sibling);
    if (device == nullptr || device->ports_size() < 2) continue;
    for (const v1::RdmaPort& port : device->ports()) {
      if (!port.has_net_device_id()) {
        shared = SharedPort::kMaybe;
      } else if (PciAddressOf(port.net_device_id()) == PciAddressOf(function.id())) {
        return SharedPort::kYes;
      }
    }
  }
  return shared;
}

bool IsInBond(const v1::HostFacts& facts, const v1::PciFunction& function) {
  return std::ranges::any_of(facts.net_devices(), [&](const v1::NetDevice& net_device) {
    const v1::NetDevice* master = FindNetDevice(facts, net_device.link().master_id());
    return PciAddressOf(net_device.id()) == PciAddressOf(function.id()) && master != nullptr &&
           master->link().kind() == "bond";
  });
}

bool IsSwitchedOff(const v1::PciFunction& function) {
  return std::ranges::any_of(
      function.parameters().parameters(), [](const v1::DevlinkParameter& parameter) {
        const bool of_rdma = parameter.name() == "enable_rdma" || parameter.name() == "enable_roce";
        return of_rdma && (parameter.runtime() == "false" || parameter.driverinit() == "false");
      });
}

bool HasTwinWithRdma(const v1::HostFacts& facts, const v1::PciFunction& function) {
  return std::ranges::any_of(facts.pci_functions(), [&](const v1::PciFunction& other) {
    return &other != &function && !other.has_physical_function_id() &&
           KindOf(other) == KindOf(function) && RdmaDeviceOf(facts, other) != nullptr;
  });
}

}  // namespace roceready::checks
