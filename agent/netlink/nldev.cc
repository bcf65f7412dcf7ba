// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nldev.h"

#include <rdma/rdma_netlink.h>

#include <algorithm>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

// include/uapi/rdma/rdma_netlink.h of kernel 6.12; Debian 12's headers are of 6.1.
constexpr uint16_t kAttrSystemMonitor = 103;

constexpr uint16_t TypeOf(int operation) { return RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, operation); }

Request NldevRequest(int operation, bool dump, PayloadBuilder attributes, std::string what) {
  return {.type = TypeOf(operation),
          .dump = dump,
          .payload = attributes.Take(),
          .what = std::move(what)};
}

PayloadBuilder OfDevice(uint32_t device_index) {
  return PayloadBuilder().PutU32(RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
}

PayloadBuilder OfPort(uint32_t device_index, uint32_t port) {
  return OfDevice(device_index).PutU32(RDMA_NLDEV_ATTR_PORT_INDEX, port);
}

// Which device an answer is about; without both keys it is refused.
struct DeviceKey {
  uint32_t index = 0;
  std::string name;
};
DeviceKey ReadKey(Attributes& attributes) {
  const std::optional<uint32_t> index = attributes.U32(RDMA_NLDEV_ATTR_DEV_INDEX);
  const std::optional<std::string> name = attributes.String(RDMA_NLDEV_ATTR_DEV_NAME);
  if (!index || !name || name->empty()) attributes.Refuse("no device index or name");
  return {index.value_or(0), name.value_or("")};
}

// Calls `read` for each entry nest of a table; entries of other types are skipped.
template <typename Read>
void ForEachEntry(Attributes& attributes, uint16_t table, uint16_t entry, std::string_view where,
                  Read read) {
  const std::optional<Attributes> rows = attributes.Nest(table, where);
  if (!rows) return;
  for (const Attribute& row : rows->all()) {
    if (row.type != entry) continue;
    Attributes fields = rows->Entry(row, where);
    read(fields);
  }
}

// Many answers to a dump, each with several rows, as one list.
template <typename Row>
absl::StatusOr<std::vector<Row>> CollectRows(
    Transport& rdma, const Request& request,
    absl::StatusOr<std::vector<Row>> (*decode)(const Message&)) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages, rdma.Exchange(request));
  std::vector<Row> all;
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(std::vector<Row> rows, decode(message));
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

absl::Status MustBe(std::string_view what, uint32_t got, uint32_t wanted) {
  if (got == wanted) return absl::OkStatus();
  return DataLoss("rdma {} {} was answered for {}", what, wanted, got);
}

}  // namespace

std::optional<uint64_t> RdmaResources::Count(std::string_view kind) const {
  const auto found =
      std::find_if(counts.begin(), counts.end(),
                   [kind](const RdmaResourceCount& entry) { return entry.kind == kind; });
  if (found == counts.end()) return std::nullopt;
  return found->count;
}

