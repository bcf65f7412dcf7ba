// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/neighbours.h"

#include <linux/neighbour.h>
#include <sys/socket.h>

#include <algorithm>
#include <tuple>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_RTNETLINK;

}  // namespace

std::string NeighbourCondition(uint16_t state) {
  if ((state & NUD_NOARP) != 0) return {};
  if ((state & NUD_PERMANENT) != 0) return "permanent";
  if ((state & NUD_FAILED) != 0) return "failed";
  if ((state & NUD_INCOMPLETE) != 0) return "incomplete";
  if ((state & (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)) != 0) return "resolved";
  return netlink::NeighbourStateWord(state);
}

v1::NeighbourTable NeighboursOf(const std::vector<netlink::Neighbour>& neighbours,
                                const Inventory& inventory) {
  v1::NeighbourTable table;
  *table.mutable_reading() = OkReading(kSource);
  for (const netlink::Neighbour& neighbour : neighbours) {
    const NetDeviceEntry* device = inventory.FindNetDevice(neighbour.link_index);
    const std::string condition = NeighbourCondition(neighbour.state);
    if (device == nullptr || !neighbour.address || condition.empty()) continue;
    v1::Neighbour* row = table.add_neighbours();
    row->set_net_device_id(device->id);
    row->set_address(neighbour.address->Text());
    row->set_state(condition);
    if (neighbour.mac) row->set_mac(netlink::MacText(*neighbour.mac));
  }
  auto* rows = table.mutable_neighbours();
  std::sort(rows->begin(), rows->end(), [](const v1::Neighbour& a, const v1::Neighbour& b) {
    return std::tie(a.net_device_id(), a.address()) < std::tie(b.net_device_id(), b.address());
  });
  const auto most = static_cast<int>(kMostNeighbours);
  if (rows->size() > most) {
    table.mutable_reading()->set_detail(
        fmt::format("{} further neighbours were left out", rows->size() - most));
    rows->DeleteSubrange(most, rows->size() - most);
  }
  return table;
}

v1::NeighbourTable ReadNeighbours(netlink::Transport& route, const Inventory& inventory) {
  auto neighbours = netlink::ReadNeighbours(route, AF_INET);
  const auto of_ip6 = netlink::ReadNeighbours(route, AF_INET6);
  // A kernel can be without IPv6; IPv4's answer then is the whole. No other refusal makes it so.
  absl::Status status = neighbours.status();
  if (status.ok() && !absl::IsUnimplemented(of_ip6.status())) status = of_ip6.status();
  if (!status.ok()) {
    v1::NeighbourTable table;
    *table.mutable_reading() = ReadingOf(status, kSource);
    return table;
  }
  if (of_ip6.ok()) neighbours->insert(neighbours->end(), of_ip6->begin(), of_ip6->end());
  return NeighboursOf(*neighbours, inventory);
}

}  // namespace roceready::facts
