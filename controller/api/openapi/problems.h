// SPDX-License-Identifier: Apache-2.0
// Which errors an operation may answer.
#pragma once

#include <string_view>
#include <vector>

#include "controller/api/openapi/schema.h"
#include "controller/api/rest/http_route.h"

namespace roceready::openapi {

struct ProblemStatus {
  int status = 0;  // of HTTP
  std::string_view when;
};

// All there are, ascending.
const std::vector<ProblemStatus>& ProblemStatuses();

// Those of one operation, ascending.
std::vector<int> ProblemsOf(const rest::HttpRoute& route);

// The schema of a problem document.
Json SchemaOfProblem();

}  // namespace roceready::openapi
