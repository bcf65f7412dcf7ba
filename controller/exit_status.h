// SPDX-License-Identifier: Apache-2.0
// How the program ends: sysexits(3) numbers for what kept it from doing its work.
#pragma once

#include <absl/status/status.h>

namespace roceready::controller {

constexpr int kExitOk = 0;
constexpr int kExitUsage = 64;
constexpr int kExitUnavailable = 69;
constexpr int kExitInternal = 70;
constexpr int kExitNoPermission = 77;
constexpr int kExitConfig = 78;

// Of an error of starting up or of asking: what cannot be reached is 69, what may not be done 77,
// what a file got wrong 78.
int ExitStatusOf(const absl::Status& status);

}  // namespace roceready::controller