Request RdmaDevicesRequest() {
  return NldevRequest(RDMA_NLDEV_CMD_GET, true, {}, "list of rdma devices");
}
Request RdmaDeviceRequest(uint32_t device_index) {
  return NldevRequest(RDMA_NLDEV_CMD_GET, false, OfDevice(device_index),
                      fmt::format("rdma device {}", device_index));
}
Request RdmaPortRequest(uint32_t device_index, uint32_t port) {
  return NldevRequest(RDMA_NLDEV_CMD_PORT_GET, false, OfPort(device_index, port),
                      fmt::format("rdma device {} port {}", device_index, port));
}
Request RdmaSystemRequest() {
  return NldevRequest(RDMA_NLDEV_CMD_SYS_GET, false, {}, "rdma system");
}
Request RdmaResourcesRequest(uint32_t device_index) {
  return NldevRequest(RDMA_NLDEV_CMD_RES_GET, false, OfDevice(device_index),
                      fmt::format("resources of rdma device {}", device_index));
}
Request RdmaQueuePairsRequest(uint32_t device_index) {
  return NldevRequest(RDMA_NLDEV_CMD_RES_QP_GET, true, OfDevice(device_index),
                      fmt::format("queue pairs of rdma device {}", device_index));
}
Request RdmaCmIdsRequest(uint32_t device_index) {
  return NldevRequest(RDMA_NLDEV_CMD_RES_CM_ID_GET, true, OfDevice(device_index),
                      fmt::format("connection ids of rdma device {}", device_index));
}
Request RdmaCountersRequest(uint32_t device_index, uint32_t port) {
  return NldevRequest(RDMA_NLDEV_CMD_STAT_GET, false, OfPort(device_index, port),
                      fmt::format("counters of rdma device {} port {}", device_index, port));
}
Request RdmaCounterStatesRequest(uint32_t device_index, uint32_t port) {
  return NldevRequest(RDMA_NLDEV_CMD_STAT_GET_STATUS, false, OfPort(device_index, port),
                      fmt::format("counter states of rdma device {} port {}", device_index, port));
}
Request RdmaUverbsRequest(uint32_t device_index) {
  return NldevRequest(RDMA_NLDEV_CMD_GET_CHARDEV, false,
                      OfDevice(device_index).PutString(RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs"),
                      fmt::format("uverbs of rdma device {}", device_index));
}

absl::StatusOr<RdmaDevice> DecodeRdmaDevice(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma device", malformed);
  DeviceKey key = ReadKey(attributes);
  RdmaDevice device{.index = key.index, .name = std::move(key.name)};
  device.port_count = attributes.U32(RDMA_NLDEV_ATTR_PORT_INDEX);
  device.capability_flags = attributes.U64(RDMA_NLDEV_ATTR_CAP_FLAGS);
  device.firmware = attributes.String(RDMA_NLDEV_ATTR_FW_VERSION);
  device.node_guid = attributes.U64(RDMA_NLDEV_ATTR_NODE_GUID);
  device.sys_image_guid = attributes.U64(RDMA_NLDEV_ATTR_SYS_IMAGE_GUID);
  device.node_type = attributes.U8(RDMA_NLDEV_ATTR_DEV_NODE_TYPE);
  device.protocol = attributes.String(RDMA_NLDEV_ATTR_DEV_PROTOCOL);
  device.adaptive_moderation = attributes.Bool(RDMA_NLDEV_ATTR_DEV_DIM);
  RETURN_IF_ERROR(malformed);
  return device;
}

absl::StatusOr<RdmaPort> DecodeRdmaPort(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma port", malformed);
  DeviceKey key = ReadKey(attributes);
  RdmaPort port{.device_index = key.index, .device_name = std::move(key.name)};
  const std::optional<uint32_t> number = attributes.U32(RDMA_NLDEV_ATTR_PORT_INDEX);
  if (!number) attributes.Refuse("no port number");
  port.number = number.value_or(0);
  port.state = attributes.U8(RDMA_NLDEV_ATTR_PORT_STATE);
  port.physical_state = attributes.U8(RDMA_NLDEV_ATTR_PORT_PHYS_STATE);
  port.netdev_index = attributes.U32(RDMA_NLDEV_ATTR_NDEV_INDEX);
  port.netdev_name = attributes.String(RDMA_NLDEV_ATTR_NDEV_NAME);
  port.capability_flags = attributes.U64(RDMA_NLDEV_ATTR_CAP_FLAGS);
  port.subnet_prefix = attributes.U64(RDMA_NLDEV_ATTR_SUBNET_PREFIX);
  port.lid = attributes.U32(RDMA_NLDEV_ATTR_LID);
  port.sm_lid = attributes.U32(RDMA_NLDEV_ATTR_SM_LID);
  port.lmc = attributes.U8(RDMA_NLDEV_ATTR_LMC);
  RETURN_IF_ERROR(malformed);
  return port;
}

absl::StatusOr<RdmaSystem> DecodeRdmaSystem(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma system", malformed);
  RdmaSystem system;
  system.netns_mode = attributes.U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE);
  system.copy_on_fork = attributes.Bool(RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK);
  system.privileged_qkey = attributes.Bool(RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE);
  system.monitor = attributes.Bool(kAttrSystemMonitor);
  RETURN_IF_ERROR(malformed);
  return system;
}

