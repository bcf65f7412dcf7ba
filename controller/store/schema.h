// SPDX-License-Identifier: Apache-2.0
// The tables of the SQLite store, as the steps that make them: a file remembers how many of the
// steps it has seen (user_version), and a newer program takes it through the rest.
#pragma once

#include <SQLiteCpp/Database.h>
#include <absl/status/status.h>

namespace roceready {

// "RoCE": marks a file as ours (application_id), for file(1) and against a wrong path.
inline constexpr int kApplicationId = 0x526f4345;

// Steps that this program knows.
int SchemaVersion();

// Makes the tables, or brings older ones up to date, in one transaction. kFailedPrecondition: the
// file is of a newer program or of another one, and is left as it is. Throws SQLite::Exception.
absl::Status BringUpToDate(SQLite::Database* database);

}  // namespace roceready
