// SPDX-License-Identifier: Apache-2.0
// Errors over HTTP: problem documents (RFC 9457, application/problem+json).
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "controller/api/rest/http.h"

namespace roceready::rest {

// The HTTP status of a gRPC code, as the public mapping of google.rpc.Code has it.
int HttpStatusOf(absl::StatusCode code);

// The title is a word for programs: that of a gRPC code, or one that only HTTP has. With
// "roceready://problem/" in front it is the type.
HttpResponse Problem(int http_status, std::string_view title, std::string_view detail);
HttpResponse ProblemOf(const absl::Status& error);

}  // namespace roceready::rest
