// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/devlink.h"

#include <linux/devlink.h>

namespace roceready::netlink {
namespace {

// include/net/netlink.h: the types of parameter values are the kernel's internal attribute types,
// which later kernels publish as DEVLINK_VAR_ATTR_TYPE_*.
enum : uint8_t {
  kTypeU8 = 1,
  kTypeU16 = 2,
  kTypeU32 = 3,
  kTypeU64 = 4,
  kTypeString = 5,
  kTypeFlag = 6,
};

PayloadBuilder OfHandle(const DevlinkHandle& handle) {
  return PayloadBuilder()
      .PutString(DEVLINK_ATTR_BUS_NAME, handle.bus)
      .PutString(DEVLINK_ATTR_DEV_NAME, handle.device);
}

std::string TextOf(const DevlinkHandle& handle) { return handle.bus + "/" + handle.device; }

DevlinkHandle ReadHandle(Attributes& attributes) {
  std::optional<std::string> bus = attributes.String(DEVLINK_ATTR_BUS_NAME);
  std::optional<std::string> device = attributes.String(DEVLINK_ATTR_DEV_NAME);
  if (!bus || !device || bus->empty() || device->empty()) {
    attributes.Refuse("no bus or device name");
    return {};
  }
  return {std::move(*bus), std::move(*device)};
}

std::vector<DevlinkVersion> ReadVersions(Attributes& attributes, uint16_t list) {
  std::vector<DevlinkVersion> versions;
  for (const Attribute& attribute : attributes.all()) {
    if (attribute.type != list) continue;
    Attributes entry = attributes.Entry(attribute, "devlink version");
    auto name = entry.String(DEVLINK_ATTR_INFO_VERSION_NAME);
    auto value = entry.String(DEVLINK_ATTR_INFO_VERSION_VALUE);
    if (!name || !value) {
      entry.Refuse("no name or value");
      break;
    }
    versions.push_back({std::move(*name), std::move(*value)});
  }
  return versions;
}

template <typename Integer>
DevlinkValue NumberOf(std::optional<Integer> number) {
  if (!number) return std::monostate();
  return uint64_t{*number};
}

DevlinkValue ReadValue(Attributes& entry, std::optional<uint8_t> type) {
  constexpr uint16_t kData = DEVLINK_ATTR_PARAM_VALUE_DATA;
  switch (type.value_or(0)) {
    case kTypeU8:
      return NumberOf(entry.U8(kData));
    case kTypeU16:
      return NumberOf(entry.U16(kData));
    case kTypeU32:
      return NumberOf(entry.U32(kData));
    case kTypeU64:
      return NumberOf(entry.U64(kData));
    case kTypeFlag:
      // Present: true; absent: false.
      return entry.Flag(kData);
    case kTypeString: {
      std::optional<std::string> text = entry.String(kData);
      if (!text) return std::monostate();
      return *std::move(text);
    }
    default:
      return std::monostate();
  }
}

}  // namespace

Request DevlinkDevicesRequest(const GenericFamily& family) {
  return GenericRequest(family, DEVLINK_CMD_GET, true, {}, "list of devlink devices");
}

Request DevlinkInfoRequest(const GenericFamily& family, const DevlinkHandle& handle) {
  return GenericRequest(family, DEVLINK_CMD_INFO_GET, false, OfHandle(handle),
                        "devlink info of " + TextOf(handle));
}

Request DevlinkHealthRequest(const GenericFamily& family) {
  return GenericRequest(family, DEVLINK_CMD_HEALTH_REPORTER_GET, true, {},
                        "list of devlink health reporters");
}

Request DevlinkParamRequest(const GenericFamily& family, const DevlinkHandle& handle,
                            const std::string& name) {
  return GenericRequest(family, DEVLINK_CMD_PARAM_GET, false,
                        OfHandle(handle).PutString(DEVLINK_ATTR_PARAM_NAME, name),
                        fmt::format("devlink parameter {} of {}", name, TextOf(handle)));
}

Request DevlinkEswitchRequest(const GenericFamily& family, const DevlinkHandle& handle) {
  return GenericRequest(family, DEVLINK_CMD_ESWITCH_GET, false, OfHandle(handle),
                        "devlink eswitch of " + TextOf(handle));
}

absl::StatusOr<DevlinkHandle> DecodeDevlinkDevice(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "devlink device"));
  absl::Status malformed;
  Attributes attributes(rest, "devlink device", malformed);
  DevlinkHandle handle = ReadHandle(attributes);
  RETURN_IF_ERROR(malformed);
  return handle;
}

absl::StatusOr<DevlinkInfo> DecodeDevlinkInfo(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "devlink info"));
  absl::Status malformed;
  Attributes attributes(rest, "devlink info", malformed);
  DevlinkInfo info{.handle = ReadHandle(attributes),
                   .driver = attributes.String(DEVLINK_ATTR_INFO_DRIVER_NAME),
                   .serial_number = attributes.String(DEVLINK_ATTR_INFO_SERIAL_NUMBER),
                   .board_serial_number = attributes.String(DEVLINK_ATTR_INFO_BOARD_SERIAL_NUMBER),
                   .fixed = ReadVersions(attributes, DEVLINK_ATTR_INFO_VERSION_FIXED),
                   .running = ReadVersions(attributes, DEVLINK_ATTR_INFO_VERSION_RUNNING),
                   .stored = ReadVersions(attributes, DEVLINK_ATTR_INFO_VERSION_STORED)};
  RETURN_IF_ERROR(malformed);
  return info;
}

