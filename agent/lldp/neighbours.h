// SPDX-License-Identifier: Apache-2.0
// Who is heard on one port, until its time to live is over. No I/O; the time is told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "agent/lldp/decode.h"
#include "proto/process/clock.h"

namespace roceready::lldp {

struct Neighbour {
  Frame frame;
  MonotonicTime heard_at{};
  MonotonicTime leaves_at{};
};

class Neighbours {
 public:
  // A port that everyone may speak on does not fill our memory.
  static constexpr size_t kMost = 16;

  // Whether anything but times differs from before. A TTL of 0 removes the neighbour. One beyond
  // kMost is counted and not kept.
  bool Heard(std::span<const uint8_t> bytes, Frame frame, MonotonicTime now);
  // Forgets whose time is over; whether there were any.
  bool Expire(MonotonicTime now);
  // When the next one's time is over.
  std::optional<MonotonicTime> NextExpiry() const;

  // Sorted by who they are.
  std::vector<Neighbour> All() const;
  size_t left_out() const { return left_out_.size(); }

 private:
  // A speaker is its chassis and port; one that speaks to several group addresses may say different
  // things to each (802.1AB-2016, 6.8: an agent for each address).
  using Key = std::tuple<uint8_t, std::string, uint8_t, std::string, std::string>;
  struct Entry {
    Neighbour neighbour;
    std::string bytes;
  };
  std::map<Key, Entry> entries_;
  // Who found no room, until when; bounded as well.
  std::map<Key, MonotonicTime> left_out_;
};

}  // namespace roceready::lldp
