// SPDX-License-Identifier: Apache-2.0
// The RoCE ports of one host, joined by ids: each RDMA port with its net device, the VLANs on it,
// the physical ports that carry it and the PCI function it sits on. What is judged follows from
// here: ports that speak RoCE and what carries them, never a management NIC.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// Families whose numbers mean different things; each check says which and why.
enum class NicFamily { kOther, kMlx5, kMlx4, kBnxt, kIntel, kHns, kQlogic, kSoft };

// From the name of a kernel driver: "mlx5_core" and "mlx5_ib" -> kMlx5, "rdma_rxe" -> kSoft.
NicFamily FamilyOfDriver(std::string_view driver);

// A physical port below an RDMA port, with the family that tells how to read its DCB answers.
struct Carrier {
  const v1::NetDevice* net_device = nullptr;
  NicFamily family = NicFamily::kOther;
};

struct PortView {
  const v1::RdmaDevice* device = nullptr;
  const v1::RdmaPort* port = nullptr;
  // Null: the port has none that this host shows (another network namespace, or not read).
  const v1::NetDevice* net_device = nullptr;
  // A bond's members, a VLAN's lower device, a virtual function's physical one, else the net device
  // itself. PFC, ETS, APP and speed live there. Empty where none of them is visible.
  std::vector<Carrier> carriers;
  // VLAN devices on the net device.
  std::vector<const v1::NetDevice*> vlans;
  // Null for a software device on a net device without a PCI function.
  const v1::PciFunction* pci = nullptr;
  bool is_virtual_function = false;
  // Of the RDMA device.
  NicFamily family = NicFamily::kOther;
  // Names of the moment, for people: "eth0 (rxe0)"; "mlx5_0 port 2" without a net device.
  std::string label;

  // Those whose addresses become GIDs of this port: the net device, a bond above it, and the VLANs.
  std::vector<const v1::NetDevice*> AddressedNetDevices() const;
  // It is on a PCI function that is not listed, as where the PCI bus was not read.
  bool LacksFunction() const;
  // Ports that share it share a PCIe card.
  std::string AdapterId() const;

  // The bond that the net device is a member of, or null.
  const v1::NetDevice* bond = nullptr;
};

// The ports of RoCE devices: link layer Ethernet where that was read, else any protocol but
// InfiniBand, iWARP and OmniPath.
std::vector<PortView> PortsOf(const v1::HostFacts& facts);

// The rule of PortsOf() for one port.
bool IsRocePort(const v1::RdmaDevice& device, const v1::RdmaPort& port);

const v1::NetDevice* FindNetDevice(const v1::HostFacts& facts, std::string_view id);
const v1::PciFunction* FindPciFunction(const v1::HostFacts& facts, std::string_view id);

}  // namespace roceready::checks
