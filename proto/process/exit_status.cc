// SPDX-License-Identifier: Apache-2.0
#include "proto/process/exit_status.h"

namespace roceready {
namespace {

// `mistaken`: the status where the input was wrong, which is a file's fault or an argument's.
ExitStatus ExitStatusOf(const absl::Status& error, ExitStatus mistaken) {
  switch (error.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kUnimplemented:
      return mistaken;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return kExitUnavailable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kExitPermission;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kDataLoss:
      return kExitConfig;
    default:
      return kExitInternal;
  }
}

}  // namespace

ExitStatus ExitStatusOfVerdict(const v1::Verdict& verdict, FailOn fail_on) {
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
  return kExitOk;
}

ExitStatus ExitStatusOfStart(const absl::Status& error) { return ExitStatusOf(error, kExitConfig); }

ExitStatus ExitStatusOfRequest(const absl::Status& error) {
  return ExitStatusOf(error, kExitUsage);
}

}  // namespace roceready
