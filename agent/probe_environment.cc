// SPDX-License-Identifier: Apache-2.0
#include "agent/probe_environment.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "agent/facts/counters.h"
#include "agent/facts/inventory.h"
#include "agent/facts/readings.h"
#include "agent/netlink/nldev.h"
#include "agent/netlink/words.h"
#include "agent/probe/ibverbs.h"
#include "proto/contract/errors.h"

namespace roceready::agent {
namespace {

using facts::Sources;

class SysfsDirectory final : public probe::DeviceDirectory {
 public:
  explicit SysfsDirectory(std::shared_ptr<const Sources> sources) : sources_(std::move(sources)) {}

  absl::StatusOr<std::string> RdmaName(std::string_view rdma_device_id) override {
    const facts::Inventory inventory = facts::ReadInventory(sources_->root());
    for (const auto& device : inventory.rdma_devices) {
      if (device.id == rdma_device_id) return device.name;
    }
    return NotFound("RDMA device {}: there is none now", rdma_device_id);
  }

  absl::StatusOr<probe::NetDeviceNow> NetDevice(std::string_view net_device_id) override {
    const facts::Inventory inventory = facts::ReadInventory(sources_->root());
    for (const auto& device : inventory.net_devices) {
      if (device.id != net_device_id) continue;
      ASSIGN_OR_RETURN(std::string mac, sources_->root().ReadWord(
                                            fmt::format("/sys/class/net/{}/address", device.name)));
      return probe::NetDeviceNow{device.index, device.name, std::move(mac)};
    }
    return NotFound("net device {}: there is none now", net_device_id);
  }

 private:
  const std::shared_ptr<const Sources> sources_;
};

class KernelCounters final : public probe::CounterReader {
 public:
  explicit KernelCounters(std::shared_ptr<const Sources> sources) : sources_(std::move(sources)) {}

  std::vector<v1::PortCounters> Read(const v1::ProbeEnd& end, std::string_view rdma_name) override {
    const facts::Inventory inventory = facts::ReadInventory(sources_->root());
    std::vector<v1::PortCounters> result;
    for (const auto& device : inventory.rdma_devices) {
      if (device.name != rdma_name) continue;
      facts::RdmaDeviceEntry port = device;
      port.ports = {end.port()};
      for (auto& totals : RdmaTotals(port)) result.push_back(std::move(totals.counters));
    }
    for (const auto& device : inventory.net_devices) {
      if (device.id != end.net_device_id()) continue;
      if (const auto control = sources_->OpenEthtool(); control.ok()) {
        result.push_back(facts::ReadEthernetTotals(**control, device, false).counters);
      }
    }
    return result;
  }

 private:
  std::vector<facts::PortTotals> RdmaTotals(const facts::RdmaDeviceEntry& port) {
    const auto rdma = sources_->OpenNetlink(netlink::Protocol::kRdma);
    if (rdma.ok()) return facts::ReadRdmaTotals(**rdma, port, false);
    return facts::RdmaTotalsMissing(facts::ReadingOf(rdma.status(), v1::SOURCE_RDMA_NETLINK), port);
  }

  const std::shared_ptr<const Sources> sources_;
};

class NetlinkUsers final : public probe::DeviceUse {
 public:
  explicit NetlinkUsers(std::shared_ptr<const Sources> sources) : sources_(std::move(sources)) {}

  absl::StatusOr<std::vector<probe::QueuePairUser>> Users(std::string_view rdma_name) override {
    ASSIGN_OR_RETURN(const auto rdma, sources_->OpenNetlink(netlink::Protocol::kRdma));
    ASSIGN_OR_RETURN(const auto devices, netlink::ReadRdmaDevices(*rdma));
    const auto device = std::find_if(devices.begin(), devices.end(), [&](const auto& candidate) {
      return candidate.name == rdma_name;
    });
    if (device == devices.end()) return NotFound("RDMA device {}: there is none now", rdma_name);
    ASSIGN_OR_RETURN(const auto queue_pairs, netlink::ReadRdmaQueuePairs(*rdma, device->index));
    std::vector<probe::QueuePairUser> users;
    for (const auto& queue_pair : queue_pairs) users.push_back(UserOf(queue_pair));
    return users;
  }

 private:
  probe::QueuePairUser UserOf(const netlink::RdmaQueuePair& queue_pair) const {
    probe::QueuePairUser user;
    user.pid = queue_pair.pid.value_or(0);
    user.type = queue_pair.type ? netlink::RdmaQpTypeWord(*queue_pair.type) : "";
    if (queue_pair.kernel_owner) {
      user.name = *queue_pair.kernel_owner;
    } else {
      // A process of another pid namespace, or one that has just ended, has no name here.
      user.name = sources_->root()
                      .ReadWord(fmt::format("/proc/{}/comm", user.pid))
                      .value_or("unknown process");
    }
    return user;
  }

  const std::shared_ptr<const Sources> sources_;
};

}  // namespace

std::unique_ptr<probe::DeviceDirectory> MakeDeviceDirectory(
    std::shared_ptr<const Sources> sources) {
  return std::make_unique<SysfsDirectory>(std::move(sources));
}

std::unique_ptr<probe::CounterReader> MakeCounterReader(std::shared_ptr<const Sources> sources) {
  return std::make_unique<KernelCounters>(std::move(sources));
}

std::unique_ptr<probe::DeviceUse> MakeDeviceUse(std::shared_ptr<const Sources> sources) {
  return std::make_unique<NetlinkUsers>(std::move(sources));
}

std::shared_ptr<const probe::Environment> LiveProbeEnvironment(
    std::shared_ptr<const Sources> sources) {
  auto environment = std::make_shared<probe::Environment>();
  environment->clock = std::make_shared<probe::SteadyClock>();
  environment->verbs = probe::MakeIbVerbs();
  environment->devices = MakeDeviceDirectory(sources);
  environment->counters = MakeCounterReader(sources);
  environment->use = MakeDeviceUse(sources);
  environment->own_pid = static_cast<uint32_t>(getpid());
  return environment;
}

}  // namespace roceready::agent
