// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document of FleetService, with the comments of its .proto files.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace roceready::openapi {

// Where REST has it, for whoever has a certificate.
inline constexpr char kDocumentPath[] = "/v1/openapi.json";

// JSON, about 200 KB, in some tens of milliseconds.
absl::StatusOr<std::string> FleetDocument(std::string_view software_version);

}  // namespace roceready::openapi
