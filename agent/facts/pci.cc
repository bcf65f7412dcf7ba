// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/pci.h"

#include <optional>
#include <vector>

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
  if (!whole.has_value() || *whole < 0) return std::nullopt;
  int64_t tenths = 0;
  if (point != std::string_view::npos) {
    const std::string_view fraction = number.substr(point + 1);
    if (fraction.size() != 1 || fraction[0] < '0' || fraction[0] > '9') return std::nullopt;
    tenths = fraction[0] - '0';
  }
  return static_cast<uint32_t>(*whole * 1000 + tenths * 100);
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

}  // namespace roceready::facts
