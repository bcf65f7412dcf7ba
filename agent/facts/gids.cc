// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/gids.h"

#include <algorithm>
#include <optional>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

bool IsEmptySlot(std::string_view gid) {
  return gid.find_first_not_of("0:") == std::string_view::npos;
}

v1::GidType TypeOf(std::string_view word, bool ethernet) {
  if (word == "RoCE v2") return v1::GID_TYPE_ROCE_V2;
  if (word == "IB/RoCE v1") return ethernet ? v1::GID_TYPE_ROCE_V1 : v1::GID_TYPE_IB;
  return v1::GID_TYPE_UNSPECIFIED;
}

}  // namespace

std::string GidText(const std::array<uint8_t, 16>& gid) {
  std::string text;
  for (size_t i = 0; i < gid.size(); i += 2) {
    text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", gid[i], gid[i + 1]);
  }
  return text;
}

v1::GidTable ReadGidsFromSysfs(const HostRoot& root, const Inventory& inventory,
                               const std::string& rdma_device, uint32_t port) {
  v1::GidTable table;
  const std::string folder = fmt::format("/sys/class/infiniband/{}/ports/{}", rdma_device, port);
  const absl::StatusOr<std::vector<std::string>> slots = root.List(folder + "/gids");
  *table.mutable_reading() = ReadingOf(slots.status(), v1::SOURCE_SYSFS);
  if (!slots.ok()) return table;
  const absl::StatusOr<std::string> link_layer = root.ReadWord(folder + "/link_layer");
  const bool ethernet = link_layer.ok() && *link_layer == "Ethernet";
  for (const std::string& slot : *slots) {
    const std::optional<int64_t> index = ParseNumber(slot);
    const absl::StatusOr<std::string> gid = root.ReadWord(fmt::format("{}/gids/{}", folder, slot));
    if (!index.has_value() || !gid.ok() || IsEmptySlot(*gid)) continue;
    v1::Gid* row = table.add_gids();
    row->set_index(static_cast<uint32_t>(*index));
    row->set_gid(*gid);
    // Both files fail with EINVAL where the slot was emptied meanwhile; then the type stays open.
    const absl::StatusOr<std::string> type =
        root.ReadWord(fmt::format("{}/gid_attrs/types/{}", folder, slot));
    if (type.ok()) row->set_type(TypeOf(*type, ethernet));
    const absl::StatusOr<std::string> name =
        root.ReadWord(fmt::format("{}/gid_attrs/ndevs/{}", folder, slot));
    const NetDeviceEntry* device = name.ok() ? inventory.FindNetDevice(*name) : nullptr;
    if (device != nullptr) row->set_net_device_id(device->id);
  }
  auto* rows = table.mutable_gids();
  std::sort(rows->begin(), rows->end(),
            [](const auto& a, const auto& b) { return a.index() < b.index(); });
  return table;
}

size_t CountGidSlots(const HostRoot& root, const RdmaDeviceEntry& entry) {
  size_t slots = 0;
  for (const uint32_t port : entry.ports) {
    const absl::StatusOr<std::vector<std::string>> names =
        root.List(fmt::format("/sys/class/infiniband/{}/ports/{}/gids", entry.name, port));
    if (names.ok()) slots += names->size();
  }
  return slots;
}

std::optional<std::string> NetDeviceOfGids(const v1::GidTable& table) {
  for (const v1::Gid& gid : table.gids()) {
    if (gid.has_net_device_id()) return gid.net_device_id();
  }
  return std::nullopt;
}

}  // namespace roceready::facts
