// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/gathered_wire.h"

#include <algorithm>
#include <set>

namespace roceready {
namespace {

// As many as an agent keeps (WirePackets.source_ports).
constexpr std::size_t kMostSourcePorts = 16;

bool Alike(const v1::WirePackets& x, const v1::WirePackets& y) {
  return x.received() == y.received() && x.protocol() == y.protocol() && x.role() == y.role() &&
         x.traffic_class() == y.traffic_class();
}

void AddPackets(const v1::WirePackets& more, v1::WirePackets* packets) {
  packets->set_packets(packets->packets() + more.packets());
  packets->set_largest_ip_bytes(std::max(packets->largest_ip_bytes(), more.largest_ip_bytes()));
  std::set<std::uint32_t> ports(packets->source_ports().begin(), packets->source_ports().end());
  for (const std::uint32_t port : more.source_ports()) {
    if (ports.size() < kMostSourcePorts) ports.insert(port);
  }
  packets->mutable_source_ports()->Clear();
  packets->mutable_source_ports()->Add(ports.begin(), ports.end());
}

}  // namespace

void AddWireView(const v1::WireView& of_attempt, v1::WireView* gathered) {
  if (gathered->reading().outcome() != v1::OUTCOME_OK) {
    *gathered->mutable_reading() = of_attempt.reading();
  }
  gathered->set_missed(gathered->missed() + of_attempt.missed());
  for (const v1::WirePackets& more : of_attempt.packets()) {
    const auto alike =
        std::find_if(gathered->mutable_packets()->begin(), gathered->mutable_packets()->end(),
                     [&](const v1::WirePackets& row) { return Alike(row, more); });
    if (alike == gathered->mutable_packets()->end()) {
      *gathered->add_packets() = more;
    } else {
      AddPackets(more, &*alike);
    }
  }
}

}  // namespace roceready
