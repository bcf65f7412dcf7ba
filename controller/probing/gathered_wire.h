// SPDX-License-Identifier: Apache-2.0
// What one end saw on the wire in several attempts of a pair, as one view.
#pragma once

#include "roceready/v1/probe.pb.h"

namespace roceready {

// Alike packets are counted together; OK where any attempt saw its packets, else the reason of the
// latest attempt.
void AddWireView(const v1::WireView& of_attempt, v1::WireView* gathered);

}  // namespace roceready
