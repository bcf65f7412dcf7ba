// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/errors.h"

#include <cerrno>
#include <system_error>

namespace roceready {

absl::Status MakeError(absl::StatusCode code, std::string_view text) {
  return absl::Status(code, absl::string_view(text.data(), text.size()));
}

absl::StatusCode CodeOfErrno(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
      return absl::StatusCode::kPermissionDenied;
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return absl::StatusCode::kNotFound;
    case EOPNOTSUPP:
    case EPROTONOSUPPORT:
    case EAFNOSUPPORT:
    case ENOSYS:
      return absl::StatusCode::kUnimplemented;
    case EINVAL:
      return absl::StatusCode::kInvalidArgument;
    case ETIMEDOUT:
      return absl::StatusCode::kDeadlineExceeded;
    case EBUSY:
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNRESET:
      return absl::StatusCode::kUnavailable;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnknown;
  }
}

absl::Status ErrnoError(int error, std::string_view text) {
  return MakeError(CodeOfErrno(error), fmt::format("{}: {} (errno {})", text,
                                                   std::generic_category().message(error), error));
}

absl::Status WithContext(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  return MakeError(status.code(), fmt::format("{}: {}", context, Message(status)));
}

}  // namespace roceready
