// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/verbs.h"

#include <algorithm>

#include "agent/facts/gids.h"
#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_VERBS;

v1::RdmaDevice RowOf(const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device;
  device.set_id(entry.id);
  device.set_name(entry.name);
  return device;
}

std::string LinkLayerWord(uint8_t link_layer) {
  switch (link_layer) {
    case 1:
      return "InfiniBand";
    case 2:
      return "Ethernet";
    default:
      return fmt::format("link-layer-{}", link_layer);
  }
}

v1::PortAttributes AttributesOf(const VerbsPort& port) {
  v1::PortAttributes attributes;
  *attributes.mutable_reading() = ReadingOf(port.status, kSource);
  if (!port.status.ok()) return attributes;
  // 0 stands for an MTU number that the library does not know.
  if (port.active_mtu_bytes > 0) attributes.set_active_mtu_bytes(port.active_mtu_bytes);
  if (port.max_mtu_bytes > 0) attributes.set_max_mtu_bytes(port.max_mtu_bytes);
  attributes.set_gid_table_length(port.gid_table_length);
  attributes.set_link_layer(LinkLayerWord(port.link_layer));
  attributes.set_lid(port.lid);
  return attributes;
}

v1::GidTable TableOf(const std::vector<VerbsGid>& gids, uint32_t port, const Inventory& inventory) {
  v1::GidTable table;
  *table.mutable_reading() = OkReading(kSource);
  for (const VerbsGid& gid : gids) {
    if (gid.port != port) continue;
    v1::Gid* row = table.add_gids();
    row->set_index(gid.index);
    row->set_gid(GidText(gid.gid));
    row->set_type(static_cast<v1::GidType>(gid.type + 1));
    const NetDeviceEntry* device = inventory.FindNetDevice(gid.net_device_index);
    if (device != nullptr) row->set_net_device_id(device->id);
  }
  auto* rows = table.mutable_gids();
  std::sort(rows->begin(), rows->end(),
            [](const auto& a, const auto& b) { return a.index() < b.index(); });
  return table;
}

}  // namespace

v1::Reading VerbsReadingOf(const absl::Status& status, const v1::Reading& access) {
  v1::Reading reading = ReadingOf(status, kSource);
  if (status.ok()) return reading;
  if (access.outcome() == v1::OUTCOME_DENIED || access.outcome() == v1::OUTCOME_ABSENT) {
    reading = access;
    reading.set_source(kSource);
  }
  return reading;
}

v1::RdmaDevice DeviceFactsOf(const absl::StatusOr<VerbsDevice>& verbs, const v1::Reading& access,
                             const Inventory& inventory, const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device = RowOf(entry);
  v1::RdmaAttributes* attributes = device.mutable_attributes();
  *attributes->mutable_reading() = VerbsReadingOf(verbs.status(), access);
  if (!verbs.ok()) return device;
  attributes->set_vendor(verbs->vendor);
  attributes->set_part(verbs->part);
  attributes->set_max_qp(verbs->max_qp);
  attributes->set_max_mr(verbs->max_mr);
  if (!verbs->gids.ok()) return device;
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* row = device.add_ports();
    row->set_number(number);
    *row->mutable_gid_table() = TableOf(*verbs->gids, number, inventory);
  }
  return device;
}

v1::RdmaDevice PortFactsOf(const absl::StatusOr<std::vector<VerbsPort>>& verbs,
                           const v1::Reading& access, const RdmaDeviceEntry& entry) {
  if (!verbs.ok()) return PortFactsMissing(VerbsReadingOf(verbs.status(), access), entry);
  v1::RdmaDevice device = RowOf(entry);
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* row = device.add_ports();
    row->set_number(number);
    const auto port = std::ranges::find(*verbs, number, &VerbsPort::number);
    if (port != verbs->end()) {
      *row->mutable_attributes() = AttributesOf(*port);
    } else {
      *row->mutable_attributes()->mutable_reading() =
          MissingReading(v1::OUTCOME_ABSENT, kSource, "the device has no such port");
    }
  }
  return device;
}

v1::RdmaDevice PortFactsMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device = RowOf(entry);
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* row = device.add_ports();
    row->set_number(number);
    *row->mutable_attributes()->mutable_reading() = reading;
  }
  return device;
}

}  // namespace roceready::facts
