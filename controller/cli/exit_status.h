// SPDX-License-Identifier: Apache-2.0
// What the exit status of `roceready` means. Verdicts follow the order of Nagios plugins, all other
// failures the numbers of sysexits.h, so that a script can tell "not ready" from "could not ask".
#pragma once

#include <absl/status/status.h>

#include "roceready/v1/finding.pb.h"

namespace roceready::cli {

enum ExitStatus : int {
  kExitReady = 0,
  kExitLesserFindings = 1,  // only with --fail-on degrades|advice
  kExitNotReady = 2,
  kExitUndetermined = 3,  // also interrupted, aborted or out of budget
  kExitUsage = 64,
  kExitUnavailable = 69,
  kExitInternal = 70,
  kExitPermission = 77,
  kExitConfig = 78,
};

// What still counts as success besides a ready verdict.
enum class FailOn { kBlocks, kDegrades, kAdvice };

ExitStatus StatusOfVerdict(const v1::Verdict& verdict, FailOn fail_on);

// For a request that failed: connection 69, permission and certificates 77, wrong arguments 64.
ExitStatus StatusOfError(const absl::Status& error);

}  // namespace roceready::cli
