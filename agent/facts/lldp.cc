// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/lldp.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "agent/facts/lldp_neighbour.h"
#include "agent/facts/readings.h"
#include "agent/facts/stacking.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_LLDP_FRAME;

v1::Lldp Missing(v1::Outcome outcome, std::string_view detail) {
  v1::Lldp lldp;
  *lldp.mutable_reading() = MissingReading(outcome, kSource, detail);
  return lldp;
}

v1::Reading ReadingOfHearing(const lldp::Hearing& hearing) {
  if (!hearing.neighbours.empty()) {
    v1::Reading reading = OkReading(kSource);
    if (!hearing.refused.empty()) {
      reading.set_detail("another frame was not understood: " + hearing.refused);
    }
    return reading;
  }
  if (!hearing.refused.empty()) {
    return MissingReading(v1::OUTCOME_FAILED, kSource,
                          "the only frame heard was not understood: " + hearing.refused);
  }
  if (absl::IsUnavailable(hearing.socket)) {
    return MissingReading(v1::OUTCOME_ABSENT, kSource, Message(hearing.socket));
  }
  if (!hearing.socket.ok()) return ReadingOf(hearing.socket, kSource, kHearLldp);
  if (!hearing.long_enough) {
    return MissingReading(v1::OUTCOME_ABSENT, kSource,
                          "nothing was heard yet; speakers send every 30 s");
  }
  v1::Reading reading = OkReading(kSource);
  reading.set_detail(
      "no frame was heard: the switch sends none, the link is down, or the NIC's firmware keeps "
      "them (mlx5 LLDP_NB_RX_MODE, ice fw-lldp-agent)");
  return reading;
}

}  // namespace

std::vector<NetDeviceEntry> LldpPorts(const HostRoot& root, const Inventory& inventory) {
  std::set<std::string> bottom;
  for (const RdmaDeviceEntry& rdma : inventory.rdma_devices) {
    for (const NetDeviceEntry& net_device : inventory.net_devices) {
      if (BelongsTo(net_device, rdma)) bottom.merge(BottomOf(root, net_device.name));
    }
  }
  std::vector<NetDeviceEntry> ports;
  for (const std::string& name : bottom) {
    const NetDeviceEntry* port = inventory.FindNetDevice(name);
    if (port != nullptr) ports.push_back(*port);
  }
  return ports;
}

v1::Lldp LldpOf(const lldp::Hearing& hearing) {
  v1::Lldp lldp;
  *lldp.mutable_reading() = ReadingOfHearing(hearing);
  for (const lldp::Neighbour& neighbour : hearing.neighbours) {
    *lldp.add_neighbours() = NeighbourOf(neighbour.frame);
  }
  if (hearing.left_out > 0) {
    lldp.set_neighbours_left_out(static_cast<uint32_t>(hearing.left_out));
  }
  return lldp;
}

Fragment ReadLldp(lldp::Ears* ears, const HostRoot& root, const Inventory& inventory) {
  std::vector<uint32_t> indexes;
  for (const NetDeviceEntry& port : LldpPorts(root, inventory)) {
    indexes.push_back(port.index);
    const auto ups = root.ReadNumber(fmt::format("/sys/class/net/{}/carrier_up_count", port.name));
    if (ears != nullptr && ups.ok()) ears->TellLinkUps(port.index, static_cast<uint64_t>(*ups));
  }
  const std::map<uint32_t, lldp::Hearing> heard =
      ears == nullptr ? std::map<uint32_t, lldp::Hearing>() : ears->Listen(indexes);
  Fragment fragment;
  for (const NetDeviceEntry& device : inventory.net_devices) {
    v1::NetDevice* row = fragment.facts.add_net_devices();
    row->set_id(device.id);
    row->set_index(device.index);
    row->set_name(device.name);
    const auto port = heard.find(device.index);
    if (std::ranges::find(indexes, device.index) == indexes.end()) {
      *row->mutable_lldp() = Missing(v1::OUTCOME_SKIPPED,
                                     "heard on ports of RDMA devices only (of a bond or VLAN "
                                     "device, on the ports that it stands on)");
    } else if (port == heard.end()) {
      *row->mutable_lldp() = Missing(v1::OUTCOME_SKIPPED,
                                     "a single collection does not wait for the next frame; the "
                                     "service listens all the time");
    } else {
      *row->mutable_lldp() = LldpOf(port->second);
    }
  }
  return fragment;
}

v1::LldpDaemons ReadLldpDaemons(const HostRoot& root) {
  v1::LldpDaemons daemons;
  // lldpad has a socket without a file (open-lldp clif.h, CLIF_NAME).
  const absl::StatusOr<std::string> sockets = root.Read("/proc/net/unix");
  *daemons.mutable_reading() = ReadingOf(sockets.status(), v1::SOURCE_PROCFS);
  if (!sockets.ok()) return daemons;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSockets = {
      {{"lldpad", "@/com/intel/lldpad"}, {"lldpd", "/run/lldpd.socket"}}};
  std::set<std::string_view> bound;
  for (const std::string_view line : Lines(*sockets)) {
    const std::vector<std::string_view> words = Words(line);
    if (!words.empty()) bound.insert(words.back());
  }
  for (const auto& [daemon, socket] : kSockets) {
    const bool old_place = socket.starts_with('/') && bound.contains("/var" + std::string(socket));
    if (bound.contains(socket) || old_place) daemons.add_running(std::string(daemon));
  }
  return daemons;
}

}  // namespace roceready::facts
