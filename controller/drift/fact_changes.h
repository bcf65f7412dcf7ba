// SPDX-License-Identifier: Apache-2.0
// What became of a host's configuration between two of its facts. Pure: facts in, changes out.
//
// Only what facts.proto marks CONFIG counts, never STATE. A value is compared where both facts know
// it: a group whose reading failed, or did not come, has changed nothing ("unknown" is not "off"),
// and a list that could not be read has lost nobody. Rows are matched by what names them, so that
// their order says nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "roceready/v1/facts.pb.h"

namespace roceready::drift {

struct FactChange {
  // As in evidence: "net_devices[pci:0000:3b:00.0/0].dcb.pfc.enabled_priorities". Where a list's
  // rows have no id, what tells them apart: "addresses[10.77.3.17 24]".
  std::string path;
  // The name of the moment of the device it is on ("ens7f0"); empty for the host itself.
  std::string device;
  // In words, at most kLongestValue bytes each. No `from`: it appeared; no `to`: it went.
  std::optional<std::string> from;
  std::optional<std::string> to;

  bool operator==(const FactChange&) const = default;
};

inline constexpr std::size_t kLongestValue = 256;
// Of one host between two facts; a new mainboard is not told value by value.
inline constexpr std::size_t kMostChanges = 200;

struct FactChanges {
  // In the order of the fields, at most kMostChanges.
  std::vector<FactChange> changes;
  // Further ones.
  std::size_t left_out = 0;

  bool empty() const { return changes.empty(); }
};

FactChanges ConfigChanges(const v1::HostFacts& before, const v1::HostFacts& after);

}  // namespace roceready::drift
