// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/stacking.h"

#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

constexpr std::string_view kLower = "lower_";

std::string FolderOf(const std::string& net_device) { return "/sys/class/net/" + net_device; }

void Descend(const HostRoot& root, const std::string& name, std::set<std::string>* visited,
             std::set<std::string>* bottom) {
  if (!visited->insert(name).second) return;
  const auto entries = root.List(FolderOf(name));
  if (!entries.ok()) return;
  bool stands_on_others = false;
  for (const std::string& entry : *entries) {
    if (!entry.starts_with(kLower)) continue;
    stands_on_others = true;
    Descend(root, entry.substr(kLower.size()), visited, bottom);
  }
  if (!stands_on_others) bottom->insert(name);
}

}  // namespace

std::set<std::string> BottomOf(const HostRoot& root, const std::string& net_device) {
  // A member's bond is gone up to first: its other members carry the same packets.
  const absl::StatusOr<std::string> master = root.LinkName(FolderOf(net_device) + "/master");
  const bool bonded = master.ok() && root.Exists(FolderOf(*master) + "/bonding");
  std::set<std::string> visited;
  std::set<std::string> bottom;
  Descend(root, bonded ? *master : net_device, &visited, &bottom);
  return bottom;
}

bool BelongsTo(const NetDeviceEntry& net_device, const RdmaDeviceEntry& rdma) {
  if (rdma.pci_address.empty()) return NetDeviceOfSoftRdma(rdma.id) == net_device.id;
  return net_device.id == PciNetDeviceId(rdma.pci_address, net_device.dev_port);
}

}  // namespace roceready::facts
