// SPDX-License-Identifier: Apache-2.0
#include "controller/store/sqlite_error.h"

#include <sqlite3.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

bool IsDiskFull(int code, int system_error) {
  if (code == SQLITE_FULL) return true;
  return (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) &&
         (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG);
}

}  // namespace

// The codes: https://www.sqlite.org/rescode.html
absl::Status ErrorOf(const std::filesystem::path& file, const SQLite::Exception& error,
                     int system_error) {
  const int code = error.getErrorCode() & 0xff;
  std::string said = error.what();
  if ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && system_error != 0) {
    said += fmt::format(" ({})", std::generic_category().message(system_error));
  }
  const auto make = [&](absl::StatusCode status, std::string_view what_to_do) {
    return MakeError(status, fmt::format("{}: {}: {}", file.string(), said, what_to_do));
  };
  if (IsDiskFull(code, system_error)) {
    return make(absl::StatusCode::kResourceExhausted, "make room on its file system");
  }
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make(absl::StatusCode::kUnavailable,
                  "another program writes to it; `fuser` names who: end it");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return make(
          absl::StatusCode::kDataLoss,
          "it is damaged, and was left as it is; stop the controller, then put a backup in its "
          "place, or move it away together with its -wal and -shm files to begin a new history "
          "(`sqlite3 FILE .recover` may still read it)");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return make(absl::StatusCode::kPermissionDenied,
                  "the controller's user must be able to write to it and to its directory");
    default:
      return make(absl::StatusCode::kInternal, "see the kernel's log and the disk");
  }
}

}  // namespace roceready