absl::StatusOr<RdmaResources> DecodeRdmaResources(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma resources", malformed);
  DeviceKey key = ReadKey(attributes);
  RdmaResources resources{.device_index = key.index, .device_name = std::move(key.name)};
  ForEachEntry(attributes, RDMA_NLDEV_ATTR_RES_SUMMARY, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY,
               "rdma resource count", [&resources](Attributes& entry) {
                 auto kind = entry.String(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME);
                 const auto count = entry.U64(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR);
                 if (!kind || !count) return entry.Refuse("no name or count");
                 resources.counts.push_back({std::move(*kind), *count});
               });
  RETURN_IF_ERROR(malformed);
  return resources;
}

absl::StatusOr<std::vector<RdmaQueuePair>> DecodeRdmaQueuePairs(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma queue pairs", malformed);
  std::vector<RdmaQueuePair> pairs;
  ForEachEntry(attributes, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY, "rdma queue pair",
               [&pairs](Attributes& entry) {
                 const auto number = entry.U32(RDMA_NLDEV_ATTR_RES_LQPN);
                 if (!number) return entry.Refuse("no queue pair number");
                 pairs.push_back({.port = entry.U32(RDMA_NLDEV_ATTR_PORT_INDEX),
                                  .local_qpn = *number,
                                  .remote_qpn = entry.U32(RDMA_NLDEV_ATTR_RES_RQPN),
                                  .type = entry.U8(RDMA_NLDEV_ATTR_RES_TYPE),
                                  .state = entry.U8(RDMA_NLDEV_ATTR_RES_STATE),
                                  .sq_psn = entry.U32(RDMA_NLDEV_ATTR_RES_SQ_PSN),
                                  .rq_psn = entry.U32(RDMA_NLDEV_ATTR_RES_RQ_PSN),
                                  .pid = entry.U32(RDMA_NLDEV_ATTR_RES_PID),
                                  .kernel_owner = entry.String(RDMA_NLDEV_ATTR_RES_KERN_NAME)});
               });
  RETURN_IF_ERROR(malformed);
  return pairs;
}

absl::StatusOr<std::vector<RdmaCmId>> DecodeRdmaCmIds(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma connection ids", malformed);
  std::vector<RdmaCmId> ids;
  ForEachEntry(attributes, RDMA_NLDEV_ATTR_RES_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY,
               "rdma connection id", [&ids](Attributes& entry) {
                 ids.push_back({.port = entry.U32(RDMA_NLDEV_ATTR_PORT_INDEX),
                                .local_qpn = entry.U32(RDMA_NLDEV_ATTR_RES_LQPN),
                                .type = entry.U8(RDMA_NLDEV_ATTR_RES_TYPE),
                                .state = entry.U8(RDMA_NLDEV_ATTR_RES_STATE),
                                .port_space = entry.U32(RDMA_NLDEV_ATTR_RES_PS),
                                .pid = entry.U32(RDMA_NLDEV_ATTR_RES_PID),
                                .kernel_owner = entry.String(RDMA_NLDEV_ATTR_RES_KERN_NAME)});
               });
  RETURN_IF_ERROR(malformed);
  return ids;
}

absl::StatusOr<RdmaPortCounters> DecodeRdmaCounters(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma counters", malformed);
  DeviceKey key = ReadKey(attributes);
  RdmaPortCounters result{.device_index = key.index, .device_name = std::move(key.name)};
  const std::optional<uint32_t> port = attributes.U32(RDMA_NLDEV_ATTR_PORT_INDEX);
  if (!port) attributes.Refuse("no port number");
  result.port = port.value_or(0);
  ForEachEntry(attributes, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY,
               "rdma counter", [&result](Attributes& entry) {
                 auto name = entry.String(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME);
                 const auto value = entry.U64(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE);
                 if (!name || !value) return entry.Refuse("no name or value");
                 result.counters.push_back({std::move(*name), *value});
               });
  RETURN_IF_ERROR(malformed);
  return result;
}

absl::StatusOr<std::vector<RdmaCounterState>> DecodeRdmaCounterStates(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma counter states", malformed);
  std::vector<RdmaCounterState> states;
  ForEachEntry(
      attributes, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY,
      "rdma counter state", [&states](Attributes& entry) {
        auto name = entry.String(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME);
        if (!name) return entry.Refuse("no name");
        states.push_back({.name = std::move(*name),
                          .index = entry.U32(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX),
                          .optional_enabled = entry.Bool(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC)});
      });
  RETURN_IF_ERROR(malformed);
  return states;
}

