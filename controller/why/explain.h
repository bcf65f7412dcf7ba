// SPDX-License-Identifier: Apache-2.0
// From an error of a job to what is known to be wrong between its two ends. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/why/error_kind.h"
#include "roceready/v1/finding.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::why {

// What an error says, and which checks would explain it.
struct Meaning {
  std::string_view name;  // "retries exceeded"
  std::string_view text;
  // Ids, or beginnings of them that end in '.', the likeliest first.
  std::vector<std::string_view> checks;
};
const Meaning& MeaningOf(ErrorKind kind);

// Of the findings those that are of one of the hosts, or of both, and that explain such an error:
// what blocks before what only degrades, then the likeliest.
std::vector<const v1::Finding*> CausesOf(
    ErrorKind kind, const std::vector<std::string>& hosts,
    const google::protobuf::RepeatedPtrField<v1::Finding>& findings);

}  // namespace roceready::why
