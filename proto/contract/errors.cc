// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/errors.h"

#include <absl/strings/cord.h>

#include <cerrno>
#include <charconv>
#include <system_error>

namespace roceready {
namespace {

constexpr absl::string_view kErrnoPayload = "roceready/errno";
constexpr absl::string_view kKernelTextPayload = "roceready/kernel-text";

}  // namespace

absl::Status MakeError(absl::StatusCode code, std::string_view text) {
  return absl::Status(code, absl::string_view(text.data(), text.size()));
}

absl::StatusCode CodeOfErrno(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
    case EROFS:
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
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnknown;
  }
}

absl::Status ErrnoError(int error, std::string_view text) {
  absl::Status status = MakeError(
      CodeOfErrno(error),
      fmt::format("{}: {} (errno {})", text, std::generic_category().message(error), error));
  // By string_view: clang gives the std::string constructor another symbol than Debian's g++ did.
  const std::string digits = std::to_string(error);
  status.SetPayload(kErrnoPayload, absl::Cord(absl::string_view(digits)));
  return status;
}

std::optional<int> ErrnoOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrnoPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string digits(*payload);
  int error = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), error);
  if (result.ec != std::errc()) return std::nullopt;
  return error;
}

absl::Status WithKernelText(absl::Status status, std::string_view kernel_text) {
  if (!status.ok() && !kernel_text.empty()) {
    status.SetPayload(kKernelTextPayload,
                      absl::Cord(absl::string_view(kernel_text.data(), kernel_text.size())));
  }
  return status;
}

std::string KernelTextOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kKernelTextPayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

absl::Status WithContext(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status result = MakeError(status.code(), fmt::format("{}: {}", context, Message(status)));
  status.ForEachPayload([&result](absl::string_view url, const absl::Cord& payload) {
    result.SetPayload(url, payload);
  });
  return result;
}

}  // namespace roceready
