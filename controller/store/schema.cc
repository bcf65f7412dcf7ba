// SPDX-License-Identifier: Apache-2.0
#include "controller/store/schema.h"

#include <SQLiteCpp/Transaction.h>

#include <iterator>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

// Each step as it once was released: a change is a new step at the end.
constexpr const char* kSteps[] = {
    // 1. Findings and probe results lie apart from their audit, a row each: a list of audits reads
    // none of them.
    R"(
CREATE TABLE audit (
  epoch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  caller TEXT NOT NULL,
  request_id TEXT NOT NULL,
  ended INTEGER NOT NULL,
  message BLOB NOT NULL,            -- roceready.v1.Audit
  PRIMARY KEY (epoch, number)
);
CREATE INDEX audit_by_request ON audit (caller, request_id) WHERE request_id <> '';
CREATE TABLE finding (
  epoch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  message BLOB NOT NULL,            -- roceready.v1.Finding
  PRIMARY KEY (epoch, number, position),
  FOREIGN KEY (epoch, number) REFERENCES audit (epoch, number) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE probe_result (
  epoch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  message BLOB NOT NULL,            -- roceready.v1.ProbeResult
  PRIMARY KEY (epoch, number, position),
  FOREIGN KEY (epoch, number) REFERENCES audit (epoch, number) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE switch (
  name TEXT PRIMARY KEY NOT NULL,
  imported_at INTEGER NOT NULL,     -- nanoseconds since 1970
  imported_by TEXT NOT NULL,
  message BLOB NOT NULL             -- roceready.v1.SwitchFacts
);
CREATE TABLE host_facts (
  host TEXT PRIMARY KEY NOT NULL,
  received_at INTEGER NOT NULL,     -- nanoseconds since 1970
  message BLOB NOT NULL             -- roceready.v1.HostFacts
);
)",
    // 2. Moments as KeptMoment has them. Nobody had written to these two tables before.
    R"(
DROP TABLE switch;
CREATE TABLE switch (
  name TEXT PRIMARY KEY NOT NULL,
  imported_at INTEGER NOT NULL,     -- nanoseconds since 1970
  boot TEXT NOT NULL,
  monotonic INTEGER NOT NULL,       -- the same moment by that boot's clock, in nanoseconds
  imported_by TEXT NOT NULL,
  message BLOB NOT NULL             -- roceready.v1.SwitchFacts
);
DROP TABLE host_facts;
CREATE TABLE host_facts (
  host TEXT PRIMARY KEY NOT NULL,
  read_at INTEGER NOT NULL,         -- nanoseconds since 1970: what was read longest ago
  boot TEXT NOT NULL,
  monotonic INTEGER NOT NULL,
  message BLOB NOT NULL             -- roceready.v1.HostFacts
);
)",
    // 3. A number is never given twice, whatever is forgotten.
    R"(
CREATE TABLE event (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,              -- nanoseconds since 1970
  host TEXT NOT NULL,
  message BLOB NOT NULL             -- roceready.v1.Event without its number
);
)",
    // 4.
    R"(
CREATE TABLE maintenance (
  host TEXT PRIMARY KEY NOT NULL,
  until INTEGER NOT NULL,           -- nanoseconds since 1970
  message BLOB NOT NULL             -- roceready.v1.MaintenanceMark
);
)",
};

int Number(SQLite::Database& database, const char* query) {
  return database.execAndGet(query).getInt();
}

}  // namespace

int SchemaVersion() { return static_cast<int>(std::size(kSteps)); }

absl::Status BringUpToDate(SQLite::Database* database) {
  SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
  const int application = Number(*database, "PRAGMA application_id");
  const int tables = Number(*database, "SELECT count(*) FROM sqlite_schema");
  if (application != kApplicationId && (application != 0 || tables != 0)) {
    return FailedPrecondition(
        "it is the database of another program; move it elsewhere, or give the controller another "
        "state_directory");
  }
  const int version = Number(*database, "PRAGMA user_version");
  if (version > SchemaVersion()) {
    return FailedPrecondition(
        "a newer roceready-controller wrote it (version {} of its tables, this program knows {}): "
        "start that one again, or move the file elsewhere to begin a new history",
        version, SchemaVersion());
  }
  if (version == SchemaVersion()) return absl::OkStatus();
  for (int step = version; step < SchemaVersion(); ++step) database->exec(kSteps[step]);
  database->exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database->exec(fmt::format("PRAGMA user_version = {}", SchemaVersion()));
  transaction.commit();
  return absl::OkStatus();
}

}  // namespace roceready
