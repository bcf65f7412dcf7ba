// SPDX-License-Identifier: Apache-2.0
// What a probe's packets looked like on the wire.
#pragma once

#include "checks/probe_view.h"

namespace roceready::checks {

// Packets were seen to arrive on that path, and all of them were RoCEv2.
bool ArrivedAsRocev2(const ProbedPair& pair, Path path);

}  // namespace roceready::checks
