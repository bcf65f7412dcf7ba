// SPDX-License-Identifier: Apache-2.0
// What a finding rests on, in a few words.
#pragma once

#include <cstdint>
#include <string>

#include "roceready/v1/finding.pb.h"

namespace roceready::report {

// "4 s", "12 min", "2 h 14 min".
std::string AgeWords(int64_t seconds);

// "dcb.pfc.enabled_priorities = none (dcb, 4 s old)".
std::string EvidenceWords(const v1::Evidence& evidence);

}  // namespace roceready::report
