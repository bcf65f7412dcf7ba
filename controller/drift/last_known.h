// SPDX-License-Identifier: Apache-2.0
// What a host's facts are compared with next: where a source did not answer, what it said last. A
// setting that changes while its source hangs is thus told of when the source answers again.
#pragma once

#include "roceready/v1/facts.pb.h"

namespace roceready::drift {

// Puts into `after` the configuration that `before` knows and `after` does not. True where there
// was any.
bool KeepLastKnown(const v1::HostFacts& before, v1::HostFacts* after);

}  // namespace roceready::drift
