// SPDX-License-Identifier: Apache-2.0
// The errors of a whole log, in memory that does not grow with it.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <istream>

#include "controller/why/error_lines.h"

namespace roceready::why {

// Gives each error that the log tells of to `found`, in the order of the log but for those of UCX:
// one that says on a later line whom it was sending to comes when that line has been read. A log
// that cannot be read to its end is kInvalidArgument; what was read has been given.
absl::Status ReadErrors(std::istream& log, std::function<void(ErrorLine)> found);

}  // namespace roceready::why
