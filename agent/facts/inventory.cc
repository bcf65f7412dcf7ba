// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/inventory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

constexpr std::string_view kNetClass = "/sys/class/net";
constexpr std::string_view kRdmaClass = "/sys/class/infiniband";
constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";
// include/uapi/linux/if_arp.h, include/uapi/linux/netdevice.h (addr_assign_type)
constexpr int64_t kArphrdLoopback = 772;
constexpr int64_t kAddressIsPermanent = 0;
constexpr int64_t kPciClassNetwork = 0x02;
constexpr int64_t kPciClassAccelerator = 0x12;
// Base class and subclass: VGA, 3D controller, other display controller.
constexpr int64_t kPciClassVga = 0x0300, kPciClass3d = 0x0302, kPciClassDisplayOther = 0x0380;
// A VGA function of these is a GPU; of others it is the graphics of a service processor or a guest.
constexpr std::array<int64_t, 3> kGpuVendors = {0x10de, 0x1002, 0x8086};

// PCI core drivers and the word rdma-core uses for the RDMA driver on top of them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kRdmaDriverOfPciDriver = {{
    {"mlx5_core", "mlx5"},
    {"mlx4_core", "mlx4"},
    {"bnxt_en", "bnxt_re"},
    {"ice", "irdma"},
    {"i40e", "irdma"},
    {"idpf", "irdma"},
    {"hns3", "hns"},
    {"qede", "qedr"},
    {"ionic", "ionic"},
    {"cxgb4", "cxgb4"},
    {"erdma", "erdma"},
    {"efa", "efa"},
    {"mana", "mana"},
}};

std::string LastComponent(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The PCI function that is this device, or is the parent of its virtio device. Deeper ancestors
// (a USB controller, the PF above a sub-function) do not identify it.
std::string PciAddressOfDevice(const HostRoot& root, const std::string& device_link) {
  const absl::StatusOr<std::string> real = root.RealPath(device_link);
  if (!real.ok()) return {};
  std::string own = LastComponent(*real);
  if (IsPciAddress(own)) return own;
  const std::string parent = LastComponent(std::string_view(*real).substr(0, real->rfind('/')));
  return own.starts_with("virtio") && IsPciAddress(parent) ? parent : std::string();
}

std::string FallbackId(const HostRoot& root, const std::string& folder, const std::string& name) {
  const absl::StatusOr<int64_t> kind = root.ReadNumber(folder + "/addr_assign_type");
  const absl::StatusOr<std::string> address = root.ReadWord(folder + "/address");
  const bool permanent = kind.ok() && *kind == kAddressIsPermanent && address.ok() &&
                         address->find_first_not_of("0:") != std::string::npos;
  return permanent ? MacNetDeviceId(*address) : NamedNetDeviceId(name);
}

// Devices come in the order of their indexes: of several that share a function and port (a PF and
// its representors), the first keeps the PCI id. An address can repeat as well; a name cannot.
void GiveIds(const HostRoot& root, std::vector<NetDeviceEntry>* devices) {
  std::set<std::string> taken;
  for (NetDeviceEntry& device : *devices) {
    const std::string folder = fmt::format("{}/{}", kNetClass, device.name);
    if (!device.pci_address.empty()) {
      device.id = PciNetDeviceId(device.pci_address, device.dev_port);
    }
    if (device.id.empty() || taken.contains(device.id)) {
      device.id = FallbackId(root, folder, device.name);
    }
    if (taken.contains(device.id)) device.id = NamedNetDeviceId(device.name);
    taken.insert(device.id);
  }
}

void LeaveOutTheLeastTelling(Inventory* inventory) {
  std::vector<NetDeviceEntry>& devices = inventory->net_devices;
  if (devices.size() <= kMostNetDevices) return;
  std::ranges::stable_partition(
      devices, [](const NetDeviceEntry& device) { return !device.pci_address.empty(); });
  inventory->net_scan.set_detail(
      fmt::format("{} virtual net devices were left out", devices.size() - kMostNetDevices));
  devices.resize(kMostNetDevices);
  std::ranges::sort(devices, {}, &NetDeviceEntry::index);
}

void ScanNetDevices(const HostRoot& root, Inventory* inventory) {
  const absl::StatusOr<std::vector<std::string>> names = root.List(kNetClass);
  inventory->net_scan = ReadingOf(names.status(), v1::SOURCE_SYSFS);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string folder = fmt::format("{}/{}", kNetClass, name);
    const absl::StatusOr<int64_t> index = root.ReadNumber(folder + "/ifindex");
    // Not a device ("bonding_masters"), or gone since the listing.
    if (!index.ok()) continue;
    const absl::StatusOr<int64_t> type = root.ReadNumber(folder + "/type");
    if (type.ok() && *type == kArphrdLoopback) continue;
    NetDeviceEntry device;
    device.name = name;
    device.index = static_cast<uint32_t>(*index);
    device.pci_address = PciAddressOfDevice(root, folder + "/device");
    device.dev_port = static_cast<uint32_t>(root.ReadNumber(folder + "/dev_port").value_or(0));
    inventory->net_devices.push_back(std::move(device));
  }
  std::ranges::sort(inventory->net_devices, {}, &NetDeviceEntry::index);
  GiveIds(root, &inventory->net_devices);
  LeaveOutTheLeastTelling(inventory);
}

