// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/rdma.h"

#include <algorithm>
#include <optional>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_RDMA_NETLINK;
constexpr std::string_view kRdmaClass = "/sys/class/infiniband";
constexpr std::string_view kVerbsClass = "/sys/class/infiniband_verbs";

v1::RdmaDevice RowOf(const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device;
  device.set_id(entry.id);
  device.set_name(entry.name);
  return device;
}

absl::StatusOr<netlink::RdmaDevice> FindDevice(netlink::Transport& rdma, const std::string& name) {
  ASSIGN_OR_RETURN(const std::vector<netlink::RdmaDevice> devices, netlink::ReadRdmaDevices(rdma));
  const auto found = std::ranges::find(devices, name, &netlink::RdmaDevice::name);
  if (found == devices.end()) return NotFound("RDMA device {}: the device is gone", name);
  return *found;
}

void FillFromNetlink(const netlink::RdmaDevice& found, v1::RdmaDevice* device) {
  device->set_index(found.index);
  if (found.firmware && !found.firmware->empty()) device->set_firmware(*found.firmware);
  if (found.node_guid) device->set_node_guid(netlink::RdmaGuidText(*found.node_guid));
  if (found.sys_image_guid) {
    device->set_sys_image_guid(netlink::RdmaGuidText(*found.sys_image_guid));
  }
  if (found.protocol) device->set_protocol(*found.protocol);
}

// The word of a sysfs file, if there is one that is not empty.
std::optional<std::string> Word(const HostRoot& root, const std::string& path) {
  absl::StatusOr<std::string> word = root.ReadWord(path);
  if (!word.ok() || word->empty()) return std::nullopt;
  return *std::move(word);
}

void FillFromSysfs(const HostRoot& root, const std::string& folder, v1::RdmaDevice* device) {
  if (const auto firmware = Word(root, folder + "/fw_ver")) device->set_firmware(*firmware);
  if (const auto guid = Word(root, folder + "/node_guid")) device->set_node_guid(*guid);
  if (const auto guid = Word(root, folder + "/sys_image_guid")) device->set_sys_image_guid(*guid);
}

absl::Status NotOpened() { return Unimplemented("RDMA netlink could not be opened"); }

// "4: ACTIVE" in a port's file (drivers/infiniband/core/sysfs.c): the number that netlink gives.
absl::StatusOr<uint8_t> ReadStateNumber(const HostRoot& root, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string word, root.ReadWord(path));
  const std::string_view text = word;
  const std::optional<int64_t> number = ParseNumber(text.substr(0, text.find(':')));
  if (!number.has_value() || *number < 0 || *number > UINT8_MAX) {
    return DataLoss("{}: '{}' begins with no state", path, word);
  }
  return static_cast<uint8_t>(*number);
}

// The row holds why netlink did not tell; that stays where sysfs does not either.
void FillPortFromSysfs(const HostRoot& root, const std::string& rdma_device, v1::RdmaPort* row) {
  const std::string folder = fmt::format("{}/{}/ports/{}", kRdmaClass, rdma_device, row->number());
  const absl::StatusOr<uint8_t> state = ReadStateNumber(root, folder + "/state");
  if (!state.ok()) return;
  const std::string before = row->reading().detail();
  *row->mutable_reading() = OkReading(v1::SOURCE_SYSFS);
  row->mutable_reading()->set_detail("from sysfs: " + before);
  row->set_state(static_cast<v1::PortState>(*state));
  const absl::StatusOr<uint8_t> physical = ReadStateNumber(root, folder + "/phys_state");
  if (physical.ok()) row->set_physical_state(netlink::RdmaPhysicalStateWord(*physical));
}

}  // namespace

absl::StatusOr<uint32_t> FindRdmaIndex(netlink::Transport& rdma, const std::string& name) {
  ASSIGN_OR_RETURN(const netlink::RdmaDevice device, FindDevice(rdma, name));
  return device.index;
}

v1::RdmaDevice ReadRdmaDevice(netlink::Transport* rdma, const HostRoot& root,
                              const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device = RowOf(entry);
  if (!entry.driver.empty()) device.set_driver(entry.driver);
  const std::string folder = fmt::format("{}/{}", kRdmaClass, entry.name);
  if (const auto board = Word(root, folder + "/board_id")) device.set_board_id(*board);

  const absl::StatusOr<netlink::RdmaDevice> found =
      rdma != nullptr ? FindDevice(*rdma, entry.name)
                      : absl::StatusOr<netlink::RdmaDevice>(NotOpened());
  if (found.ok()) {
    *device.mutable_reading() = OkReading(kSource);
    FillFromNetlink(*found, &device);
    return device;
  }
  if (!root.Exists(folder)) {
    *device.mutable_reading() = ReadingOf(found.status(), kSource);
    return device;
  }
  *device.mutable_reading() = OkReading(v1::SOURCE_SYSFS);
  device.mutable_reading()->set_detail(fmt::format("from sysfs: {}", Message(found.status())));
  FillFromSysfs(root, folder, &device);
  return device;
}

