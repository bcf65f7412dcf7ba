// SPDX-License-Identifier: Apache-2.0
// Counts the packets of one probe, alike ones together.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "agent/wire/packet.h"

namespace roceready::wire {

class View {
 public:
  // By these queue pairs a packet is known as one of the probe: what is received is addressed to
  // `own` and comes from `peer_address`, what is sent goes to `peer` there.
  View(std::set<uint32_t> own, std::set<uint32_t> peer, const Address& peer_address)
      : own_(std::move(own)), peer_(std::move(peer)), peer_address_(peer_address) {}

  // A packet of others is not counted.
  void Add(const Packet& packet, bool received);

  bool empty() const { return counts_.empty(); }
  // Appends what was counted, in the order of the fields.
  void AddTo(v1::WireView& view) const;

  static constexpr size_t kMostSourcePorts = 16;

 private:
  using Key = std::tuple<bool, v1::WireProtocol, v1::WireRole, uint32_t>;
  struct Count {
    uint64_t packets = 0;
    uint32_t largest_ip_bytes = 0;
    std::set<uint32_t> source_ports;
  };

  const std::set<uint32_t> own_;
  const std::set<uint32_t> peer_;
  const Address peer_address_;
  std::map<Key, Count> counts_;
};

}  // namespace roceready::wire
