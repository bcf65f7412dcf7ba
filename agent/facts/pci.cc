// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/pci.h"

#include <map>
#include <optional>
#include <vector>

#include "agent/facts/inventory.h"
#include "agent/facts/pci_config_file.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

// Widths that mean "not known" (drivers/pci/probe.c): 0, and 255 = PCIE_LNK_WIDTH_UNKNOWN.
std::optional<uint32_t> ReadWidth(const HostRoot& root, const std::string& path) {
  const absl::StatusOr<int64_t> width = root.ReadNumber(path);
  if (!width.ok() || *width <= 0 || *width >= 255) return std::nullopt;
  return static_cast<uint32_t>(*width);
}

std::optional<uint32_t> ReadSpeed(const HostRoot& root, const std::string& path) {
  const absl::StatusOr<std::string> text = root.ReadWord(path);
  return text.ok() ? ParseLinkSpeed(*text) : std::nullopt;
}

void FillFromConfig(const HostRoot& root, const std::string& folder, v1::PciHop* hop) {
  const absl::StatusOr<PciConfig> config = ReadPciConfig(root, folder, hop->address());
  *hop->mutable_config_space() = ReadingOf(config.status(), v1::SOURCE_PCI_CONFIG, kReadPciConfig);
  if (!config.ok()) return;
  if (!config->extended_space) {
    *hop->mutable_config_space() = MissingReading(
        v1::OUTCOME_UNSUPPORTED, v1::SOURCE_PCI_CONFIG,
        "the platform shows the first 256 bytes only: no extended capabilities, so no ACS");
  }
  if (config->max_payload_bytes) hop->set_max_payload_bytes(*config->max_payload_bytes);
  if (config->max_read_request_bytes) {
    hop->set_max_read_request_bytes(*config->max_read_request_bytes);
  }
  if (config->relaxed_ordering) hop->set_relaxed_ordering(*config->relaxed_ordering);
  if (config->acs_control) hop->set_acs_control(*config->acs_control);
}

v1::PciHop ReadHop(const HostRoot& root, const std::string& folder, std::string_view address) {
  v1::PciHop hop;
  hop.set_address(std::string(address));
  const absl::StatusOr<std::string> present = root.ReadWord(folder + "/current_link_speed");
  *hop.mutable_reading() = ReadingOf(present.status(), v1::SOURCE_SYSFS);
  if (const auto speed = ReadSpeed(root, folder + "/current_link_speed")) {
    hop.set_current_speed_mtps(*speed);
  }
  if (const auto speed = ReadSpeed(root, folder + "/max_link_speed")) {
    hop.set_max_speed_mtps(*speed);
  }
  if (const auto width = ReadWidth(root, folder + "/current_link_width")) {
    hop.set_current_width_lanes(*width);
  }
  if (const auto width = ReadWidth(root, folder + "/max_link_width")) {
    hop.set_max_width_lanes(*width);
  }
  FillFromConfig(root, folder, &hop);
  return hop;
}

// Own link first, root port last: "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0" walked up.
void ReadPathToRoot(const HostRoot& root, std::string folder, v1::PciFunction* function) {
  while (true) {
    const size_t slash = folder.rfind('/');
    if (slash == std::string::npos) return;
    const std::string address = folder.substr(slash + 1);
    if (!IsPciAddress(address)) return;
    *function->add_path_to_root() = ReadHop(root, folder, address);
    folder.resize(slash);
  }
}