absl::StatusOr<DevlinkHealthReporter> DecodeDevlinkHealth(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "devlink health"));
  absl::Status malformed;
  Attributes attributes(rest, "devlink health", malformed);
  DevlinkHealthReporter reporter{.handle = ReadHandle(attributes),
                                 .port_index = attributes.U32(DEVLINK_ATTR_PORT_INDEX)};
  std::optional<Attributes> nest =
      attributes.Nest(DEVLINK_ATTR_HEALTH_REPORTER, "devlink health reporter");
  std::optional<std::string> name;
  if (nest) {
    name = nest->String(DEVLINK_ATTR_HEALTH_REPORTER_NAME);
    reporter.state = nest->U8(DEVLINK_ATTR_HEALTH_REPORTER_STATE);
    reporter.error_count = nest->U64(DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT);
    reporter.recover_count = nest->U64(DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT);
  }
  RETURN_IF_ERROR(malformed);
  if (!name || name->empty()) return DataLoss("devlink health reporter without a name");
  reporter.name = *std::move(name);
  return reporter;
}

absl::StatusOr<DevlinkParam> DecodeDevlinkParam(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "devlink parameter"));
  absl::Status malformed;
  Attributes attributes(rest, "devlink parameter", malformed);
  DevlinkParam param{.handle = ReadHandle(attributes)};
  std::optional<Attributes> nest = attributes.Nest(DEVLINK_ATTR_PARAM, "devlink parameter");
  if (!nest) return malformed.ok() ? DataLoss("devlink answer without a parameter") : malformed;
  const std::optional<std::string> name = nest->String(DEVLINK_ATTR_PARAM_NAME);
  if (!name || name->empty()) nest->Refuse("no name");
  param.name = name.value_or("");
  param.generic = nest->Flag(DEVLINK_ATTR_PARAM_GENERIC);
  param.type = nest->U8(DEVLINK_ATTR_PARAM_TYPE);
  if (auto values = nest->Nest(DEVLINK_ATTR_PARAM_VALUES_LIST, "devlink parameter values")) {
    for (const Attribute& attribute : values->all()) {
      if (attribute.type != DEVLINK_ATTR_PARAM_VALUE) continue;
      Attributes entry = values->Entry(attribute, "devlink parameter value");
      const std::optional<uint8_t> mode = entry.U8(DEVLINK_ATTR_PARAM_VALUE_CMODE);
      if (!mode) entry.Refuse("no configuration mode");
      param.values.push_back({mode.value_or(0), ReadValue(entry, param.type)});
    }
  }
  RETURN_IF_ERROR(malformed);
  return param;
}

absl::StatusOr<DevlinkEswitch> DecodeDevlinkEswitch(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "devlink eswitch"));
  absl::Status malformed;
  Attributes attributes(rest, "devlink eswitch", malformed);
  DevlinkEswitch eswitch{.handle = ReadHandle(attributes),
                         .mode = attributes.U16(DEVLINK_ATTR_ESWITCH_MODE),
                         .inline_mode = attributes.U8(DEVLINK_ATTR_ESWITCH_INLINE_MODE),
                         .encap_mode = attributes.U8(DEVLINK_ATTR_ESWITCH_ENCAP_MODE)};
  RETURN_IF_ERROR(malformed);
  return eswitch;
}

absl::StatusOr<std::vector<DevlinkHandle>> ReadDevlinkDevices(Transport& generic,
                                                              const GenericFamily& family) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages,
                   generic.Exchange(DevlinkDevicesRequest(family)));
  std::vector<DevlinkHandle> handles;
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(DevlinkHandle handle, DecodeDevlinkDevice(message));
    handles.push_back(std::move(handle));
  }
  return handles;
}

absl::StatusOr<DevlinkInfo> ReadDevlinkInfo(Transport& generic, const GenericFamily& family,
                                            const DevlinkHandle& handle) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(generic, DevlinkInfoRequest(family, handle)));
  ASSIGN_OR_RETURN(DevlinkInfo info, DecodeDevlinkInfo(message));
  if (info.handle != handle) {
    return DataLoss("devlink info of {} was answered for {}", TextOf(handle), TextOf(info.handle));
  }
  return info;
}

absl::StatusOr<std::vector<DevlinkHealthReporter>> ReadDevlinkHealth(Transport& generic,
                                                                     const GenericFamily& family) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages,
                   generic.Exchange(DevlinkHealthRequest(family)));
  std::vector<DevlinkHealthReporter> reporters;
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(DevlinkHealthReporter reporter, DecodeDevlinkHealth(message));
    reporters.push_back(std::move(reporter));
  }
  return reporters;
}

absl::StatusOr<DevlinkParam> ReadDevlinkParam(Transport& generic, const GenericFamily& family,
                                              const DevlinkHandle& handle,
                                              const std::string& name) {
  ASSIGN_OR_RETURN(const Message message,
                   ExchangeOne(generic, DevlinkParamRequest(family, handle, name)));
  ASSIGN_OR_RETURN(DevlinkParam param, DecodeDevlinkParam(message));
  if (param.handle != handle || param.name != name) {
    return DataLoss("devlink parameter {} of {} was answered for {} of {}", name, TextOf(handle),
                    param.name, TextOf(param.handle));
  }
  return param;
}

absl::StatusOr<DevlinkEswitch> ReadDevlinkEswitch(Transport& generic, const GenericFamily& family,
                                                  const DevlinkHandle& handle) {
  ASSIGN_OR_RETURN(const Message message,
                   ExchangeOne(generic, DevlinkEswitchRequest(family, handle)));
  ASSIGN_OR_RETURN(DevlinkEswitch eswitch, DecodeDevlinkEswitch(message));
  if (eswitch.handle != handle) {
    return DataLoss("devlink eswitch of {} was answered for {}", TextOf(handle),
                    TextOf(eswitch.handle));
  }
  return eswitch;
}

}  // namespace roceready::netlink
