// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/view.h"

#include <algorithm>

namespace roceready::wire {

void View::Add(const Packet& packet, bool received) {
  if (!(received ? own_ : peer_).contains(packet.destination_qp)) return;
  if ((received ? packet.source : packet.destination) != peer_address_) return;
  Count& count = counts_[{received, packet.protocol, packet.role, packet.traffic_class}];
  ++count.packets;
  count.largest_ip_bytes = std::max(count.largest_ip_bytes, packet.ip_bytes);
  if (packet.protocol == v1::WIRE_PROTOCOL_ROCE_V2 &&
      count.source_ports.size() < kMostSourcePorts) {
    count.source_ports.insert(packet.source_port);
  }
}

void View::AddTo(v1::WireView& view) const {
  for (const auto& [key, count] : counts_) {
    v1::WirePackets& packets = *view.add_packets();
    const auto& [received, protocol, role, traffic_class] = key;
    packets.set_received(received);
    packets.set_protocol(protocol);
    packets.set_role(role);
    packets.set_traffic_class(traffic_class);
    packets.set_packets(count.packets);
    packets.set_largest_ip_bytes(count.largest_ip_bytes);
    packets.mutable_source_ports()->Add(count.source_ports.begin(), count.source_ports.end());
  }
}

}  // namespace roceready::wire
