// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/problem.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "proto/contract/errors.h"

namespace roceready::rest {

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kCancelled:
      return 499;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

HttpResponse Problem(int http_status, std::string_view title, std::string_view detail) {
  HttpResponse response;
  response.status = http_status;
  response.content_type = "application/problem+json";
  const nlohmann::ordered_json document = {{"type", fmt::format("roceready://problem/{}", title)},
                                           {"title", title},
                                           {"status", http_status},
                                           {"detail", detail}};
  // Client input may be quoted in `detail`: bytes that are no UTF-8 are replaced, not thrown over.
  response.body = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  response.body += '\n';
  return response;
}

HttpResponse ProblemOf(const absl::Status& error) {
  return Problem(HttpStatusOf(error.code()), absl::StatusCodeToString(error.code()),
                 Message(error));
}

}  // namespace roceready::rest
