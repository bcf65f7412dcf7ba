// SPDX-License-Identifier: Apache-2.0
// A probe plan as people write it: "ring", "sparse:8".
#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

// none, pair, ring, rail, full, sparse:K with K from 2 on, incast:N with N from 2 on. Whether it
// fits the hosts, the controller says.
absl::StatusOr<v1::ProbePlan> ParsePlan(std::string_view text);

}  // namespace roceready::cli
