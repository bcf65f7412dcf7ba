// SPDX-License-Identifier: Apache-2.0
// What only verbs know: active MTU, limits of the device, the GID table with indexes of net
// devices. The context is opened for one reading and closed at once, so that `rdma link del` and
// driver unload never wait for us.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/facts/inventory.h"
#include "proto/contract/errors.h"

namespace roceready::facts {

struct VerbsPort {
  uint32_t number = 0;
  // ibv_query_port may fail for one port; then nothing else here is set.
  absl::Status status;
  uint32_t active_mtu_bytes = 0;
  uint32_t max_mtu_bytes = 0;
  uint32_t gid_table_length = 0;
  // enum of ibv_port_attr.link_layer: 1 InfiniBand, 2 Ethernet
  uint8_t link_layer = 0;
  uint16_t lid = 0;
};

struct VerbsGid {
  uint32_t port = 0;
  uint32_t index = 0;
  std::array<uint8_t, 16> gid{};
  // 0 IB, 1 RoCE v1, 2 RoCE v2
  uint32_t type = 0;
  // 0 = none
  uint32_t net_device_index = 0;
};

struct VerbsDevice {
  uint32_t vendor = 0;
  uint32_t part = 0;
  uint32_t max_qp = 0;
  uint32_t max_mr = 0;
  // The table of all ports, or why it could not be read.
  absl::StatusOr<std::vector<VerbsGid>> gids = std::vector<VerbsGid>();
};

// On which priorities DCQCN works, bit N for priority N.
struct VerbsCongestionPoints {
  uint8_t notification = 0;
  uint8_t reaction = 0;
};

// Errors of all: kNotFound for an unknown device, otherwise the errno of the call that failed.
class Verbs {
 public:
  virtual ~Verbs() = default;
  // Does not take RTNL. `gid_slots`: room for the GID tables of all ports together.
  virtual absl::StatusOr<VerbsDevice> ReadDevice(const std::string& rdma_device,
                                                 size_t gid_slots) = 0;
  // Calls query_port of the driver: RTNL-bound on most (QueryPortTakesRtnl).
  virtual absl::StatusOr<std::vector<VerbsPort>> ReadPorts(const std::string& rdma_device) = 0;
  // mlx5 only; asks the firmware. Does not take RTNL.
  virtual absl::StatusOr<VerbsCongestionPoints> ReadCongestionPoints(
      const std::string& rdma_device) = 0;
};

// By mlx5's provider library (congestion/devx_library.cc).
absl::StatusOr<VerbsCongestionPoints> ReadCongestionPointsByDevx(const std::string& rdma_device);

// The verbs library of the host we run on.
std::unique_ptr<Verbs> OpenVerbs();

// The reading of a device that verbs could not open: that of the node where this tells the reason,
// for libibverbs says ENOENT for a missing permission.
v1::Reading VerbsReadingOf(const absl::Status& status, const v1::Reading& access);

// Device attributes, and the GID table of each port where verbs gave one.
v1::RdmaDevice DeviceFactsOf(const absl::StatusOr<VerbsDevice>& verbs, const v1::Reading& access,
                             const Inventory& inventory, const RdmaDeviceEntry& entry);

// Port attributes.
v1::RdmaDevice PortFactsOf(const absl::StatusOr<std::vector<VerbsPort>>& verbs,
                           const v1::Reading& access, const RdmaDeviceEntry& entry);
v1::RdmaDevice PortFactsMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry);

}  // namespace roceready::facts
