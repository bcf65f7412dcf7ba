// SPDX-License-Identifier: Apache-2.0
// The truth behind a matrix: who is probed with whom, and what happens to packets on each way.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/scale/blame/mix.h"

namespace roceready::scale {

struct WayTruth {
  bool dead = false, large = false;
  double loss = 0;
  // Of the bandwidth that is left.
  double share = 1;
};

// Hosts `a` and `b` on one rail.
struct PairTruth {
  size_t rail = 0, a = 0, b = 0;
  WayTruth a_to_b, b_to_a;
  // An adapter of it is used by a job: the probe says nothing.
  bool busy = false;
};

struct Fabric {
  // With all places chosen. A pair that is busy is not expected to be named.
  std::vector<Fault> faults, expected;
  std::vector<PairTruth> pairs;
};

// What becomes of packets on one way, under faults whose places are chosen.
WayTruth WayBetween(const Mix& mix, const std::vector<Fault>& faults, size_t rail, size_t from,
                    size_t to);

// Whether a probe finds its adapters busy by chance.
bool IsBusy(const Mix& mix, std::mt19937_64& random);

Fabric MakeFabric(const Mix& mix, std::mt19937_64& random);

// What is to be named: "loss port host3 rail0 sending", "slow leaf rail0-leaf1".
std::string NameOf(const Fault& fault);
std::string LeafName(size_t rail, size_t leaf);

}  // namespace roceready::scale