absl::StatusOr<RdmaCharDevice> DecodeRdmaCharDevice(const Message& message) {
  absl::Status malformed;
  Attributes attributes(message.payload, "rdma character device", malformed);
  const std::optional<std::string> name = attributes.String(RDMA_NLDEV_ATTR_CHARDEV_NAME);
  const std::optional<uint64_t> number = attributes.U64(RDMA_NLDEV_ATTR_CHARDEV);
  RdmaCharDevice device{.abi = attributes.U64(RDMA_NLDEV_ATTR_CHARDEV_ABI)};
  RETURN_IF_ERROR(malformed);
  if (!name || name->empty() || !number) return DataLoss("character device without name or number");
  device.name = *name;
  device.device_number = *number;
  // The kernel's new_encode_dev (include/linux/kdev_t.h): minor 8 low bits, major 12, minor 12.
  device.major = static_cast<uint32_t>((*number >> 8) & 0xfff);
  device.minor = static_cast<uint32_t>((*number & 0xff) | ((*number >> 12) & 0xfff00));
  return device;
}

absl::StatusOr<std::vector<RdmaDevice>> ReadRdmaDevices(Transport& rdma) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages, rdma.Exchange(RdmaDevicesRequest()));
  std::vector<RdmaDevice> devices;
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(RdmaDevice device, DecodeRdmaDevice(message));
    devices.push_back(std::move(device));
  }
  return devices;
}

absl::StatusOr<RdmaPort> ReadRdmaPort(Transport& rdma, uint32_t device_index, uint32_t port) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(rdma, RdmaPortRequest(device_index, port)));
  ASSIGN_OR_RETURN(RdmaPort result, DecodeRdmaPort(message));
  RETURN_IF_ERROR(MustBe("device", result.device_index, device_index));
  RETURN_IF_ERROR(MustBe("port", result.number, port));
  return result;
}

absl::StatusOr<RdmaSystem> ReadRdmaSystem(Transport& rdma) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(rdma, RdmaSystemRequest()));
  return DecodeRdmaSystem(message);
}

absl::StatusOr<RdmaResources> ReadRdmaResources(Transport& rdma, uint32_t device_index) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(rdma, RdmaResourcesRequest(device_index)));
  ASSIGN_OR_RETURN(RdmaResources resources, DecodeRdmaResources(message));
  RETURN_IF_ERROR(MustBe("device", resources.device_index, device_index));
  return resources;
}

absl::StatusOr<std::vector<RdmaQueuePair>> ReadRdmaQueuePairs(Transport& rdma,
                                                              uint32_t device_index) {
  return CollectRows(rdma, RdmaQueuePairsRequest(device_index), &DecodeRdmaQueuePairs);
}

absl::StatusOr<std::vector<RdmaCmId>> ReadRdmaCmIds(Transport& rdma, uint32_t device_index) {
  return CollectRows(rdma, RdmaCmIdsRequest(device_index), &DecodeRdmaCmIds);
}

absl::StatusOr<RdmaPortCounters> ReadRdmaCounters(Transport& rdma, uint32_t device_index,
                                                  uint32_t port) {
  ASSIGN_OR_RETURN(const Message message,
                   ExchangeOne(rdma, RdmaCountersRequest(device_index, port)));
  ASSIGN_OR_RETURN(RdmaPortCounters counters, DecodeRdmaCounters(message));
  RETURN_IF_ERROR(MustBe("device", counters.device_index, device_index));
  RETURN_IF_ERROR(MustBe("port", counters.port, port));
  return counters;
}

absl::StatusOr<std::vector<RdmaCounterState>> ReadRdmaCounterStates(Transport& rdma,
                                                                    uint32_t device_index,
                                                                    uint32_t port) {
  ASSIGN_OR_RETURN(const Message message,
                   ExchangeOne(rdma, RdmaCounterStatesRequest(device_index, port)));
  return DecodeRdmaCounterStates(message);
}

absl::StatusOr<RdmaCharDevice> ReadRdmaUverbs(Transport& rdma, uint32_t device_index) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(rdma, RdmaUverbsRequest(device_index)));
  return DecodeRdmaCharDevice(message);
}

}  // namespace roceready::netlink
