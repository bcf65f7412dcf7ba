// SPDX-License-Identifier: Apache-2.0
#include "controller/store/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "controller/store/schema.h"
#include "controller/store/sqlite_error.h"
#include "proto/contract/errors.h"
#include "proto/process/descriptor.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

// A backup or a curious sqlite3(1) holds the file for moments.
constexpr int kBusyTimeoutMs = 2000;
// What a long log leaves behind; an audit of a large fleet makes one.
constexpr int kLogBytesKept = 64 << 20;

std::int64_t SinceEpoch(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

WallTime AtEpochPlus(std::int64_t nanoseconds) {
  return WallTime(std::chrono::nanoseconds(nanoseconds));
}

void BindMessage(SQLite::Statement& statement, int index,
                 const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  statement.bind(index, bytes.data(), static_cast<int>(bytes.size()));
}

absl::Status ReadMessage(const SQLite::Column& column, google::protobuf::MessageLite* message) {
  if (message->ParseFromArray(column.getBlob(), column.getBytes())) return absl::OkStatus();
  return DataLoss("a {} in column {} cannot be read", message->GetTypeName(), column.getName());
}

// In three columns from `first` on.
void BindMoment(SQLite::Statement& statement, int first, const KeptMoment& moment) {
  statement.bind(first, SinceEpoch(moment.wall));
  statement.bind(first + 1, moment.boot);
  statement.bind(first + 2, static_cast<std::int64_t>(moment.monotonic.time_since_epoch().count()));
}

KeptMoment MomentOf(SQLite::Statement& row, int first) {
  return {AtEpochPlus(row.getColumn(first).getInt64()), row.getColumn(first + 1).getString(),
          MonotonicTime(Duration(row.getColumn(first + 2).getInt64()))};
}

void BindId(SQLite::Statement& statement, const AuditId& id) {
  statement.bind(1, static_cast<std::int64_t>(id.epoch));
  statement.bind(2, static_cast<std::int64_t>(id.number));
}

AuditId IdOf(SQLite::Statement& statement) {
  return {static_cast<std::uint64_t>(statement.getColumn(0).getInt64()),
          static_cast<std::uint64_t>(statement.getColumn(1).getInt64())};
}

const google::protobuf::MessageLite& MessageOf(const v1::Finding& finding) { return finding; }
const google::protobuf::MessageLite& MessageOf(const std::shared_ptr<const v1::ProbeResult>& one) {
  return *one;
}

class SqliteStore final : public Store {
 public:
  SqliteStore(std::filesystem::path file, Descriptor lock)
      : file_(std::move(file)), lock_(std::move(lock)) {}

  absl::Status Open() {
    try {
      database_ = std::make_unique<SQLite::Database>(file_.string(), SQLite::OPEN_READWRITE,
                                                     kBusyTimeoutMs);
    } catch (const SQLite::Exception& error) {
      return ErrorOf(file_, error, errno);
    }
    return Try([&]() -> absl::Status {
      // Before anything is changed: the file may not be ours.
      RETURN_IF_ERROR(WithContext(BringUpToDate(database_.get()), file_.string()));
      database_->exec("PRAGMA journal_mode = WAL");
      database_->exec("PRAGMA synchronous = FULL");
      database_->exec("PRAGMA foreign_keys = ON");
      database_->exec(fmt::format("PRAGMA journal_size_limit = {}", kLogBytesKept));
      return absl::OkStatus();
    });
  }

  absl::Status BeginAudit(const AuditId& id, const v1::Audit& audit) override {
    return Write([&]() -> absl::Status {
      SQLite::Statement known(*database_, "SELECT 1 FROM audit WHERE epoch = ? AND number = ?");
      BindId(known, id);
      if (known.executeStep()) {
        return MakeError(absl::StatusCode::kAlreadyExists,
                         fmt::format("{} has an audit {} already", file_.string(), id.Text()));
      }
      SQLite::Statement insert(*database_,
                               "INSERT INTO audit (epoch, number, caller, request_id, ended, "
                               "message) VALUES (?, ?, ?, ?, 0, ?)");
      BindId(insert, id);
      insert.bind(3, audit.requested_by());
      insert.bind(4, audit.request().request_id());
      BindMessage(insert, 5, audit);
      insert.exec();
      return absl::OkStatus();
    });
  }

  absl::Status EndAudit(
      const AuditId& id, const v1::Audit& audit, const std::vector<v1::Finding>& findings,
      const std::vector<std::shared_ptr<const v1::ProbeResult>>& probe_results) override {
    return Write([&]() -> absl::Status {
      SQLite::Statement update(
          *database_, "UPDATE audit SET ended = 1, message = ?3 WHERE epoch = ?1 AND number = ?2");
      BindId(update, id);
      BindMessage(update, 3, audit);
      if (update.exec() == 0) {
        return NotFound("{} has no audit {}", file_.string(), id.Text());
      }
      PutRows(id, "DELETE FROM finding WHERE epoch = ? AND number = ?",
              "INSERT INTO finding VALUES (?, ?, ?, ?)", findings);
      PutRows(id, "DELETE FROM probe_result WHERE epoch = ? AND number = ?",
              "INSERT INTO probe_result VALUES (?, ?, ?, ?)", probe_results);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<KeptAudit>> NewestAudits(std::size_t count) override {
    return Try([&]() -> absl::StatusOr<std::vector<KeptAudit>> {
      SQLite::Statement query(*database_,
                              "SELECT epoch, number, ended, message FROM audit "
                              "WHERE ended = 0 OR (epoch, number) IN (SELECT epoch, number "
                              "FROM audit ORDER BY epoch DESC, number DESC LIMIT ?) "
                              "ORDER BY epoch DESC, number DESC");
      query.bind(1, static_cast<std::int64_t>(count));
      std::vector<KeptAudit> audits;
      while (query.executeStep()) {
        ASSIGN_OR_RETURN(audits.emplace_back(), ReadAudit(query));
      }
      return audits;
    });
  }

  absl::StatusOr<std::optional<KeptAudit>> FindAudit(const AuditId& id) override {
    return Try([&]() -> absl::StatusOr<std::optional<KeptAudit>> {
      SQLite::Statement query(
          *database_,
          "SELECT epoch, number, ended, message FROM audit WHERE epoch = ? AND number = ?");
      BindId(query, id);
      if (!query.executeStep()) return std::nullopt;
      return ReadAudit(query);
    });
  }

  absl::StatusOr<std::optional<AuditId>> FindRequest(const std::string& caller,
                                                     const std::string& request_id) override {
    return Try([&]() -> absl::StatusOr<std::optional<AuditId>> {
      SQLite::Statement query(*database_,
                              "SELECT epoch, number FROM audit "
                              "WHERE caller = ? AND request_id = ? AND request_id <> '' "
                              "ORDER BY epoch DESC, number DESC LIMIT 1");
      query.bind(1, caller);
      query.bind(2, request_id);
      if (!query.executeStep()) return std::nullopt;
      return IdOf(query);
    });
  }

  absl::StatusOr<std::size_t> ForgetAudits(std::size_t kept, std::size_t at_most) override {
    std::size_t gone = 0;
    RETURN_IF_ERROR(Write([&]() -> absl::Status {
      const auto there =
          static_cast<std::size_t>(database_->execAndGet("SELECT count(*) FROM audit").getInt64());
      if (there <= kept) return absl::OkStatus();
      SQLite::Statement forget(*database_,
                               "DELETE FROM audit WHERE (epoch, number) IN (SELECT epoch, number "
                               "FROM audit WHERE ended = 1 ORDER BY epoch, number LIMIT ?)");
      forget.bind(1, static_cast<std::int64_t>(std::min(at_most, there - kept)));
      gone = static_cast<std::size_t>(forget.exec());
      return absl::OkStatus();
    }));
    return gone;
  }

  absl::Status PutSwitches(const std::vector<KeptSwitch>& switches) override {
    return Write([&]() -> absl::Status {
      SQLite::Statement put(*database_,
                            "INSERT OR REPLACE INTO switch (name, imported_at, boot, monotonic, "
                            "imported_by, message) VALUES (?, ?, ?, ?, ?, ?)");
      for (const KeptSwitch& one : switches) {
        put.reset();
        put.bind(1, one.facts->name());
        BindMoment(put, 2, one.imported_at);
        put.bind(5, one.imported_by);
        BindMessage(put, 6, *one.facts);
        put.exec();
      }
      return absl::OkStatus();
    });
  }

  absl::Status RemoveSwitch(const std::string& name) override {
    return Remove("DELETE FROM switch WHERE name = ?", name);
  }

  absl::StatusOr<std::vector<KeptSwitch>> Switches() override {
    return Try([&]() -> absl::StatusOr<std::vector<KeptSwitch>> {
      SQLite::Statement query(*database_,
                              "SELECT imported_at, boot, monotonic, imported_by, message "
                              "FROM switch ORDER BY name");
      std::vector<KeptSwitch> switches;
      while (query.executeStep()) {
        auto facts = std::make_shared<v1::SwitchFacts>();
        RETURN_IF_ERROR(Read(query.getColumn(4), facts.get()));
        switches.push_back({std::move(facts), MomentOf(query, 0), query.getColumn(3).getString()});
      }
      return switches;
    });
  }

  absl::Status PutFacts(const std::vector<KeptFacts>& facts,
                        const std::vector<v1::Event>& events) override {
    return Write([&]() -> absl::Status {
      // An update in place: of a long row only the pages that differ are written.
      SQLite::Statement put(
          *database_,
          "INSERT INTO host_facts (host, read_at, boot, monotonic, message) VALUES (?, ?, ?, ?, ?) "
          "ON CONFLICT (host) DO UPDATE SET read_at = excluded.read_at, boot = excluded.boot, "
          "monotonic = excluded.monotonic, message = excluded.message");
      for (const KeptFacts& one : facts) {
        put.reset();
        put.bind(1, one.host);
        BindMoment(put, 2, one.read_at);
        BindMessage(put, 5, one.facts);
        put.exec();
      }
      SQLite::Statement add(*database_, "INSERT INTO event (at, host, message) VALUES (?, ?, ?)");
      for (const v1::Event& event : events) {
        add.reset();
        add.bind(1, SinceEpoch(FromProto(event.at())));
        add.bind(2, event.host());
        BindMessage(add, 3, event);
        add.exec();
      }
      return absl::OkStatus();
    });
  }

  absl::Status ConfirmFacts(const std::vector<FactsRead>& read) override {
    return Write([&]() -> absl::Status {
      SQLite::Statement update(
          *database_,
          "UPDATE host_facts SET read_at = ?2, boot = ?3, monotonic = ?4 WHERE host = ?1");
      for (const FactsRead& one : read) {
        update.reset();
        update.bind(1, one.host);
        BindMoment(update, 2, one.read_at);
        update.exec();
      }
      return absl::OkStatus();
    });
  }

  absl::Status ForgetFacts(const std::vector<std::string>& hosts) override {
    return Write([&]() -> absl::Status {
      for (const std::string& host : hosts) {
        RETURN_IF_ERROR(Remove("DELETE FROM host_facts WHERE host = ?", host));
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<KeptFacts>> LatestFacts() override {
    return Try([&]() -> absl::StatusOr<std::vector<KeptFacts>> {
      SQLite::Statement query(
          *database_,
          "SELECT read_at, boot, monotonic, host, message FROM host_facts ORDER BY host");
      std::vector<KeptFacts> all;
      while (query.executeStep()) {
        KeptFacts& one = all.emplace_back();
        one.host = query.getColumn(3).getString();
        one.read_at = MomentOf(query, 0);
        RETURN_IF_ERROR(Read(query.getColumn(4), &one.facts));
      }
      return all;
    });
  }

  absl::Status PutMaintenance(const std::vector<v1::MaintenanceMark>& marks,
                              WallTime now) override {
    return Write([&]() -> absl::Status {
      SQLite::Statement forget(*database_, "DELETE FROM maintenance WHERE until <= ?");
      forget.bind(1, SinceEpoch(now));
      forget.exec();
      SQLite::Statement put(
          *database_, "INSERT OR REPLACE INTO maintenance (host, until, message) VALUES (?, ?, ?)");
      for (const v1::MaintenanceMark& mark : marks) {
        put.reset();
        put.bind(1, mark.host());
        put.bind(2, SinceEpoch(FromProto(mark.until())));
        BindMessage(put, 3, mark);
        put.exec();
      }
      return absl::OkStatus();
    });
  }

  absl::Status RemoveMaintenance(const std::vector<std::string>& hosts) override {
    return Write([&]() -> absl::Status {
      SQLite::Statement remove(*database_, "DELETE FROM maintenance WHERE host = ?");
      for (const std::string& host : hosts) {
        remove.reset();
        remove.bind(1, host);
        remove.exec();
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<v1::MaintenanceMark>> Maintenance() override {
    return Try([&]() -> absl::StatusOr<std::vector<v1::MaintenanceMark>> {
      SQLite::Statement query(*database_, "SELECT message FROM maintenance ORDER BY host");
      std::vector<v1::MaintenanceMark> marks;
      while (query.executeStep()) {
        RETURN_IF_ERROR(Read(query.getColumn(0), &marks.emplace_back()));
      }
      return marks;
    });
  }

  absl::StatusOr<EventPage> Events(const EventQuery& query) override {
    return Try([&]() -> absl::StatusOr<EventPage> {
      SQLite::Statement rows(*database_,
                             "SELECT number, at, host, message FROM event WHERE number > ? "
                             "ORDER BY number LIMIT ?");
      rows.bind(1, static_cast<std::int64_t>(query.after));
      rows.bind(2, static_cast<std::int64_t>(kEventsLookedAt));
      EventPage page;
      page.last = query.after;
      std::size_t looked_at = 0;
      while (page.events.size() < query.at_most && rows.executeStep()) {
        ++looked_at;
        page.last = static_cast<std::uint64_t>(rows.getColumn(0).getInt64());
        if (AtEpochPlus(rows.getColumn(1).getInt64()) < query.since) continue;
        if (query.of_host && !query.of_host(rows.getColumn(2).getString())) continue;
        v1::Event& event = page.events.emplace_back();
        RETURN_IF_ERROR(Read(rows.getColumn(3), &event));
        event.set_number(page.last);
      }
      const bool is_end = page.events.size() < query.at_most && looked_at < kEventsLookedAt;
      if (!is_end) page.next_after = page.last;
      return page;
    });
  }

  absl::StatusOr<std::size_t> ForgetEvents(std::size_t kept, std::size_t at_most) override {
    std::size_t gone = 0;
    RETURN_IF_ERROR(Write([&]() -> absl::Status {
      // Numbers follow one another: no row is counted.
      SQLite::Statement forget(*database_,
                               "DELETE FROM event WHERE number IN (SELECT number FROM event "
                               "WHERE number <= (SELECT max(number) FROM event) - ? "
                               "ORDER BY number LIMIT ?)");
      forget.bind(1, static_cast<std::int64_t>(kept));
      forget.bind(2, static_cast<std::int64_t>(at_most));
      gone = static_cast<std::size_t>(forget.exec());
      return absl::OkStatus();
    }));
    return gone;
  }

  absl::Status CheckIntegrity() override {
    return Try([&]() -> absl::Status {
      SQLite::Statement check(*database_, "PRAGMA integrity_check(1)");
      check.executeStep();
      const std::string said = check.getColumn(0).getString();
      if (said == "ok") return absl::OkStatus();
      return DataLoss("{} is damaged: {}", file_.string(), said);
    });
  }

 private:
  template <typename Call>
  std::invoke_result_t<Call> Try(Call&& call) {
    errno = 0;
    try {
      return call();
    } catch (const SQLite::Exception& error) {
      // sqlite3_system_errno() has none of a write to the log.
      return ErrorOf(file_, error, errno);
    }
  }

  // All that the call does, or nothing. From its begin on nobody else writes: it does not fail
  // half-way for that.
  template <typename Call>
  absl::Status Write(Call&& call) {
    return Try([&]() -> absl::Status {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      // Once more: the rollback would overwrite errno.
      return Try([&]() -> absl::Status {
        RETURN_IF_ERROR(call());
        transaction.commit();
        return absl::OkStatus();
      });
    });
  }

  absl::Status Remove(const char* statement, const std::string& key) {
    return Try([&]() -> absl::Status {
      SQLite::Statement remove(*database_, statement);
      remove.bind(1, key);
      remove.exec();
      return absl::OkStatus();
    });
  }

  template <typename Rows>
  void PutRows(const AuditId& id, const char* remove, const char* insert, const Rows& rows) {
    SQLite::Statement old(*database_, remove);
    BindId(old, id);
    old.exec();
    SQLite::Statement row(*database_, insert);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      row.reset();
      BindId(row, id);
      row.bind(3, static_cast<std::int64_t>(i));
      BindMessage(row, 4, MessageOf(rows[i]));
      row.exec();
    }
  }

  absl::Status Read(const SQLite::Column& column, google::protobuf::MessageLite* message) const {
    return WithContext(ReadMessage(column, message), file_.string());
  }

  // Of a row with epoch, number, ended and message.
  absl::StatusOr<KeptAudit> ReadAudit(SQLite::Statement& row) {
    KeptAudit kept;
    kept.id = IdOf(row);
    kept.ended = row.getColumn(2).getInt() != 0;
    RETURN_IF_ERROR(Read(row.getColumn(3), &kept.audit));
    SQLite::Statement findings(
        *database_, "SELECT message FROM finding WHERE epoch = ? AND number = ? ORDER BY position");
    BindId(findings, kept.id);
    while (findings.executeStep()) {
      RETURN_IF_ERROR(Read(findings.getColumn(0), &kept.findings.emplace_back()));
    }
    SQLite::Statement results(
        *database_,
        "SELECT message FROM probe_result WHERE epoch = ? AND number = ? ORDER BY position");
    BindId(results, kept.id);
    while (results.executeStep()) {
      auto result = std::make_shared<v1::ProbeResult>();
      RETURN_IF_ERROR(Read(results.getColumn(0), result.get()));
      kept.probe_results.push_back(std::move(result));
    }
    return kept;
  }

  const std::filesystem::path file_;
  // Outlives the database: closing a descriptor of a file drops SQLite's own locks on it (POSIX).
  const Descriptor lock_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::filesystem::path& file) {
  Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) return ErrnoError(errno, fmt::format("cannot open {}", file.string()));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return ErrnoError(errno, fmt::format("cannot lock {}", file.string()));
    }
    return Unavailable(
        "another controller has {} open; stop it, or give this one its own state_directory",
        file.string());
  }
  auto store = std::make_unique<SqliteStore>(file, std::move(lock));
  RETURN_IF_ERROR(store->Open());
  return store;
}

}  // namespace roceready
