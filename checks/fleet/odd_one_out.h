// SPDX-License-Identifier: Apache-2.0
// Says who differs from most of a group. A majority is a hint, not a proof, and is worded so.
#pragma once

#include <string_view>

#include "checks/check.h"
#include "checks/judge.h"

namespace roceready::checks {

// One FAIL for each observation that has not the value of the most; where no value has the most,
// one FAIL for the group. One UNKNOWN for each that could not be read. One that stands alone is not
// judged.
void JudgeOddOneOut(const FleetGroup& group, std::string_view expected, std::string_view fix,
                    Judge& judge);

}  // namespace roceready::checks
