// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/host_environment.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/facts/counters.h"
#include "agent/facts/host_root.h"
#include "agent/facts/inventory.h"
#include "agent/facts/rdma.h"
#include "agent/netlink/nldev.h"
#include "agent/netlink/socket.h"
#include "agent/netlink/words.h"
#include "agent/privileged/client.h"
#include "agent/probe/ibverbs.h"
#include "proto/contract/errors.h"
#include "proto/contract/ids.h"

namespace roceready::probe {
namespace {

// A kernel that is well answers in a millisecond.
constexpr nanoseconds kNetlinkDeadline = std::chrono::milliseconds(500);

absl::StatusOr<std::unique_ptr<netlink::Socket>> OpenRdmaNetlink() {
  return netlink::Socket::Open(netlink::Protocol::kRdma,
                               std::chrono::steady_clock::now() + kNetlinkDeadline);
}

class HostDirectory : public DeviceDirectory {
 public:
  absl::StatusOr<std::string> RdmaName(std::string_view rdma_device_id) override {
    const facts::Inventory inventory = facts::ReadInventory(root_);
    for (const facts::RdmaDeviceEntry& entry : inventory.rdma_devices) {
      if (entry.id == rdma_device_id) return entry.name;
    }
    return ErrnoError(ENODEV, fmt::format("no RDMA device {} on this host", rdma_device_id));
  }

  absl::StatusOr<NetDeviceNow> NetDevice(std::string_view net_device_id) override {
    const facts::Inventory inventory = facts::ReadInventory(root_);
    for (const facts::NetDeviceEntry& entry : inventory.net_devices) {
      if (entry.id != net_device_id) continue;
      const auto mac = root_.ReadWord(fmt::format("/sys/class/net/{}/address", entry.name));
      return NetDeviceNow{.index = entry.index, .name = entry.name, .mac = mac.value_or("")};
    }
    return ErrnoError(ENODEV, fmt::format("no net device {} on this host", net_device_id));
  }

 private:
  const facts::HostRoot root_;
};

class HostCounters : public CounterReader {
 public:
  std::vector<v1::PortCounters> Read(const v1::ProbeEnd& end, std::string_view rdma_name) override {
    const facts::Inventory inventory = facts::ReadInventory(root_);
    const std::string owner = RdmaPortOwnerId(end.rdma_device_id(), end.port());
    for (const facts::RdmaDeviceEntry& entry : inventory.rdma_devices) {
      if (entry.name != rdma_name) continue;
      for (facts::PortTotals& port : ReadTotals(entry)) {
        if (port.counters.owner_id() == owner) return {std::move(port.counters)};
      }
    }
    return {};
  }

 private:
  static std::vector<facts::PortTotals> ReadTotals(const facts::RdmaDeviceEntry& entry) {
    const auto socket = OpenRdmaNetlink();
    if (socket.ok()) return facts::ReadRdmaTotals(**socket, entry, /*with_raw=*/false);
    v1::Reading reading;
    reading.set_outcome(v1::OUTCOME_FAILED);
    reading.set_source(v1::SOURCE_RDMA_NETLINK);
    reading.set_error(ErrnoOf(socket.status()).value_or(0));
    reading.set_detail(std::string(Message(socket.status())));
    return facts::RdmaTotalsMissing(reading, entry);
  }

  const facts::HostRoot root_;
};

class HostDeviceUse : public DeviceUse {
 public:
  absl::StatusOr<std::vector<QueuePairUser>> Users(std::string_view rdma_name) override {
    ASSIGN_OR_RETURN(const auto socket, OpenRdmaNetlink());
    ASSIGN_OR_RETURN(const uint32_t index, facts::FindRdmaIndex(*socket, std::string(rdma_name)));
    ASSIGN_OR_RETURN(const auto queue_pairs, netlink::ReadRdmaQueuePairs(*socket, index));
    std::vector<QueuePairUser> users;
    for (const netlink::RdmaQueuePair& queue_pair : queue_pairs) {
      QueuePairUser user{.in_kernel = queue_pair.kernel_owner.has_value(),
                         .pid = ProcessOf(queue_pair.pid.value_or(0)),
                         .name = queue_pair.kernel_owner.value_or(""),
                         .type = queue_pair.type ? netlink::RdmaQpTypeWord(*queue_pair.type) : ""};
      if (user.pid != 0) {
        user.name = root_.ReadWord(fmt::format("/proc/{}/comm", user.pid)).value_or("");
      }
      users.push_back(std::move(user));
    }
    return users;
  }

 private:
  // The kernel names the thread that made the queue pair (core/restrack.c attaches `current`).
  uint32_t ProcessOf(uint32_t thread) const {
    const auto status = root_.Read(fmt::format("/proc/{}/status", thread));
    if (thread == 0 || !status.ok()) return thread;
    for (const std::string_view line : facts::Lines(*status)) {
      if (!line.starts_with("Tgid:")) continue;
      const auto process = facts::ParseNumber(facts::Trim(line.substr(5)));
      return process ? static_cast<uint32_t>(*process) : thread;
    }
    return thread;
  }

  const facts::HostRoot root_;
};

class HostWireSockets : public WireSockets {
 public:
  absl::StatusOr<std::unique_ptr<wire::Source>> Open(uint32_t net_device_index) override {
    ASSIGN_OR_RETURN(Descriptor socket, privileged::OpenRoceSocket(net_device_index));
    return wire::MakeSource(std::move(socket));
  }
};

}  // namespace

std::shared_ptr<const Environment> MakeHostEnvironment(const v1::AgentProbeLimits& limits) {
  const bool look_at_wire = !limits.has_wire() || limits.wire();
  return std::make_shared<Environment>(Environment{
      .clock = std::make_shared<SteadyClock>(),
      .verbs = MakeIbVerbs(),
      .devices = std::make_shared<HostDirectory>(),
      .counters = std::make_shared<HostCounters>(),
      .use = std::make_shared<HostDeviceUse>(),
      .wire = look_at_wire ? std::make_shared<HostWireSockets>() : nullptr,
      .own_pid = static_cast<uint32_t>(::getpid()),
  });
}

}  // namespace roceready::probe
