// SPDX-License-Identifier: Apache-2.0
#include "checks/ports.h"

#include <algorithm>
#include <utility>

#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

// A VLAN on a bond on two NICs is three deep; facts that claim more are contradictory.
constexpr int kMaxStack = 8;

NicFamily FamilyOfNetDevice(const v1::HostFacts& facts, const v1::NetDevice& net_device) {
  if (!net_device.driver().name().empty()) return FamilyOfDriver(net_device.driver().name());
  const v1::PciFunction* pci =
      FindPciFunction(facts, PciRdmaDeviceId(PciAddressOf(net_device.id())));
  return pci == nullptr ? NicFamily::kOther : FamilyOfDriver(pci->driver());
}

const v1::PciFunction* FunctionOf(const v1::HostFacts& facts, std::string_view id) {
  const std::string_view address = PciAddressOf(id);
  return address.empty() ? nullptr : FindPciFunction(facts, PciId(address));
}

// The net device of a PCI function, its first where it has several.
const v1::NetDevice* NetDeviceOfFunction(const v1::HostFacts& facts, std::string_view function_id) {
  const std::string_view address = PciAddressOf(function_id);
  for (const v1::NetDevice& candidate : facts.net_devices()) {
    if (!address.empty() && PciAddressOf(candidate.id()) == address) return &candidate;
  }
  return nullptr;
}

void AddCarriers(const v1::HostFacts& facts, const v1::NetDevice& net_device, int depth,
                 std::vector<Carrier>& carriers) {
  if (depth > kMaxStack) return;
  if (net_device.link().kind() == "bond") {
    for (const v1::NetDevice& member : facts.net_devices()) {
      if (member.link().master_id() == net_device.id()) {
        AddCarriers(facts, member, depth + 1, carriers);
      }
    }
    return;
  }
  if (!net_device.link().lower_id().empty() && net_device.link().lower_id() != net_device.id()) {
    const v1::NetDevice* lower = FindNetDevice(facts, net_device.link().lower_id());
    if (lower != nullptr) AddCarriers(facts, *lower, depth + 1, carriers);
    return;
  }
  const v1::NetDevice* physical = &net_device;
  const v1::PciFunction* function = FunctionOf(facts, net_device.id());
  if (function != nullptr && function->has_physical_function_id()) {
    physical = NetDeviceOfFunction(facts, function->physical_function_id());
    if (physical == nullptr) return;
  }
  const auto same = [physical](const Carrier& carrier) { return carrier.net_device == physical; };
  if (std::ranges::any_of(carriers, same)) return;
  carriers.push_back({physical, FamilyOfNetDevice(facts, *physical)});
}

// The port's net device. Where the kernel's answer about the port is missing, the ids still tell: a
// software device is named after its net device, and a function with one port has one net device.
const v1::NetDevice* NetDeviceOf(const v1::HostFacts& facts, const v1::RdmaDevice& device,
                                 const v1::RdmaPort& port) {
  if (port.has_net_device_id()) return FindNetDevice(facts, port.net_device_id());
  if (port.reading().outcome() == v1::OUTCOME_OK) return nullptr;  // It has none here.
  const std::string_view below = NetDeviceOfSoftRdma(device.id());
  if (!below.empty()) return FindNetDevice(facts, below);
  return device.ports_size() == 1 ? NetDeviceOfFunction(facts, device.id()) : nullptr;
}

std::string LabelOf(const PortView& port) {
  std::string device = port.device->name();
  if (port.device->ports_size() > 1) device += fmt::format(" port {}", port.port->number());
  if (port.net_device == nullptr) return device;
  return fmt::format("{} ({})", port.net_device->name(), device);
}

