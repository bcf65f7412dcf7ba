// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/ids.h"

#include <fmt/core.h>

#include "proto/contract/concat.h"

namespace roceready {
namespace {

bool IsHex(std::string_view text) {
  for (const char c : text) {
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (!hex) return false;
  }
  return !text.empty();
}

constexpr std::string_view kPci = "pci:";
constexpr std::string_view kNetDevice = "netdev:";

}  // namespace

std::string PciId(std::string_view address) { return Concat({kPci, address}); }

std::string PciNetDeviceId(std::string_view address, uint32_t dev_port) {
  return Concat({kPci, address, "/", std::to_string(dev_port)});
}

std::string MacNetDeviceId(std::string_view permanent_address) {
  return Concat({"mac:", permanent_address});
}

std::string NamedNetDeviceId(std::string_view name) { return Concat({"name:", name}); }

std::string PciRdmaDeviceId(std::string_view address) { return PciId(address); }

std::string SoftRdmaDeviceId(std::string_view net_device_id) {
  return Concat({kNetDevice, net_device_id});
}

std::string RdmaPortOwnerId(std::string_view rdma_device_id, uint32_t port) {
  return Concat({"rdma:", rdma_device_id, "/", std::to_string(port)});
}

std::string CmOwnerId(std::string_view rdma_device_id, uint32_t port) {
  return Concat({"cm:", rdma_device_id, "/", std::to_string(port)});
}

std::string LinkOwnerId(std::string_view net_device_id) { return Concat({"link:", net_device_id}); }

std::string_view PciAddressOf(std::string_view id) {
  if (!id.starts_with(kPci)) return {};
  id.remove_prefix(kPci.size());
  return id.substr(0, id.find('/'));
}

std::string_view NetDeviceOfSoftRdma(std::string_view rdma_device_id) {
  if (!rdma_device_id.starts_with(kNetDevice)) return {};
  return rdma_device_id.substr(kNetDevice.size());
}

std::string AdapterIdOfAddress(std::string_view address) {
  return PciId(address.substr(0, address.rfind('.')));
}

std::string AdapterIdOfSerial(std::string_view serial_number) {
  return Concat({"serial:", serial_number});
}

std::string SessionName(std::string_view token) {
  std::string name;
  for (const char octet : token.substr(0, 4)) {
    name += fmt::format("{:02x}", static_cast<unsigned char>(octet));
  }
  return name;
}

bool IsPciAddress(std::string_view text) {
  // The domain has four digits, or more behind some bridges (VMD).
  const size_t bus = text.find(':');
  if (bus == std::string_view::npos || bus < 4 || text.size() != bus + 8) return false;
  const std::string_view rest = text.substr(bus);
  return IsHex(text.substr(0, bus)) && IsHex(rest.substr(1, 2)) && rest[3] == ':' &&
         IsHex(rest.substr(4, 2)) && rest[6] == '.' && IsHex(rest.substr(7, 1));
}

}  // namespace roceready