v1::RdmaDevice ReadRdmaPorts(netlink::Transport* rdma, const HostRoot& root,
                             const Inventory& inventory, const RdmaDeviceEntry& entry) {
  const absl::StatusOr<uint32_t> index =
      rdma != nullptr ? FindRdmaIndex(*rdma, entry.name) : absl::StatusOr<uint32_t>(NotOpened());
  v1::RdmaDevice device = RowOf(entry);
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* row = device.add_ports();
    row->set_number(number);
    const absl::StatusOr<netlink::RdmaPort> port =
        index.ok() ? netlink::ReadRdmaPort(*rdma, *index, number) : index.status();
    *row->mutable_reading() = ReadingOf(port.status(), kSource);
    if (!port.ok()) {
      FillPortFromSysfs(root, entry.name, row);
      continue;
    }
    if (port->state) row->set_state(static_cast<v1::PortState>(*port->state));
    if (port->physical_state) {
      row->set_physical_state(netlink::RdmaPhysicalStateWord(*port->physical_state));
    }
    const NetDeviceEntry* net_device =
        port->netdev_index ? inventory.FindNetDevice(*port->netdev_index) : nullptr;
    if (net_device != nullptr) row->set_net_device_id(net_device->id);
  }
  return device;
}

v1::RdmaDevice RdmaPortsMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device = RowOf(entry);
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* row = device.add_ports();
    row->set_number(number);
    *row->mutable_reading() = reading;
  }
  return device;
}

v1::UverbsAccess ReadUverbsAccess(const HostRoot& root, const std::string& rdma_device) {
  v1::UverbsAccess access;
  const absl::StatusOr<std::vector<std::string>> nodes = root.List(kVerbsClass);
  std::string path;
  if (nodes.ok()) {
    for (const std::string& node : *nodes) {
      const absl::StatusOr<std::string> owner =
          root.ReadWord(fmt::format("{}/{}/ibdev", kVerbsClass, node));
      if (owner.ok() && *owner == rdma_device) path = fmt::format("/dev/infiniband/{}", node);
    }
  }
  if (path.empty()) {
    *access.mutable_reading() = MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS,
                                               "the device has no uverbs node", "module ib_uverbs");
    return access;
  }
  access.set_path(path);
  const absl::StatusOr<HostRoot::NodeMode> mode = root.ModeOf(path);
  if (mode.ok()) access.set_mode(mode->mode);
  // A recorded tree has no device nodes that could be opened.
  const absl::Status usable = root.is_live() ? root.CanOpen(path) : mode.status();
  *access.mutable_reading() =
      ReadingOf(usable, v1::SOURCE_FILE, fmt::format("read and write access to {}", path));
  return access;
}

v1::RdmaDevice ReadOptionalCounters(netlink::Transport& rdma, const RdmaDeviceEntry& entry) {
  const absl::StatusOr<uint32_t> index = FindRdmaIndex(rdma, entry.name);
  if (!index.ok()) return OptionalCountersMissing(ReadingOf(index.status(), kSource), entry);
  v1::RdmaDevice device = RowOf(entry);
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* port = device.add_ports();
    port->set_number(number);
    v1::OptionalCounters* result = port->mutable_optional_counters();
    const auto states = netlink::ReadRdmaCounterStates(rdma, *index, number);
    *result->mutable_reading() = ReadingOf(states.status(), kSource);
    if (absl::IsInvalidArgument(states.status())) {
      result->mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
      result->mutable_reading()->set_detail("the driver keeps no counters of this port");
    }
    if (!states.ok()) continue;
    for (const netlink::RdmaCounterState& state : *states) {
      if (!state.optional_enabled) continue;
      (*state.optional_enabled ? result->mutable_enabled() : result->mutable_disabled())
          ->Add(std::string(state.name));
    }
    std::sort(result->mutable_enabled()->begin(), result->mutable_enabled()->end());
    std::sort(result->mutable_disabled()->begin(), result->mutable_disabled()->end());
  }
  return device;
}

v1::RdmaDevice OptionalCountersMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry) {
  v1::RdmaDevice device = RowOf(entry);
  for (const uint32_t number : entry.ports) {
    v1::RdmaPort* port = device.add_ports();
    port->set_number(number);
    *port->mutable_optional_counters()->mutable_reading() = reading;
  }
  return device;
}

}  // namespace roceready::facts