std::string RdmaDriverOf(const HostRoot& root, const std::string& folder) {
  const absl::StatusOr<std::string> driver = root.LinkName(folder + "/device/driver");
  if (!driver.ok()) return root.Exists(folder + "/parent") ? "rxe" : "";
  const std::string family = RdmaDriverOfPciDriver(*driver);
  return family.empty() ? *driver : family;
}

// A device without a PCI function is named by the net device it was made on, else by itself.
std::string RdmaIdOf(const HostRoot& root, const std::string& folder, const Inventory& inventory,
                     const RdmaDeviceEntry& device) {
  if (!device.pci_address.empty()) return PciRdmaDeviceId(device.pci_address);
  const absl::StatusOr<std::string> parent = root.ReadWord(folder + "/parent");
  const NetDeviceEntry* net_device = parent.ok() ? inventory.FindNetDevice(*parent) : nullptr;
  if (net_device != nullptr) return SoftRdmaDeviceId(net_device->id);
  return SoftRdmaDeviceId(NamedNetDeviceId(parent.ok() ? *parent : device.name));
}

void ScanRdmaDevices(const HostRoot& root, Inventory* inventory) {
  const absl::StatusOr<std::vector<std::string>> names = root.List(kRdmaClass);
  inventory->rdma_scan = ReadingOf(names.status(), v1::SOURCE_SYSFS);
  if (!names.ok()) {
    if (inventory->rdma_scan.outcome() == v1::OUTCOME_ABSENT) {
      inventory->rdma_scan.set_needs("module ib_core");
      inventory->rdma_scan.set_detail(
          "no RDMA stack is loaded: /sys/class/infiniband is not there");
    }
    return;
  }
  std::set<std::string> taken;
  for (const std::string& name : *names) {
    const std::string folder = fmt::format("{}/{}", kRdmaClass, name);
    const absl::StatusOr<std::vector<std::string>> ports = root.List(folder + "/ports");
    if (!ports.ok()) continue;
    RdmaDeviceEntry device;
    device.name = name;
    device.pci_address = PciAddressOfDevice(root, folder + "/device");
    device.driver = RdmaDriverOf(root, folder);
    device.id = RdmaIdOf(root, folder, *inventory, device);
    // Several devices on one function or parent (multiport masters, siw beside rxe).
    if (!taken.insert(device.id).second) {
      device.id = SoftRdmaDeviceId(NamedNetDeviceId(name));
      taken.insert(device.id);
    }
    for (const std::string& port : *ports) {
      const std::optional<int64_t> number = ParseNumber(port);
      if (number.has_value()) device.ports.push_back(static_cast<uint32_t>(*number));
    }
    std::ranges::sort(device.ports);
    inventory->rdma_devices.push_back(std::move(device));
  }
}

