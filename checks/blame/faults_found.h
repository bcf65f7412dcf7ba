// SPDX-License-Identifier: Apache-2.0
// What the checks have found before anybody is blamed: at which ports a configuration is at fault,
// and which findings of probes are explained by themselves.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/judge.h"

namespace roceready::checks {

class FaultsFound {
 public:
  // Everything in `drafts` outlives it.
  explicit FaultsFound(const std::deque<Draft>& drafts);

  // Whether there is such a finding, a FAIL that follows from nothing else that is known.
  bool IsOpen(std::string_view key) const;
  // Whether one of these checks failed at that port.
  bool Touch(std::span<const std::string_view> check_ids, const PortKey& port) const;
  // The findings of the first of these checks that failed at nearly all of the ports; empty: none
  // did.
  std::vector<std::string> ExplanationsOf(std::span<const std::string_view> check_ids,
                                          std::span<const PortKey> ports) const;

 private:
  using ByPort = std::map<PortKey, const Draft*>;

  static const Draft* At(const ByPort& by_port, const PortKey& port);

  std::set<std::string_view> open_;
  std::map<std::string_view, ByPort> by_check_;
};

}  // namespace roceready::checks
