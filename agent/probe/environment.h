// SPDX-License-Identifier: Apache-2.0
// What sessions need of the host, each replaceable in tests. Shared, because a session's thread
// that is stuck in the kernel outlives its executor. All are called from session threads, several
// at once.
#pragma once

#include <absl/status/statusor.h>
#include <roceready/v1/facts.pb.h>
#include <roceready/v1/probe.pb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/probe/clock.h"
#include "agent/probe/verbs.h"
#include "agent/wire/packet_socket.h"

namespace roceready::probe {

struct NetDeviceNow {
  uint32_t index = 0;
  std::string name;
  std::string mac;
};

// Finds by id (see proto/contract/ids.h) what carries which name and index at this moment.
class DeviceDirectory {
 public:
  virtual ~DeviceDirectory() = default;
  // "mlx5_0"; kNotFound when there is none.
  virtual absl::StatusOr<std::string> RdmaName(std::string_view rdma_device_id) = 0;
  virtual absl::StatusOr<NetDeviceNow> NetDevice(std::string_view net_device_id) = 0;
};

// The counters of the port that a probe's end uses: totals, no deltas.
class CounterReader {
 public:
  virtual ~CounterReader() = default;
  virtual std::vector<v1::PortCounters> Read(const v1::ProbeEnd& end,
                                             std::string_view rdma_name) = 0;
};

// One queue pair's owner.
struct QueuePairUser {
  bool in_kernel = false;
  // The process (not the thread); 0 where the kernel does not say.
  uint32_t pid = 0;
  // The process's or the kernel module's name; empty where the kernel does not say.
  std::string name;
  // "RC", "UD", "GSI" ...
  std::string type;
};

class DeviceUse {
 public:
  virtual ~DeviceUse() = default;
  virtual absl::StatusOr<std::vector<QueuePairUser>> Users(std::string_view rdma_name) = 0;
};

// Shows packets on a net device.
class WireSockets {
 public:
  virtual ~WireSockets() = default;
  virtual absl::StatusOr<std::unique_ptr<wire::Source>> Open(uint32_t net_device_index) = 0;
};

struct Environment {
  std::shared_ptr<Clock> clock;
  std::shared_ptr<Verbs> verbs;
  std::shared_ptr<DeviceDirectory> devices;
  std::shared_ptr<CounterReader> counters;
  std::shared_ptr<DeviceUse> use;
  // Null: the agent's configuration does not want packets looked at.
  std::shared_ptr<WireSockets> wire;
  // Its queue pairs are our own, not a job's.
  uint32_t own_pid = 0;
};

}  // namespace roceready::probe
