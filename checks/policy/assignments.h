// SPDX-License-Identifier: Apache-2.0
// NAME=VALUE as job scripts, `env` and `export -p` write it. Nothing is run and nothing expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"

namespace roceready {

struct Assignment {
  std::string name;
  std::string value;
  // Of the name.
  yaml::Position at;
  // Why the value is not what would be assigned: an open quote, something the shell would expand.
  std::string problem;
};

// In the order of the text; of anything that is no assignment nothing comes. Several may stand on
// one line, behind `export` or `declare -x`; comments begin with '#'; lines may end in CR LF.
std::vector<Assignment> ParseAssignments(std::string_view text);

}  // namespace roceready
