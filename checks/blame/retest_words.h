// SPDX-License-Identifier: Apache-2.0
// What the retests of a bad pair's ends (PlannedProbe.is_retest) say about it, for people.
#pragma once

#include <deque>
#include <span>

#include "checks/judge.h"
#include "checks/probe_view.h"

namespace roceready::checks {

// Adds it as evidence to the findings of bad pairs that stay root causes, after folding: "host1:
// well with host3 and host4, in pairs added to tell who is to blame".
void TellOfRetests(std::span<const ProbedPair> probes, std::deque<Draft>& folded);

}  // namespace roceready::checks
