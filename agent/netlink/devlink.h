// SPDX-License-Identifier: Apache-2.0
// Firmware versions, health reporters, parameters and embedded switch of a NIC, by generic netlink
// family "devlink" (kernel include/uapi/linux/devlink.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/netlink/generic.h"

namespace roceready::netlink {

inline constexpr std::string_view kDevlinkFamily = "devlink";

// {"pci", "0000:3b:00.0"}, {"auxiliary", "mlx5_core.sf.4"}.
struct DevlinkHandle {
  std::string bus;
  std::string device;

  bool operator==(const DevlinkHandle&) const = default;
};

struct DevlinkVersion {
  std::string name;
  std::string value;

  bool operator==(const DevlinkVersion&) const = default;
};

// A stored version unlike the running one of the same name: flashed but not yet active.
struct DevlinkInfo {
  DevlinkHandle handle;
  std::optional<std::string> driver;
  std::optional<std::string> serial_number;
  std::optional<std::string> board_serial_number;
  std::vector<DevlinkVersion> fixed;
  std::vector<DevlinkVersion> running;
  std::vector<DevlinkVersion> stored;
};

struct DevlinkHealthReporter {
  DevlinkHandle handle;
  // Of a port instead of the device.
  std::optional<uint32_t> port_index;
  std::string name;
  // DevlinkHealthWord() of words.h: 0 healthy, 1 error.
  std::optional<uint8_t> state;
  std::optional<uint64_t> error_count;
  std::optional<uint64_t> recover_count;
};

// A parameter has a value per configuration mode. monostate: of a type we do not know.
using DevlinkValue = std::variant<std::monostate, bool, uint64_t, std::string>;
struct DevlinkParamValue {
  // DevlinkModeWord() of words.h: 0 runtime, 1 driverinit, 2 permanent.
  uint8_t mode = 0;
  DevlinkValue value;
};
struct DevlinkParam {
  DevlinkHandle handle;
  std::string name;
  bool generic = false;
  // Of the kernel's NLA_* numbers: 1 u8, 2 u16, 3 u32, 4 u64, 5 string, 6 flag.
  std::optional<uint8_t> type;
  std::vector<DevlinkParamValue> values;
};

// A mode that the driver does not have is missing.
struct DevlinkEswitch {
  DevlinkHandle handle;
  // EswitchModeWord(), EswitchInlineWord(), EswitchEncapWord() of words.h.
  std::optional<uint16_t> mode;
  std::optional<uint8_t> inline_mode;
  std::optional<uint8_t> encap_mode;
};

Request DevlinkDevicesRequest(const GenericFamily& family);
Request DevlinkInfoRequest(const GenericFamily& family, const DevlinkHandle& handle);
// All reporters of all devices (6.1 has no dump of one device's).
Request DevlinkHealthRequest(const GenericFamily& family);
Request DevlinkParamRequest(const GenericFamily& family, const DevlinkHandle& handle,
                            const std::string& name);
Request DevlinkEswitchRequest(const GenericFamily& family, const DevlinkHandle& handle);

// All decoders: kDataLoss when malformed or when a row key is missing.
absl::StatusOr<DevlinkHandle> DecodeDevlinkDevice(const Message& message);
absl::StatusOr<DevlinkInfo> DecodeDevlinkInfo(const Message& message);
absl::StatusOr<DevlinkHealthReporter> DecodeDevlinkHealth(const Message& message);
absl::StatusOr<DevlinkParam> DecodeDevlinkParam(const Message& message);
absl::StatusOr<DevlinkEswitch> DecodeDevlinkEswitch(const Message& message);

// Ask and decode.
absl::StatusOr<std::vector<DevlinkHandle>> ReadDevlinkDevices(Transport& generic,
                                                              const GenericFamily& family);
// kUnimplemented where the driver tells nothing, kNotFound for an unknown device.
absl::StatusOr<DevlinkInfo> ReadDevlinkInfo(Transport& generic, const GenericFamily& family,
                                            const DevlinkHandle& handle);
absl::StatusOr<std::vector<DevlinkHealthReporter>> ReadDevlinkHealth(Transport& generic,
                                                                     const GenericFamily& family);
// kInvalidArgument where the driver has no parameter of that name ("enable_roce").
absl::StatusOr<DevlinkParam> ReadDevlinkParam(Transport& generic, const GenericFamily& family,
                                              const DevlinkHandle& handle, const std::string& name);
// kPermissionDenied without CAP_NET_ADMIN: the kernel lets no one else ask, though it is a GET.
absl::StatusOr<DevlinkEswitch> ReadDevlinkEswitch(Transport& generic, const GenericFamily& family,
                                                  const DevlinkHandle& handle);

}  // namespace roceready::netlink
