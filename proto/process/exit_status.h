// SPDX-License-Identifier: Apache-2.0
// What the exit statuses of all our programs mean. Verdicts follow the order of Nagios plugins, all
// other ends the numbers of sysexits.h, so that a script can tell "not ready" from "could not ask".
#pragma once

#include <absl/status/status.h>
#include <roceready/v1/finding.pb.h>

namespace roceready {

enum ExitStatus : int {
  kExitOk = 0,              // done; of a verdict: ready
  kExitLesserFindings = 1,  // only with --fail-on degrades|advice
  kExitNotReady = 2,
  kExitUndetermined = 3,  // also interrupted, aborted or out of budget
  kExitUsage = 64,
  kExitUnavailable = 69,
  kExitInternal = 70,
  kExitPermission = 77,  // also a certificate that does not hold
  kExitConfig = 78,
};

// What makes a ready verdict less than a success.
enum class FailOn { kBlocks, kDegrades, kAdvice };

ExitStatus ExitStatusOfVerdict(const v1::Verdict& verdict, FailOn fail_on = FailOn::kBlocks);

// Of a program that could not start, or not read its files: what a file got wrong is 78.
ExitStatus ExitStatusOfStart(const absl::Status& error);

// Of a request to a controller: what the arguments got wrong is 64.
ExitStatus ExitStatusOfRequest(const absl::Status& error);

}  // namespace roceready
