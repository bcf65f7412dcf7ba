// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/exit_status.h"

namespace roceready::cli {

ExitStatus StatusOfVerdict(const v1::Verdict& verdict, FailOn fail_on) {
  switch (verdict.readiness()) {
    case v1::READINESS_NOT_READY:
      return kExitNotReady;
    case v1::READINESS_READY:
      break;
    default:
      return kExitUndetermined;
  }
  if (fail_on != FailOn::kBlocks && verdict.degrading() > 0) return kExitLesserFindings;
  if (fail_on == FailOn::kAdvice && verdict.advice() > 0) return kExitLesserFindings;
  return kExitReady;
}

ExitStatus StatusOfError(const absl::Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
      return kExitUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnavailable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kExitPermission;
    case absl::StatusCode::kFailedPrecondition:
      return kExitConfig;
    default:
      return kExitInternal;
  }
}

}  // namespace roceready::cli
