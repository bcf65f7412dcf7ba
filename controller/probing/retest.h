// SPDX-License-Identifier: Apache-2.0
// Which pairs are probed after the plan's: the ends of bad pairs that nobody is blamed for, each
// with ports that are known good. A port that is at fault is so with all of them; where both ends
// are well with them, it is the way between the two. Pure; the same input gives the same pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checks/blame/open_pairs.h"
#include "checks/evaluate.h"
#include "checks/rails.h"
#include "controller/probing/pairing.h"
#include "controller/probing/plan.h"

namespace roceready {

// For each end. With the bad pair that is more than blame asks for (two bad peers).
constexpr std::uint32_t kRetestPartners = 2;
// Of one audit at most; or one for so many pairs of the plan, where that is more.
constexpr std::size_t kMostRetests = 64;
constexpr std::size_t kPlannedForARetest = 10;

struct RetestInput {
  // All that can be probed, in the order of their rails (checks::GroupByRail).
  std::span<const checks::RailPort> ports;
  // Who has met whom, or was to.
  std::span<const checks::PlannedProbe> planned;
  const checks::OpenPairs& open;
};

struct RetestChoice {
  // An end of a bad pair, then its partner, as places in the ports. The worst first.
  std::vector<PortPair> pairs;
  // Open pairs on a rail on which no port is known good.
  std::size_t without_good_port = 0;
};

// Partners are on the end's rail, on neither host of the bad pair, and have not met the end: the
// first on its leaf, the next on another (that of its peer, where that is another), as far as LLDP
// tells leaves and there are such ports. Of those like in this, the one that is asked for least.
RetestChoice ChooseRetests(const RetestInput& input);

struct RetestPlan {
  // May have no pair. Its words: "2 pairs more, to tell who is to blame for 1 that is bad".
  ProbePlanned plan;
  // Bad pairs for which nobody is known good; empty: there is none.
  std::string not_retested;
};

// `input`: as for the plan, with who cannot be reached by now. Probe ids go on from
// `first_number`.
RetestPlan PlanRetests(const PlanInput& input, std::span<const checks::PlannedProbe> planned,
                       const checks::OpenPairs& open, std::size_t first_number);

}  // namespace roceready
