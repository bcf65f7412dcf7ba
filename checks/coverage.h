// SPDX-License-Identifier: Apache-2.0
// How much of what was asked for an audit has seen, and what nothing told it about.
#pragma once

#include "checks/verdict.h"

namespace roceready::checks {

// `report` has its findings, in any order.
v1::Coverage CoverageOf(const Settled& settled, const v1::AuditReport& report);

}  // namespace roceready::checks