bool IsGpu(const HostRoot& root, const std::string& folder, int64_t code) {
  const int64_t subclass = code >> 8;
  if (code >> 16 == kPciClassAccelerator || subclass == kPciClass3d ||
      subclass == kPciClassDisplayOther) {
    return true;
  }
  if (subclass != kPciClassVga) return false;
  const int64_t vendor = root.ReadNumber(folder + "/vendor").value_or(0);
  return std::ranges::find(kGpuVendors, vendor) != kGpuVendors.end();
}

void ScanPci(const HostRoot& root, Inventory* inventory) {
  const absl::StatusOr<std::vector<std::string>> addresses = root.List(kPciDevices);
  inventory->pci_scan = ReadingOf(addresses.status(), v1::SOURCE_SYSFS);
  if (!addresses.ok()) return;
  for (const std::string& address : *addresses) {
    const std::string folder = fmt::format("{}/{}", kPciDevices, address);
    const absl::StatusOr<int64_t> code = root.ReadNumber(folder + "/class");
    if (!code.ok()) continue;
    if ((*code >> 16) == kPciClassNetwork) {
      inventory->pci_addresses.push_back(address);
    } else if (IsGpu(root, folder, *code)) {
      inventory->gpu_addresses.push_back(address);
    }
  }
}

}  // namespace

const NetDeviceEntry* Inventory::FindNetDevice(std::string_view name) const {
  const auto found = std::ranges::find(net_devices, name, &NetDeviceEntry::name);
  return found == net_devices.end() ? nullptr : &*found;
}

const NetDeviceEntry* Inventory::FindNetDevice(uint32_t index) const {
  const auto found = std::ranges::find(net_devices, index, &NetDeviceEntry::index);
  return found == net_devices.end() ? nullptr : &*found;
}

Inventory ReadInventory(const HostRoot& root) {
  Inventory inventory;
  ScanPci(root, &inventory);
  ScanNetDevices(root, &inventory);
  ScanRdmaDevices(root, &inventory);
  return inventory;
}

v1::HostFacts FactsOf(const Inventory& inventory) {
  v1::HostFacts facts;
  *facts.mutable_pci_scan() = inventory.pci_scan;
  *facts.mutable_net_scan() = inventory.net_scan;
  *facts.mutable_rdma_scan() = inventory.rdma_scan;
  for (const std::string& address : inventory.pci_addresses) {
    facts.add_pci_functions()->set_id(PciId(address));
  }
  for (const std::string& address : inventory.gpu_addresses) {
    facts.add_gpus()->set_id(PciId(address));
  }
  for (const NetDeviceEntry& device : inventory.net_devices) {
    v1::NetDevice* row = facts.add_net_devices();
    row->set_id(device.id);
    row->set_index(device.index);
    row->set_name(device.name);
  }
  for (const RdmaDeviceEntry& device : inventory.rdma_devices) {
    v1::RdmaDevice* row = facts.add_rdma_devices();
    row->set_id(device.id);
    row->set_name(device.name);
    if (!device.driver.empty()) row->set_driver(device.driver);
    for (const uint32_t port : device.ports) row->add_ports()->set_number(port);
  }
  return facts;
}

std::string RdmaDriverOfPciDriver(std::string_view pci_driver) {
  for (const auto& [of_pci, of_rdma] : kRdmaDriverOfPciDriver) {
    if (pci_driver == of_pci) return std::string(of_rdma);
  }
  return {};
}

bool QueryPortTakesRtnl(std::string_view rdma_driver) {
  return rdma_driver != "mlx5" && rdma_driver != "mlx4";
}

}  // namespace roceready::facts
