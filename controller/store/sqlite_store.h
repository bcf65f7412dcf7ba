// SPDX-License-Identifier: Apache-2.0
// The store in one SQLite file, for one controller: write-ahead log, every commit on disk before
// its call returns. The file may be read by others meanwhile (`sqlite3 FILE ".backup COPY"`).
#pragma once

#include <filesystem>
#include <memory>

#include "controller/store/store.h"

namespace roceready {

// The file's name in the state directory.
inline constexpr char kStoreFileName[] = "roceready.db";

// Makes the file (mode 0600) where it is missing and brings an older one up to date. Holds a lock
// on it (flock) for the life of the store: kUnavailable when another controller has it.
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::filesystem::path& file);

}  // namespace roceready
