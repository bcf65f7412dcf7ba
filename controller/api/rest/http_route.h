// SPDX-License-Identifier: Apache-2.0
// Where a method of a service is over HTTP, as its google.api.http option has it.
#pragma once

#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "controller/api/rest/path_template.h"

namespace roceready::rest {

struct HttpRoute {
  std::string verb;  // "GET"
  PathTemplate path;
  // The request is the body, but for the fields that the path names. Without: they are the query.
  bool body = false;
  const google::protobuf::MethodDescriptor* method = nullptr;
};

// Of the methods that have the option, in the service's order. kInvalidArgument: an option outside
// the part that is supported (path_template.h; body "*" or none; one binding).
absl::StatusOr<std::vector<HttpRoute>> HttpRoutesOf(
    const google::protobuf::ServiceDescriptor* service);

}  // namespace roceready::rest