PortView Join(const v1::HostFacts& facts, const v1::RdmaDevice& device, const v1::RdmaPort& port) {
  PortView view{.device = &device, .port = &port};
  view.net_device = NetDeviceOf(facts, device, port);
  view.family = FamilyOfDriver(device.driver());
  view.pci = FunctionOf(facts, device.id());
  if (view.net_device != nullptr) {
    if (view.pci == nullptr) view.pci = FunctionOf(facts, view.net_device->id());
    if (view.family == NicFamily::kOther && PciAddressOf(device.id()).empty()) {
      view.family = NicFamily::kSoft;
    }
    AddCarriers(facts, *view.net_device, 0, view.carriers);
    const v1::NetDevice* master = FindNetDevice(facts, view.net_device->link().master_id());
    if (master != nullptr && master->link().kind() == "bond") view.bond = master;
    for (const v1::NetDevice& upper : facts.net_devices()) {
      const std::string& lower = upper.link().lower_id();
      if (upper.link().kind() == "vlan" && !lower.empty() &&
          (lower == view.net_device->id() || (view.bond != nullptr && lower == view.bond->id()))) {
        view.vlans.push_back(&upper);
      }
    }
  }
  view.is_virtual_function = view.pci != nullptr && view.pci->has_physical_function_id();
  if (view.family == NicFamily::kOther && view.pci != nullptr) {
    view.family = FamilyOfDriver(view.pci->driver());
  }
  view.label = LabelOf(view);
  return view;
}

}  // namespace

NicFamily FamilyOfDriver(std::string_view driver) {
  constexpr std::pair<std::string_view, NicFamily> kPrefixes[] = {
      {"mlx5", NicFamily::kMlx5},     {"mlx4", NicFamily::kMlx4},   {"bnxt", NicFamily::kBnxt},
      {"ice", NicFamily::kIntel},     {"irdma", NicFamily::kIntel}, {"i40e", NicFamily::kIntel},
      {"hns", NicFamily::kHns},       {"hclge", NicFamily::kHns},   {"qed", NicFamily::kQlogic},
      {"rdma_rxe", NicFamily::kSoft}, {"rxe", NicFamily::kSoft},    {"siw", NicFamily::kSoft},
  };
  for (const auto& [prefix, family] : kPrefixes) {
    if (driver.starts_with(prefix)) return family;
  }
  return NicFamily::kOther;
}

std::vector<const v1::NetDevice*> PortView::AddressedNetDevices() const {
  std::vector<const v1::NetDevice*> devices;
  if (net_device != nullptr) devices.push_back(net_device);
  if (bond != nullptr) devices.push_back(bond);
  devices.insert(devices.end(), vlans.begin(), vlans.end());
  return devices;
}

bool PortView::LacksFunction() const {
  return pci == nullptr && (!PciAddressOf(device->id()).empty() ||
                            (net_device != nullptr && !PciAddressOf(net_device->id()).empty()));
}

std::string PortView::AdapterId() const {
  if (pci != nullptr && !pci->adapter_id().empty()) return pci->adapter_id();
  if (pci != nullptr) return AdapterIdOfAddress(PciAddressOf(pci->id()));
  return device->id();
}

bool IsRocePort(const v1::RdmaDevice& device, const v1::RdmaPort& port) {
  if (port.attributes().has_link_layer()) return port.attributes().link_layer() == "Ethernet";
  const std::string& protocol = device.protocol();
  return protocol != "ib" && protocol != "iw" && protocol != "opa" && protocol != "usnic";
}

std::vector<PortView> PortsOf(const v1::HostFacts& facts) {
  std::vector<PortView> ports;
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    for (const v1::RdmaPort& port : device.ports()) {
      if (IsRocePort(device, port)) ports.push_back(Join(facts, device, port));
    }
  }
  return ports;
}

const v1::NetDevice* FindNetDevice(const v1::HostFacts& facts, std::string_view id) {
  if (id.empty()) return nullptr;
  for (const v1::NetDevice& net_device : facts.net_devices()) {
    if (net_device.id() == id) return &net_device;
  }
  return nullptr;
}

const v1::PciFunction* FindPciFunction(const v1::HostFacts& facts, std::string_view id) {
  for (const v1::PciFunction& function : facts.pci_functions()) {
    if (function.id() == id) return &function;
  }
  return nullptr;
}

}  // namespace roceready::checks
