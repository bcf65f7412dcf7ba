// SPDX-License-Identifier: Apache-2.0
// Why a call to the controller failed, in words that tell what to do.
#pragma once

#include <absl/status/status.h>

#include <string_view>

namespace roceready::cli {

// `error` as gRPC gives it. An answer of the controller's is as it was; a connection that could not
// be made or broke names the controller. A certificate of its that is not trusted is
// kUnauthenticated.
absl::Status ExplainCallError(const absl::Status& error, std::string_view controller);

}  // namespace roceready::cli
