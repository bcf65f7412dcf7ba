// SPDX-License-Identifier: Apache-2.0
#include "checks/rail_rings.h"

#include <iterator>
#include <tuple>

namespace roceready::checks {
namespace {

void Tell(const RailRings::Each& each, const RailPort& a, const RailPort& b) {
  // Ports of one host are never paired.
  if (a.host != b.host) each({PortRef::Of(a), PortRef::Of(b)});
}

}  // namespace

bool RailRings::Order::operator()(const RailPort* a, const RailPort* b) const {
  return std::tie(a->host, a->rdma_device_id, a->port, a->net_device_id, a->address) <
         std::tie(b->host, b->rdma_device_id, b->port, b->net_device_id, b->address);
}

const RailPort& RailRings::Before(const Ring& ring, Ring::const_iterator place) {
  return **std::prev(place == ring.begin() ? ring.end() : place);
}

const RailPort& RailRings::Behind(const Ring& ring, Ring::const_iterator place) {
  const auto next = std::next(place);
  return next == ring.end() ? **ring.begin() : **next;
}

// Those of the port's own host stand beside it.
size_t RailRings::PortsOfOthers(const Ring& ring, Ring::const_iterator place) {
  const std::string& host = (*place)->host;
  auto first = place, end = std::next(place);
  while (first != ring.begin() && (*std::prev(first))->host == host) --first;
  while (end != ring.end() && (*end)->host == host) ++end;
  return ring.size() - static_cast<size_t>(std::distance(first, end));
}

void RailRings::Fill(const std::vector<HostJudgementPtr>& hosts, const Each& met) {
  for (const HostJudgementPtr& host : hosts) {
    for (const RailPort& port : host->rails) {
      Ring& ring = rings_[port.rail];
      const size_t before = ring.size();
      // Hosts mostly come in order.
      const auto place = ring.insert(ring.end(), &port);
      if (ring.size() > before) possible_pairs_ += PortsOfOthers(ring, place);
    }
  }
  for (const auto& [name, ring] : rings_) {
    for (auto place = ring.begin(); place != ring.end(); ++place) {
      Tell(met, **place, Behind(ring, place));
    }
  }
}

void RailRings::Add(const HostJudgement& host, const Each& met, const Each& parted) {
  for (const RailPort& port : host.rails) {
    Ring& ring = rings_[port.rail];
    const auto [place, is_new] = ring.insert(&port);
    if (!is_new) continue;
    possible_pairs_ += PortsOfOthers(ring, place);
    const RailPort &before = Before(ring, place), &behind = Behind(ring, place);
    Tell(parted, before, behind);
    Tell(met, before, port);
    Tell(met, port, behind);
  }
}

void RailRings::Remove(const HostJudgement& host, const Each& met, const Each& parted) {
  for (const RailPort& port : host.rails) {
    const auto ring = rings_.find(port.rail);
    if (ring == rings_.end()) continue;
    const auto place = ring->second.find(&port);
    // Contradictory facts may name one port twice.
    if (place == ring->second.end()) continue;
    const RailPort &before = Before(ring->second, place), &behind = Behind(ring->second, place);
    Tell(parted, before, port);
    Tell(parted, port, behind);
    Tell(met, before, behind);
    possible_pairs_ -= PortsOfOthers(ring->second, place);
    ring->second.erase(place);
    if (ring->second.empty()) rings_.erase(ring);
  }
}

}  // namespace roceready::checks
