// SPDX-License-Identifier: Apache-2.0
// What raises the checks that judge all probes together.
#pragma once

#include <vector>

#include "tests/unit/checks/cases.h"

namespace roceready::checks {

std::vector<Case> BlameCases();

}  // namespace roceready::checks
