// SPDX-License-Identifier: Apache-2.0
// What there is on the host: network PCI functions, net devices, RDMA devices, and how they belong
// together. Read from sysfs alone and only from files that do not take RTNL, so that the list is
// complete while a driver holds RTNL (kernel-side: net/core/net-sysfs.c netdev_show takes no lock;
// `speed`, `duplex`, `phys_port_name` do).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

struct NetDeviceEntry {
  std::string id;  // proto/contract/ids.h
  std::string name;
  uint32_t index = 0;
  // Its PCI function, or the one right above a virtio device; empty for virtual devices.
  std::string pci_address;
  uint32_t dev_port = 0;
};

struct RdmaDeviceEntry {
  std::string id;
  std::string name;
  std::string pci_address;
  // The family's word as rdma-core uses it: "mlx5", "bnxt_re", "irdma", "rxe"; empty if unknown.
  std::string driver;
  std::vector<uint32_t> ports;
};

struct Inventory {
  v1::Reading pci_scan;
  v1::Reading net_scan;
  v1::Reading rdma_scan;
  // Network controllers (PCI class 0x02), with or without a driver.
  std::vector<std::string> pci_addresses;
  // GPUs and other accelerators (graphics of service processors left out), with the functions they
  // share bridges with.
  std::vector<std::string> gpu_addresses;
  // All but loopback, in the order of their kernel index; at most kMostNetDevices, those with a PCI
  // function first (net_scan says how many were left out).
  std::vector<NetDeviceEntry> net_devices;
  std::vector<RdmaDeviceEntry> rdma_devices;

  const NetDeviceEntry* FindNetDevice(std::string_view name) const;
  const NetDeviceEntry* FindNetDevice(uint32_t index) const;
};

inline constexpr size_t kMostNetDevices = 128;

Inventory ReadInventory(const HostRoot& root);

// The inventory as facts: one row with id, index and name for each device, and the scan readings.
v1::HostFacts FactsOf(const Inventory& inventory);

// "mlx5" of "mlx5_core"; empty for a PCI driver that carries no RDMA.
std::string RdmaDriverOfPciDriver(std::string_view pci_driver);

// Drivers whose query_port takes RTNL (ib_get_eth_speed): all but those with a speed table of their
// own. Unknown drivers count as taking it.
bool QueryPortTakesRtnl(std::string_view rdma_driver);

}  // namespace roceready::facts
