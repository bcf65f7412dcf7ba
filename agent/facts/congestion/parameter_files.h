// SPDX-License-Identifier: Apache-2.0
// A directory of parameter files, one number each: how every family shows its settings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// Reads each file of `folder` that holds a number into `parameters`, sorted by name, under the
// file's own name. The status is that of the listing, or of a file that could not be read though it
// is there; unreadable text (a file that is not a number) is left out.
absl::Status ReadParameterFiles(const HostRoot& root, const std::string& folder,
                                v1::CongestionParameters* parameters);

// The parameters that the privileged program read (agent/privileged/client.h), or why it did not.
absl::Status TakeParameters(const absl::StatusOr<std::map<std::string, uint64_t>>& values,
                            v1::CongestionParameters* parameters);

// The value of a parameter already read; nullopt if there is none of this name.
std::optional<uint64_t> FindParameter(const v1::CongestionParameters& parameters,
                                      std::string_view name);

}  // namespace roceready::facts
