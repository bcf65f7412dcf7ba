// SPDX-License-Identifier: Apache-2.0
// Who wrote a line of a log that many programs of many hosts wrote together. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roceready::why {

// In lower case, as it is written: NCCL, UCX and syslog give a host's own name of itself, which may
// be the short one. Passed over is what launchers and clocks put before it: "3: ", "[rank3]:",
// "[1,3]<stderr>:", "[2026-03-03 12:11:38] ". Empty: the line does not say.
std::string HostOf(std::string_view line);

// Of a line of UCX, "gpu017:2711": its host and process. Nothing: UCX did not write the line.
std::optional<std::string> UcxProcessOf(std::string_view line);

// What launchers put before each line of a task, from the part of a line before the text: the same
// for all lines of the task, to standard output as to standard error and at whatever time.
std::string TaskOf(std::string_view before_the_text);

}  // namespace roceready::why
