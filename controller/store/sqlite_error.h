// SPDX-License-Identifier: Apache-2.0
// What to do about an error of SQLite.
#pragma once

#include <SQLiteCpp/Exception.h>
#include <absl/status/status.h>

#include <filesystem>

namespace roceready {

// Names the file. `system_error`: errno, 0 where there is none.
absl::Status ErrorOf(const std::filesystem::path& file, const SQLite::Exception& error,
                     int system_error);

}  // namespace roceready
