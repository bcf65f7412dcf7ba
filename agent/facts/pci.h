// SPDX-License-Identifier: Apache-2.0
// PCI function from sysfs: ids, driver, NUMA node, IOMMU, SR-IOV, and every link on the path to the
// root port with its speed and width (drivers/pci/pci-sysfs.c) and with what only its configuration
// space tells (pci_config.h). Nothing here takes RTNL.
#pragma once

#include <string>
#include <string_view>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// `address` as sysfs writes it, "0000:3b:00.0". Firmware and health are filled elsewhere.
v1::PciFunction ReadPciFunction(const HostRoot& root, const std::string& address);

// The RDMA family of a NIC, by its driver, else by its vendor; empty for a NIC of none.
std::string RdmaFamilyOf(const v1::PciFunction& function);

// One adapter id for all functions of one card: devlink tells the serial number on some of them
// only.
void CompleteAdapters(v1::HostFacts* facts);

// "16.0 GT/s PCIe" -> 16000 megatransfers a second; nullopt for "Unknown".
std::optional<uint32_t> ParseLinkSpeed(std::string_view text);

}  // namespace roceready::facts