// A virtual function has no files of its own for this.
v1::Sriov ReadSriov(const HostRoot& root, const std::string& folder) {
  v1::Sriov sriov;
  const absl::StatusOr<int64_t> total = root.ReadNumber(folder + "/sriov_totalvfs");
  const absl::StatusOr<int64_t> enabled = root.ReadNumber(folder + "/sriov_numvfs");
  *sriov.mutable_reading() =
      ReadingOf(total.ok() ? enabled.status() : total.status(), v1::SOURCE_SYSFS);
  if (sriov.reading().outcome() == v1::OUTCOME_ABSENT) {
    sriov.mutable_reading()->set_detail("the function has no virtual functions to give");
  }
  if (total.ok()) sriov.set_total_vfs(static_cast<uint32_t>(*total));
  if (enabled.ok()) sriov.set_enabled_vfs(static_cast<uint32_t>(*enabled));
  return sriov;
}

// NICs that carry RDMA, of vendors that make others as well, for functions to which no driver is
// bound. Numbers: the public pci.ids; the newest of Broadcom's: the kernel's bnxt.c.
struct DeviceRange {
  uint32_t vendor, first, last;
  std::string_view family;
};
constexpr DeviceRange kRdmaDevices[] = {
    {0x14e4, 0x1614, 0x1614, "bnxt_re"}, {0x14e4, 0x16ce, 0x16cf, "bnxt_re"},
    {0x14e4, 0x16d6, 0x16d9, "bnxt_re"}, {0x14e4, 0x16df, 0x16df, "bnxt_re"},
    {0x14e4, 0x16e2, 0x16e3, "bnxt_re"}, {0x14e4, 0x1750, 0x1752, "bnxt_re"},
    {0x14e4, 0x1760, 0x1763, "bnxt_re"}, {0x8086, 0x1591, 0x1593, "irdma"},
    {0x8086, 0x1599, 0x159b, "irdma"},   {0x8086, 0x37ce, 0x37d3, "irdma"},
    {0x1077, 0x1634, 0x1634, "qedr"},    {0x1077, 0x1644, 0x1644, "qedr"},
    {0x1077, 0x1654, 0x1656, "qedr"},    {0x1077, 0x8070, 0x8070, "qedr"},
    {0x19e5, 0xa222, 0xa228, "hns"},
};

std::string FamilyOfDevice(uint32_t vendor, uint32_t device) {
  for (const DeviceRange& range : kRdmaDevices) {
    if (vendor == range.vendor && device >= range.first && device <= range.last) {
      return std::string(range.family);
    }
  }
  return {};
}

std::optional<uint32_t> ReadUnsigned(const HostRoot& root, const std::string& path) {
  const absl::StatusOr<int64_t> number = root.ReadNumber(path);
  if (!number.ok() || *number < 0) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

}  // namespace

std::optional<uint32_t> ParseLinkSpeed(std::string_view text) {
  // Tenths of a GT/s: "2.5 GT/s PCIe", "32.0 GT/s PCIe".
  const size_t unit = text.find(" GT/s");
  if (unit == std::string_view::npos) return std::nullopt;
  std::string_view number = text.substr(0, unit);
  const size_t point = number.find('.');
  const std::optional<int64_t> whole = ParseNumber(number.substr(0, point));
  // A thousand times the fastest there is means that the text is damaged.
  constexpr int64_t kMostGigatransfers = 128'000;
  if (!whole.has_value() || *whole < 0 || *whole > kMostGigatransfers) return std::nullopt;
  int64_t tenths = 0;
  if (point != std::string_view::npos) {
    const std::string_view fraction = number.substr(point + 1);
    if (fraction.size() != 1 || fraction[0] < '0' || fraction[0] > '9') return std::nullopt;
    tenths = fraction[0] - '0';
  }
  return static_cast<uint32_t>(*whole * 1000 + tenths * 100);
}

