// SPDX-License-Identifier: Apache-2.0
// How much of what was asked for an audit has seen, and what nothing told it about.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checks/verdict.h"

namespace roceready::checks {

// Of older configurations of switches the report says how old they are. Nobody reads a switch again
// for an audit, as agents do a host: sites import daily.
inline constexpr Age kMaxSwitchAge = std::chrono::hours(24);

// `report` has its findings, in any order.
v1::Coverage CoverageOf(const Settled& settled, const v1::AuditReport& report);

// In the order of host lists: gpu2 before gpu10.
std::vector<std::string> SortedHosts(const std::set<std::string>& names);

}  // namespace roceready::checks
