// SPDX-License-Identifier: Apache-2.0
// RDMA devices, ports, counters and users of queue pairs, by netlink protocol RDMA, client NLDEV
// (kernel include/uapi/rdma/rdma_netlink.h; later numbers are in nldev.cc with their source).
// GIDs and MTUs are not there: verbs give them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/transport.h"

namespace roceready::netlink {

struct RdmaDevice {
  // Unique within one boot, stays when the device is renamed.
  uint32_t index = 0;
  std::string name;
  std::optional<uint32_t> port_count;
  std::optional<uint64_t> capability_flags;
  // Missing where the driver gives none (rxe).
  std::optional<std::string> firmware;
  // Host byte order: 0x..., most significant byte first when printed.
  std::optional<uint64_t> node_guid;
  std::optional<uint64_t> sys_image_guid;
  // RdmaNodeTypeWord() of words.h.
  std::optional<uint8_t> node_type;
  // "roce", "ib", "iw", "opa", "usnic"; of the first port.
  std::optional<std::string> protocol;
  std::optional<bool> adaptive_moderation;
};

struct RdmaPort {
  uint32_t device_index = 0;
  std::string device_name;
  // From 1.
  uint32_t number = 0;
  // RdmaPortStateWord(), RdmaPhysicalStateWord() of words.h.
  std::optional<uint8_t> state;
  std::optional<uint8_t> physical_state;
  // Missing when the netdev is in another network namespace, or when there is none.
  std::optional<uint32_t> netdev_index;
  std::optional<std::string> netdev_name;
  // InfiniBand ports only.
  std::optional<uint64_t> capability_flags;
  std::optional<uint64_t> subnet_prefix;
  std::optional<uint32_t> lid;
  std::optional<uint32_t> sm_lid;
  std::optional<uint8_t> lmc;
};

struct RdmaSystem {
  // RdmaNetnsModeWord() of words.h: 1 shared, 0 exclusive.
  std::optional<uint8_t> netns_mode;
  std::optional<bool> copy_on_fork;
  std::optional<bool> privileged_qkey;
  // The kernel sends events to RDMA_NL_GROUP_NOTIFY (not in 6.1).
  std::optional<bool> monitor;
};

// RES_GET: how many objects of each kind ("pd", "cq", "qp", "cm_id", "mr", "ctx", "srq").
struct RdmaResourceCount {
  std::string kind;
  uint64_t count = 0;
};
struct RdmaResources {
  uint32_t device_index = 0;
  std::string device_name;
  std::vector<RdmaResourceCount> counts;

  std::optional<uint64_t> Count(std::string_view kind) const;
};

// One queue pair. `pid` for user space, `kernel_owner` ("ib_core") for the kernel's own.
struct RdmaQueuePair {
  std::optional<uint32_t> port;
  uint32_t local_qpn = 0;
  std::optional<uint32_t> remote_qpn;
  // RdmaQpTypeWord(), RdmaQpStateWord() of words.h.
  std::optional<uint8_t> type;
  std::optional<uint8_t> state;
  std::optional<uint32_t> sq_psn;
  std::optional<uint32_t> rq_psn;
  std::optional<uint32_t> pid;
  std::optional<std::string> kernel_owner;
};

// One connection id of rdma_cm.
struct RdmaCmId {
  std::optional<uint32_t> port;
  std::optional<uint32_t> local_qpn;
  std::optional<uint8_t> type;
  std::optional<uint8_t> state;
  // Port space (RDMA_PS_*).
  std::optional<uint32_t> port_space;
  std::optional<uint32_t> pid;
  std::optional<std::string> kernel_owner;
};

struct RdmaCounter {
  std::string name;
  uint64_t value = 0;
};
struct RdmaPortCounters {
  uint32_t device_index = 0;
  std::string device_name;
  uint32_t port = 0;
  std::vector<RdmaCounter> counters;
};

// STAT_GET_STATUS: which counters exist, and whether optional ones are switched on.
struct RdmaCounterState {
  std::string name;
  std::optional<uint32_t> index;
  // Engaged for optional counters only: is it on?
  std::optional<bool> optional_enabled;
};

struct RdmaCharDevice {
  // "uverbs0"
  std::string name;
  // In the kernel's encoding (makedev of user space differs): see major, minor.
  uint64_t device_number = 0;
  uint32_t major = 0;
  uint32_t minor = 0;
  std::optional<uint64_t> abi;
};

Request RdmaDevicesRequest();
Request RdmaDeviceRequest(uint32_t device_index);
Request RdmaPortRequest(uint32_t device_index, uint32_t port);
Request RdmaSystemRequest();
Request RdmaResourcesRequest(uint32_t device_index);
Request RdmaQueuePairsRequest(uint32_t device_index);
Request RdmaCmIdsRequest(uint32_t device_index);
Request RdmaCountersRequest(uint32_t device_index, uint32_t port);
Request RdmaCounterStatesRequest(uint32_t device_index, uint32_t port);
Request RdmaUverbsRequest(uint32_t device_index);

// All decoders: kDataLoss when malformed or when a row key (index, name, number) is missing.
absl::StatusOr<RdmaDevice> DecodeRdmaDevice(const Message& message);
absl::StatusOr<RdmaPort> DecodeRdmaPort(const Message& message);
absl::StatusOr<RdmaSystem> DecodeRdmaSystem(const Message& message);
absl::StatusOr<RdmaResources> DecodeRdmaResources(const Message& message);
absl::StatusOr<std::vector<RdmaQueuePair>> DecodeRdmaQueuePairs(const Message& message);
absl::StatusOr<std::vector<RdmaCmId>> DecodeRdmaCmIds(const Message& message);
absl::StatusOr<RdmaPortCounters> DecodeRdmaCounters(const Message& message);
absl::StatusOr<std::vector<RdmaCounterState>> DecodeRdmaCounterStates(const Message& message);
absl::StatusOr<RdmaCharDevice> DecodeRdmaCharDevice(const Message& message);

// Ask and decode. kNotFound: no such device or port. ReadRdmaCounters gives kInvalidArgument where
// the driver keeps no port counters.
absl::StatusOr<std::vector<RdmaDevice>> ReadRdmaDevices(Transport& rdma);
absl::StatusOr<RdmaPort> ReadRdmaPort(Transport& rdma, uint32_t device_index, uint32_t port);
absl::StatusOr<RdmaSystem> ReadRdmaSystem(Transport& rdma);
absl::StatusOr<RdmaResources> ReadRdmaResources(Transport& rdma, uint32_t device_index);
absl::StatusOr<std::vector<RdmaQueuePair>> ReadRdmaQueuePairs(Transport& rdma,
                                                              uint32_t device_index);
absl::StatusOr<std::vector<RdmaCmId>> ReadRdmaCmIds(Transport& rdma, uint32_t device_index);
absl::StatusOr<RdmaPortCounters> ReadRdmaCounters(Transport& rdma, uint32_t device_index,
                                                  uint32_t port);
absl::StatusOr<std::vector<RdmaCounterState>> ReadRdmaCounterStates(Transport& rdma,
                                                                    uint32_t device_index,
                                                                    uint32_t port);
// kNotFound where the device has no uverbs node.
absl::StatusOr<RdmaCharDevice> ReadRdmaUverbs(Transport& rdma, uint32_t device_index);

}  // namespace roceready::netlink
