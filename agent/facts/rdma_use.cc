// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/rdma_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_RDMA_NETLINK;
// enum ib_qp_state of include/rdma/ib_verbs.h
constexpr uint8_t kQueuePairInError = 6;

// By whether the kernel is the owner, and the owner's name.
using Owner = std::pair<bool, std::string>;

Owner OwnerOf(const HostRoot& root, const std::optional<std::string>& kernel_owner,
              std::optional<uint32_t> pid) {
  if (kernel_owner.has_value()) return {true, *kernel_owner};
  if (!pid.has_value()) return {false, "another process namespace"};
  const absl::StatusOr<std::string> name = root.ReadWord(fmt::format("/proc/{}/comm", *pid));
  return {false, name.ok() && !name->empty() ? *name : fmt::format("process-{}", *pid)};
}

v1::RdmaDeviceUse ReadDevice(netlink::Transport& rdma, const HostRoot& root, uint32_t index,
                             const std::string& device_id, absl::Status* status) {
  v1::RdmaDeviceUse use;
  use.set_device_id(device_id);
  const auto queue_pairs = netlink::ReadRdmaQueuePairs(rdma, index);
  const auto cm_ids = netlink::ReadRdmaCmIds(rdma, index);
  const auto resources = netlink::ReadRdmaResources(rdma, index);
  for (const absl::Status& failed : {queue_pairs.status(), cm_ids.status(), resources.status()}) {
    if (!failed.ok()) *status = failed;
  }
  if (queue_pairs.ok()) {
    const auto by_kernel = static_cast<uint32_t>(std::ranges::count_if(
        *queue_pairs, [](const auto& pair) { return pair.kernel_owner.has_value(); }));
    use.set_kernel_qps(by_kernel);
    use.set_user_qps(static_cast<uint32_t>(queue_pairs->size()) - by_kernel);
  }
  if (queue_pairs.ok() && cm_ids.ok()) {
    for (v1::RdmaUser& user : RdmaUsersOf(root, *queue_pairs, *cm_ids)) {
      *use.add_users() = std::move(user);
    }
  }
  if (resources.ok()) {
    if (const auto count = resources->Count("mr")) use.set_mrs(static_cast<uint32_t>(*count));
    if (const auto count = resources->Count("cm_id")) use.set_cm_ids(static_cast<uint32_t>(*count));
  }
  return use;
}

}  // namespace

std::vector<v1::RdmaUser> RdmaUsersOf(const HostRoot& root,
                                      const std::vector<netlink::RdmaQueuePair>& queue_pairs,
                                      const std::vector<netlink::RdmaCmId>& cm_ids) {
  std::map<Owner, v1::RdmaUser> users;
  for (const netlink::RdmaQueuePair& pair : queue_pairs) {
    v1::RdmaUser& user = users[OwnerOf(root, pair.kernel_owner, pair.pid)];
    user.set_qps(user.qps() + 1);
    if (pair.state == kQueuePairInError) user.set_qps_in_error(user.qps_in_error() + 1);
  }
  for (const netlink::RdmaCmId& id : cm_ids) {
    v1::RdmaUser& user = users[OwnerOf(root, id.kernel_owner, id.pid)];
    user.set_cm_ids(user.cm_ids() + 1);
  }
  std::vector<v1::RdmaUser> rows;
  for (auto& [owner, user] : users) {
    user.set_kernel(owner.first);
    user.set_name(owner.second);
    rows.push_back(std::move(user));
  }
  return rows;
}

v1::RdmaUse ReadRdmaUse(netlink::Transport& rdma, const HostRoot& root,
                        const Inventory& inventory) {
  v1::RdmaUse use;
  const auto devices = netlink::ReadRdmaDevices(rdma);
  *use.mutable_reading() = ReadingOf(devices.status(), kSource);
  if (!devices.ok()) return use;
  for (const RdmaDeviceEntry& entry : inventory.rdma_devices) {
    const auto device = std::ranges::find(*devices, entry.name, &netlink::RdmaDevice::name);
    if (device == devices->end()) continue;
    absl::Status status;
    *use.add_devices() = ReadDevice(rdma, root, device->index, entry.id, &status);
    if (!status.ok()) *use.mutable_reading() = ReadingOf(status, kSource);
  }
  return use;
}

}  // namespace roceready::facts
