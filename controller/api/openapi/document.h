// SPDX-License-Identifier: Apache-2.0
// The REST API as an OpenAPI 3.1 document, made from the same descriptors as the API itself.
#pragma once

#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

namespace roceready::openapi {

// JSON. With the comments of the .proto files where `service` has them. Fails where the API has
// something that the document cannot tell: an http option (http_route.h) or a type
// (reachable_types.h).
absl::StatusOr<std::string> DocumentOf(const google::protobuf::ServiceDescriptor* service,
                                       std::string_view software_version);

}  // namespace roceready::openapi
