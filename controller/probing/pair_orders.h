// SPDX-License-Identifier: Apache-2.0
// From pairs of ports to their orders, which are made when their turn comes: a plan may have a
// hundred thousand.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checks/policy/effective_policy.h"
#include "checks/rails.h"
#include "controller/probing/pairing.h"
#include "controller/probing/probe_runner.h"

namespace roceready {

// Queue pairs for datagrams that an agent has room for, by host; of no others are any asked.
using DatagramRoom = std::map<std::string, std::uint32_t>;

// ProbeWork.spec_of. Owns what it needs.
struct PairOrders {
  std::string audit_id;
  // Of the first pair: probe ids are "AUDIT-NUMBER".
  std::size_t first_number = 1;
  std::shared_ptr<const std::vector<checks::RailPort>> ports;
  std::vector<PortPair> pairs;
  std::function<const EffectivePolicy*(const std::string& host)> policy_of;
  DatagramRoom datagram_room;

  v1::ProbeSpec operator()(std::size_t place) const;

  std::uint32_t RoomOf(const std::string& host) const;
};

WaitingPair WaitingPairOf(const checks::RailPort& a, const checks::RailPort& b,
                          std::uint32_t incast);

// Incast.group of a pair; empty: it is in none.
std::string IncastGroupOf(const std::string& audit_id, const PortPair& pair);

}  // namespace roceready
