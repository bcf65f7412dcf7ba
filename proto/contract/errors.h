// SPDX-License-Identifier: Apache-2.0
// Builds absl::Status from std::string_view and fmt formats. House rule: errors are absl::Status or
// absl::StatusOr; a message says what, where and what to do; no exception crosses a module.
// (absl::string_view is a type of its own in Debian's abseil, hence these helpers.)
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace roceready {

absl::Status MakeError(absl::StatusCode code, std::string_view text);

// The message of a status as a std::string_view (it lives as long as the status).
inline std::string_view Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// The status code for an errno: EPERM/EACCES -> kPermissionDenied, ENOENT/ENODEV -> kNotFound,
// EOPNOTSUPP -> kUnimplemented, ETIMEDOUT -> kDeadlineExceeded, EBUSY -> kUnavailable ...
absl::StatusCode CodeOfErrno(int error);

// "TEXT: No such file or directory (errno 2)" with the code of the errno; ErrnoOf() gives it back.
absl::Status ErrnoError(int error, std::string_view text);

// The errno that a status from ErrnoError (or one derived by WithContext) was made of.
std::optional<int> ErrnoOf(const absl::Status& status);

// What the kernel itself said about a refused request (netlink extended acknowledgement), carried
// beside the message; empty where it said nothing.
absl::Status WithKernelText(absl::Status status, std::string_view kernel_text);
std::string KernelTextOf(const absl::Status& status);

// The same status with "CONTEXT: " before its message; OK stays OK; errno and kernel text stay.
absl::Status WithContext(const absl::Status& status, std::string_view context);

template <typename... Args>
absl::Status InvalidArgument(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kInvalidArgument,
                   fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status NotFound(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kNotFound, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status FailedPrecondition(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status Unavailable(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kUnavailable,
                   fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status PermissionDenied(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kPermissionDenied,
                   fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status DeadlineExceeded(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kDeadlineExceeded,
                   fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status Unimplemented(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kUnimplemented,
                   fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status DataLoss(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kDataLoss, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status Internal(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(absl::StatusCode::kInternal, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace roceready

#define ROCEREADY_CONCAT_INNER(a, b) a##b
#define ROCEREADY_CONCAT(a, b) ROCEREADY_CONCAT_INNER(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): `target` may be a declaration, `holder` is a name.

// Returns the status from the calling function unless it is OK.
#define RETURN_IF_ERROR(expression) \
  if (absl::Status status_of_call = (expression); !status_of_call.ok()) return status_of_call

// Declares or assigns `target` from a StatusOr, or returns its status.
#define ASSIGN_OR_RETURN(target, expression) \
  ASSIGN_OR_RETURN_INNER(ROCEREADY_CONCAT(status_or_, __LINE__), target, expression)
#define ASSIGN_OR_RETURN_INNER(holder, target, expression) \
  auto holder = (expression);                              \
  if (!holder.ok()) return holder.status();                \
  target = *std::move(holder)

// NOLINTEND(bugprone-macro-parentheses)
