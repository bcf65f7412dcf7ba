// SPDX-License-Identifier: Apache-2.0
// What of a job's environment is sent to a controller.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace roceready::cli {

// The variables of NCCL, UCX and NVSHMEM, each on the line that it had: what else is in the
// environment (tokens, paths) stays here.
std::string LinesOfLibraries(std::string_view text);

// Of a file of NAME=VALUE. kFailedPrecondition: it cannot be read, or has values that no library
// would take, each with its place.
absl::StatusOr<std::string> JobLinesToSend(const std::string& file);

}  // namespace roceready::cli
