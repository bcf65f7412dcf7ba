// SPDX-License-Identifier: Apache-2.0
// Readings by verbs as text, for recordings:
//
//   device NAME VENDOR PART MAX_QP MAX_MR
//   port NUMBER ACTIVE_MTU MAX_MTU GID_TABLE_LENGTH LINK_LAYER LID
//   gid PORT INDEX 32_HEX_DIGITS TYPE NET_DEVICE_INDEX
//   error NAME ERRNO                        instead of `device`
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agent/facts/verbs.h"

namespace roceready::facts {

using VerbsAnswers = std::map<std::string, absl::StatusOr<VerbsDevice>>;

std::string VerbsText(const std::string& rdma_device, const absl::StatusOr<VerbsDevice>& answer);

// kInvalidArgument with the line number when malformed.
absl::StatusOr<VerbsAnswers> ParseVerbsText(std::string_view text);

}  // namespace roceready::facts
