// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/affected.h"

#include <algorithm>
#include <array>

#include "agent/facts/stacking.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

using watch::Topic;

constexpr uint32_t Bit(Topic topic) { return 1u << static_cast<uint32_t>(topic); }

// What a kind of reading depends on. Kinds that depend on nothing the kernel tells of are read by
// full collections only.
struct Kind {
  std::string_view name;
  uint32_t topics;
};
constexpr uint32_t kNever = 0;
constexpr uint32_t kPort = Bit(Topic::kRdma) | Bit(Topic::kLink) | Bit(Topic::kAddress);
constexpr std::array kKinds = {
    // Of the host.
    Kind{"kernel", Bit(Topic::kModule)},
    Kind{"rdma_stack", Bit(Topic::kModule) | Bit(Topic::kRdma)},
    Kind{"rdma_use", Bit(Topic::kModule) | Bit(Topic::kRdma)},
    Kind{"kernel_users", Bit(Topic::kModule) | Bit(Topic::kRdma)},
    Kind{"firewall", kNever},
    Kind{"health", Bit(Topic::kDevlink)},
    Kind{"lldp", Bit(Topic::kLldp) | Bit(Topic::kLink)},
    Kind{"links", Bit(Topic::kLink) | Bit(Topic::kAddress)},
    Kind{"ip_stack", Bit(Topic::kLink) | Bit(Topic::kAddress)},
    Kind{"neighbours", Bit(Topic::kNeighbour) | Bit(Topic::kLink)},
    // Of a net device.
    Kind{"net files", Bit(Topic::kLink)},
    Kind{"ethtool", Bit(Topic::kLink)},
    Kind{"transceiver", Bit(Topic::kLink)},
    Kind{"virtual functions", Bit(Topic::kLink)},
    Kind{"dcb", Bit(Topic::kDcb) | Bit(Topic::kLink)},
    // Of a PCI function.
    Kind{"pci", Bit(Topic::kDevlink)},
    Kind{"firmware", Bit(Topic::kDevlink)},
    Kind{"gpu", kNever},
    // Of an RDMA device.
    Kind{"rdma", Bit(Topic::kRdma)},
    Kind{"rdma ports", kPort},
    Kind{"verbs", kPort},
    Kind{"verbs ports", kPort},
    Kind{"congestion", Bit(Topic::kRdma)},
    Kind{"optional counters", Bit(Topic::kRdma)},
    Kind{"rdma counters", kNever},
    Kind{"cm counters", kNever},
};

struct Key {
  std::string_view kind;
  std::string_view owner;
};
// "verbs ports pci:0000:3b:00.0": an id has a ':' in it and no space.
Key Split(std::string_view reading_key) {
  const size_t space = reading_key.rfind(' ');
  if (space == std::string_view::npos || reading_key.find(':', space) == std::string_view::npos) {
    return {reading_key, {}};
  }
  return {reading_key.substr(0, space), reading_key.substr(space + 1)};
}

const Kind* FindKind(std::string_view name) {
  const auto* found = std::ranges::find(kKinds, name, &Kind::name);
  return found == kKinds.end() ? nullptr : found;
}

// A row of the same id that has another name or index: readings of before speak of the old one.
bool RenamedAny(const Inventory& now, const Inventory& before) {
  return std::ranges::any_of(now.net_devices, [&before](const NetDeviceEntry& device) {
    const auto old = std::ranges::find(before.net_devices, device.id, &NetDeviceEntry::id);
    return old != before.net_devices.end() &&
           (old->name != device.name || old->index != device.index);
  });
}

bool SameNetDevices(const Inventory& now, const Inventory& before) {
  return std::ranges::equal(now.net_devices, before.net_devices, {}, &NetDeviceEntry::id,
                            &NetDeviceEntry::id);
}

// All but the net devices; as facts, which say all there is.
bool SameOtherwise(Inventory now, Inventory before) {
  now.net_devices.clear();
  before.net_devices.clear();
  return FactsOf(now).SerializeAsString() == FactsOf(before).SerializeAsString();
}

}  // namespace

Affected Affected::Everything() {
  Affected affected;
  affected.everything_ = true;
  return affected;
}

Affected Affected::By(const watch::Changes& changes, const HostRoot& root, const Inventory& now,
                      const Inventory& before) {
  if (changes.everything() || RenamedAny(now, before) || !SameOtherwise(now, before)) {
    return Everything();
  }
  Affected affected;
  if (!SameNetDevices(now, before)) affected.Add(Topic::kLink, "");
  for (const watch::Concern& concern : changes.concerns()) {
    switch (concern.topic) {
      case Topic::kLink:
      case Topic::kAddress:
      case Topic::kNeighbour:
        affected.AddNetDevice(concern.topic, concern.index, root, now);
        break;
      case Topic::kDcb: {
        const NetDeviceEntry* device = now.FindNetDevice(concern.name);
        affected.Add(concern.topic, device == nullptr ? "" : device->id);
        break;
      }
      case Topic::kRdma:
        affected.AddRdmaDevices(concern.name, now);
        break;
      case Topic::kDevlink:
        affected.Add(concern.topic, PciId(concern.name));
        break;
      case Topic::kModule:
      case Topic::kLldp:
        affected.Add(concern.topic, "");
        break;
      case Topic::kDevices:
        break;
    }
  }
  return affected;
}

void Affected::Add(Topic topic, const std::string& owner) {
  topics_ |= Bit(topic);
  owners_.insert({topic, owner});
}

// Ports and GIDs of an RDMA device follow its net devices, and what stands on them.
void Affected::AddNetDevice(Topic topic, uint32_t index, const HostRoot& root,
                            const Inventory& inventory) {
  const NetDeviceEntry* device = inventory.FindNetDevice(index);
  Add(topic, device == nullptr ? "" : device->id);
  if (device == nullptr) return;
  const std::set<std::string> bottom = BottomOf(root, device->name);
  for (const RdmaDeviceEntry& rdma : inventory.rdma_devices) {
    const bool below =
        std::ranges::any_of(inventory.net_devices, [&](const NetDeviceEntry& net_device) {
          return BelongsTo(net_device, rdma) &&
                 (net_device.id == device->id || bottom.contains(net_device.name));
        });
    if (below) Add(topic, rdma.id);
  }
}

void Affected::AddRdmaDevices(const std::string& name, const Inventory& inventory) {
  Add(Topic::kRdma, "");
  for (const RdmaDeviceEntry& rdma : inventory.rdma_devices) {
    if (name.empty() || rdma.name == name) Add(Topic::kRdma, rdma.id);
  }
}

bool Affected::Touches(std::string_view reading_key) const {
  if (everything_) return true;
  const auto [name, owner] = Split(reading_key);
  const Kind* kind = FindKind(name);
  if (kind == nullptr) return true;
  if (owner.empty()) return (kind->topics & topics_) != 0;
  return std::ranges::any_of(owners_, [&, kind = kind, owner = owner](const Owner& affected) {
    return (kind->topics & Bit(affected.first)) != 0 && affected.second == owner;
  });
}

bool IsDescribed(std::string_view reading_key) {
  return FindKind(Split(reading_key).kind) != nullptr;
}

}  // namespace roceready::facts
