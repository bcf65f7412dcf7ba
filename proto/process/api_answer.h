// SPDX-License-Identifier: Apache-2.0
// How a client of the API tells the controller's own errors from gRPC's.
#pragma once

namespace roceready {

// In the trailing metadata of each answer to a unary call: an error that has it is what the
// controller says, and one without is of a controller that was not reached.
inline constexpr char kAnsweredKey[] = "roceready-answered";

}  // namespace roceready
