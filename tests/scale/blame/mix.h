// SPDX-License-Identifier: Apache-2.0
// A mix of faults as a file describes it (tests/scale/README.md): the fabric, how it is probed,
// what is wrong with it, and with how many seeds that is tried.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roceready::scale {

enum class Wrong { kDead, kLarge, kLoss, kSlow };
enum class Part { kPort, kHost, kPair, kBetween, kUplinks, kLeaf, kRail };
enum class Way { kBoth, kSending, kReceiving };

// Where nothing is given, the seed chooses.
struct Fault {
  Wrong wrong = Wrong::kDead;
  Part part = Part::kPort;
  Way way = Way::kBoth;
  std::optional<size_t> host, rail, peer, leaf, to;
  // Of packets lost; of the bandwidth left.
  double rate = 0.01, share = 0.1;
};

struct Mix {
  std::string name;
  size_t hosts = 32, rails = 1;
  // Hosts on one leaf of a rail; 0: no LLDP is heard.
  size_t leaf = 8;
  // Peers of each port.
  size_t degree = 8;
  size_t seeds = 1;
  // No end has counters.
  bool blind = false;
  // No pair is busy, but for those of two hosts each that always are, while the plan is probed.
  bool idle = false;
  std::vector<std::pair<size_t, size_t>> always_busy;
  // The plan's pairs leave open who is to blame: it takes those that are probed after them.
  bool open = false;
  std::vector<Fault> faults;
  // What is to be named, where it is not just the faults.
  std::optional<std::vector<Fault>> expected;
};

// Each port has two peers.
inline bool IsRing(const Mix& mix) { return mix.degree < 4; }

absl::StatusOr<Mix> ReadMix(std::string name, std::string_view text);

// "dead", "loss"; "port", "uplinks"; "both", "sending".
std::string_view WordOf(Wrong wrong);
std::string_view WordOf(Part part);
std::string_view WordOf(Way way);

}  // namespace roceready::scale
