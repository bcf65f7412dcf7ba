// SPDX-License-Identifier: Apache-2.0
// What facts need of whoever listens to LLDP.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/lldp/neighbours.h"

namespace roceready::lldp {

// How long a port is listened to before silence means that nobody speaks: two frames at the usual
// distance of 30 s (IEEE 802.1AB-2016, 9.2.5.7), and some.
inline constexpr Duration kLongEnough = std::chrono::seconds(65);

// Of one port.
struct Hearing {
  // kUnavailable: the socket is being opened. Otherwise why there is none.
  absl::Status socket;
  // Listened to for kLongEnough, or somebody was heard.
  bool long_enough = false;
  std::vector<Neighbour> neighbours;
  size_t left_out = 0;
  // Why the last frame that made no sense was refused; empty once it is long ago.
  std::string refused;
};

class Ears {
 public:
  virtual ~Ears() = default;
  // How often the port's link came up so far. Where that is other than told before, listening
  // counts from now: what was not heard before says nothing about the link of today. Never waits.
  virtual void TellLinkUps(uint32_t /*net_device_index*/, uint64_t /*times*/) {}
  // From now on these net devices are listened to, and no others; what is heard on each so far.
  // Never waits. Any thread.
  virtual std::map<uint32_t, Hearing> Listen(const std::vector<uint32_t>& net_device_indexes) = 0;
};

}  // namespace roceready::lldp
