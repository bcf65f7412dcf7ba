// SPDX-License-Identifier: Apache-2.0
// Who may be to blame for what goes wrong on the ways between probed ports, and which of them are
// the fewest that explain it. Pure arithmetic over numbers; it knows no symptom and no message.
//
// A suspect either explains a way (what is sent over it passes the suspect) or does not. Each pair
// of ports is one witness, whatever its two ways say:
//   bad where the suspect is well      1 in 50   (a fault of that pair alone: its cable path, a
//   hash) bad where the suspect is at fault  19 in 20
// so that a bad pair speaks for a suspect with ln(0.95 / 0.02) and a good one against it with
// ln(0.98 / 0.05). Suspects begin with their odds of being at fault at all (kPortOdds and on). What
// adds up is the logarithm of the odds that the suspect is at fault: `confidence` is their
// probability, and nothing else goes into it. A way that only shows faults above a rate (loss) and
// has carried too few packets for the rate seen elsewhere speaks so much less for the suspect's
// innocence.
//
// Of all suspects the one with the best odds is taken, then the best for what is left unexplained,
// and so on; a wide one (a leaf) is given up again where narrow ones (the ports below it) together
// explain the same with better odds. Of several with like odds that explain ways of each other, the
// one is taken that leaves the most to the others. In the end each is weighed against the best that
// could be named in its stead: whoever explains no more than others do as well is a guess, and is
// not named. What nobody explains is left to the pair itself.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roceready::checks {

// A port, and what it is a part of, as numbers that are equal where the thing is the same.
struct Place {
  size_t host = 0;
  // The physical NIC.
  size_t adapter = 0;
  // The switch that it is plugged into; empty where that is not known.
  std::optional<size_t> leaf;
  // A reading of its configuration is a fault that would explain the symptom: a likelier suspect.
  bool suspected = false;
};

// What one way from a port to another shows of one symptom.
struct Way {
  // Two ways of a pair are one witness.
  size_t pair = 0;
  // Places.
  size_t from = 0, to = 0;
  size_t rail = 0;
  bool bad = false;
  // It may as well be the way back.
  bool either_way = false;
  // The sender did not even send.
  bool not_sent = false;
  // Of symptoms that are a rate: what was seen (bad), and in how many tries. 0: it is no rate.
  double rate = 0, tries = 0;
};

enum class SuspectKind { kPort, kAdapter, kHost, kBetweenLeaves, kUplinks, kLeaf, kRail };
enum class Direction { kBoth, kSending, kReceiving };

struct Suspect {
  SuspectKind kind = SuspectKind::kPort;
  Direction direction = Direction::kBoth;
  // A place, an adapter, a host, a leaf or a rail; between leaves: of those two (sending: from
  // `first` to `second`).
  size_t first = 0, second = 0;

  auto operator<=>(const Suspect&) const = default;
};

struct Blame {
  Suspect suspect;
  // Bad ways that it explains, as places in the ways given.
  std::vector<size_t> ways;
  // Pairs that have such a way, and pairs that are well though they pass the suspect.
  size_t bad_pairs = 0, good_pairs = 0;
  // On the same rails, not passing it.
  size_t other_good_pairs = 0;
  // That it is this one, 0 to 0.99.
  double confidence = 0;
  // Of no way is known in which direction it fails.
  bool direction_untold = false;
};

// The fewest that explain the bad ways, the surest first. None is named who has fewer than two bad
// peers, or beside whom nothing is well; nor below a confidence of kLeastConfidence; nor a group of
// too few hosts, whatever the number of their ports.
std::vector<Blame> FindBlames(const std::vector<Place>& places, const std::vector<Way>& ways);

// The ports that a suspect is or holds.
std::vector<size_t> PlacesOf(const Suspect& suspect, const std::vector<Place>& places,
                             const std::vector<Way>& ways);

inline constexpr double kLeastConfidence = 0.8;

}  // namespace roceready::checks
