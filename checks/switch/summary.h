// SPDX-License-Identifier: Apache-2.0
// What a switch does with RoCE, counted over its ports: the answer to "what is this switch set
// to?", beside the findings.
#pragma once

#include "checks/switch/switch_view.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::checks {

// DSCPs told of: the policy's, and each that is lossless on some port.
v1::SwitchSummary SummaryOf(const SwitchView& view);

}  // namespace roceready::checks