// PCI vendors and devices: the kernel's pci_ids.h and the drivers' own tables.
std::string RdmaFamilyOf(const v1::PciFunction& function) {
  constexpr uint32_t kMellanox = 0x15b3, kPensando = 0x1dd8;
  constexpr uint32_t kFirstConnectIb = 0x1011;
  if (!function.driver().empty()) {
    std::string family = RdmaDriverOfPciDriver(function.driver());
    // Of two drivers' many NICs only some carry RDMA: X722 of i40e, these of hns3.
    const uint32_t device = function.device();
    if (function.driver() == "i40e" && (device < 0x37ce || device > 0x37d3)) return {};
    if (function.driver() == "hns3" && device != 0xa22f && (device < 0xa222 || device > 0xa228)) {
      return {};
    }
    if (!family.empty()) return family;
  }
  if (function.vendor() == kMellanox) return function.device() < kFirstConnectIb ? "mlx4" : "mlx5";
  if (function.vendor() == kPensando) return "ionic";
  // A driver that could not start its NIC lets go of it. One that was given to another driver on
  // purpose (DPDK, a guest) is not counted as lost for these vendors.
  return function.driver().empty() ? FamilyOfDevice(function.vendor(), function.device())
                                   : std::string();
}

v1::PciFunction ReadPciFunction(const HostRoot& root, const std::string& address) {
  v1::PciFunction function;
  function.set_id(PciId(address));
  const std::string folder = fmt::format("/sys/bus/pci/devices/{}", address);
  // A virtual function may have another device number than the card it is on.
  const absl::StatusOr<std::string> physical = root.LinkName(folder + "/physfn");
  if (physical.ok()) function.set_physical_function_id(PciId(*physical));
  function.set_adapter_id(AdapterIdOfAddress(physical.ok() ? *physical : address));
  const absl::StatusOr<std::string> real = root.RealPath(folder);
  *function.mutable_reading() = ReadingOf(real.status(), v1::SOURCE_SYSFS);
  *function.mutable_sriov() = ReadSriov(root, folder);
  if (!real.ok()) return function;

  if (const auto id = ReadUnsigned(root, folder + "/vendor")) function.set_vendor(*id);
  if (const auto id = ReadUnsigned(root, folder + "/device")) function.set_device(*id);
  if (const auto id = ReadUnsigned(root, folder + "/subsystem_vendor")) {
    function.set_subsystem_vendor(*id);
  }
  if (const auto id = ReadUnsigned(root, folder + "/subsystem_device")) {
    function.set_subsystem_device(*id);
  }
  if (const absl::StatusOr<std::string> driver = root.LinkName(folder + "/driver"); driver.ok()) {
    function.set_driver(*driver);
  }
  const std::string family = RdmaFamilyOf(function);
  if (!family.empty()) function.set_rdma_family(family);
  if (const auto state = root.ReadWord(folder + "/power_state"); state.ok()) {
    function.set_power_state(*state);
  }
  if (const absl::StatusOr<int64_t> node = root.ReadNumber(folder + "/numa_node"); node.ok()) {
    function.set_numa_node(static_cast<int32_t>(*node));
  }
  if (const absl::StatusOr<std::string> type = root.ReadWord(folder + "/iommu_group/type");
      type.ok()) {
    function.set_iommu_domain_type(*type);
  }
  ReadPathToRoot(root, *real, &function);
  return function;
}

void CompleteAdapters(v1::HostFacts* facts) {
  // A card is known by its slot: all its functions, and its virtual functions, wherever they are.
  const auto slot_of = [](const v1::PciFunction& function) {
    const std::string_view physical =
        function.has_physical_function_id() ? function.physical_function_id() : function.id();
    return AdapterIdOfAddress(PciAddressOf(physical));
  };
  std::map<std::string, std::string> adapter_of_slot;
  for (const v1::PciFunction& function : facts->pci_functions()) {
    if (function.has_serial_number() && !function.has_physical_function_id()) {
      adapter_of_slot.emplace(slot_of(function), AdapterIdOfSerial(function.serial_number()));
    }
  }
  for (v1::PciFunction& function : *facts->mutable_pci_functions()) {
    const auto found = adapter_of_slot.find(slot_of(function));
    if (found != adapter_of_slot.end()) function.set_adapter_id(found->second);
  }
}

}  // namespace roceready::facts
