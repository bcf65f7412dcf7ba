// SPDX-License-Identifier: Apache-2.0
#include "controller/store/sqlite_store.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "controller/store/schema.h"
#include "proto/contract/errors.h"
#include "tests/support/temporary_directory.h"

namespace roceready {
namespace {

using testing::AllOf, testing::HasSubstr;

// No file of this process may grow beyond: to a program, a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

class SqliteStoreTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Store>> Open() const { return OpenSqliteStore(file_); }

  // The file in other hands, while no store has it.
  void Run(const std::string& statement) const {
    SQLite::Database(file_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(statement);
  }

  static absl::Status Begin(Store& store, std::uint64_t number, std::size_t bytes = 10) {
    v1::Audit audit;
    audit.mutable_request()->set_hosts(std::string(bytes, 'h'));
    return store.BeginAudit({7, number}, audit);
  }

  static std::string TextOf(const absl::Status& status) { return std::string(Message(status)); }

  TemporaryDirectory directory_;
  const std::string file_ = directory_.File(kStoreFileName);
};

TEST_F(SqliteStoreTest, TheFileIsOfItsOwnerAlone) {
  ASSERT_TRUE(Open().ok());
  struct stat about{};
  ASSERT_EQ(stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
}

TEST_F(SqliteStoreTest, CommitsToAWriteAheadLogThatIsSynced) {
  auto store = Open();
  ASSERT_TRUE(store.ok());
  SQLite::Database other(file_);
  EXPECT_EQ(other.execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(other.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
  EXPECT_EQ(other.execAndGet("PRAGMA user_version").getInt(), SchemaVersion());
}

TEST_F(SqliteStoreTest, CanBeReadByOthersWhileItIsInUse) {
  auto store = Open();
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(Begin(**store, 1).ok());
  SQLite::Database backup(file_);
  EXPECT_EQ(backup.execAndGet("SELECT count(*) FROM audit").getInt(), 1);
}

TEST_F(SqliteStoreTest, AFullDiskIsSaidAndOvercome) {
  auto store = Open();
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(Begin(**store, 1).ok());
  std::uint64_t number = 1;
  absl::Status status;
  {
    const FullDisk full(256 << 10);
    while (status.ok() && number < 100) status = Begin(**store, ++number, 20 << 10);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(TextOf(status), AllOf(HasSubstr(file_), HasSubstr("make room")));
  EXPECT_TRUE(Begin(**store, number).ok()) << "there is room again";
  EXPECT_EQ((*store)->NewestAudits(1000)->size(), number);
  EXPECT_TRUE((*store)->CheckIntegrity().ok());
}

TEST_F(SqliteStoreTest, RefusesTheFileOfANewerProgramAndLeavesItAlone) {
  ASSERT_TRUE(Open().ok());
  Run("PRAGMA user_version = 99");
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(TextOf(store.status()),
              AllOf(HasSubstr(file_), HasSubstr("newer"), HasSubstr("version 99")));
  EXPECT_EQ(SQLite::Database(file_).execAndGet("PRAGMA user_version").getInt(), 99);
}

TEST_F(SqliteStoreTest, BringsTheFileOfTheFirstProgramUpToDate) {
  Run(R"(
CREATE TABLE audit (epoch INTEGER NOT NULL, number INTEGER NOT NULL, caller TEXT NOT NULL,
  request_id TEXT NOT NULL, ended INTEGER NOT NULL, message BLOB NOT NULL,
  PRIMARY KEY (epoch, number));
CREATE TABLE finding (epoch INTEGER, number INTEGER, position INTEGER, message BLOB,
  PRIMARY KEY (epoch, number, position)) WITHOUT ROWID;
CREATE TABLE probe_result (epoch INTEGER, number INTEGER, position INTEGER, message BLOB,
  PRIMARY KEY (epoch, number, position)) WITHOUT ROWID;
CREATE TABLE switch (name TEXT PRIMARY KEY NOT NULL, imported_at INTEGER NOT NULL,
  imported_by TEXT NOT NULL, message BLOB NOT NULL);
CREATE TABLE host_facts (host TEXT PRIMARY KEY NOT NULL, received_at INTEGER NOT NULL,
  message BLOB NOT NULL);
INSERT INTO audit VALUES (7, 1, 'alice', '', 1, x'');
PRAGMA user_version = 1;
)");
  Run(fmt::format("PRAGMA application_id = {}", kApplicationId));
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->NewestAudits(9)->size(), 1u);
  KeptFacts facts;
  facts.host = "gpu1";
  v1::Event event;
  event.set_host("gpu1");
  const absl::Status put = (*store)->PutFacts({facts}, {event});
  EXPECT_TRUE(put.ok()) << put;
  EXPECT_EQ((*store)->LatestFacts()->size(), 1u);
  EXPECT_EQ((*store)->Events({})->events.size(), 1u);
}

TEST_F(SqliteStoreTest, RefusesTheDatabaseOfAnotherProgram) {
  Run("CREATE TABLE songs (title TEXT)");
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(TextOf(store.status()), AllOf(HasSubstr(file_), HasSubstr("another program")));
  EXPECT_EQ(SQLite::Database(file_).execAndGet("PRAGMA journal_mode").getString(), "delete");
}

TEST_F(SqliteStoreTest, RefusesAFileThatIsNoDatabaseAndSaysHowToGoOn) {
  std::ofstream(file_) << std::string(5000, 'x');
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(TextOf(store.status()),
              AllOf(HasSubstr(file_), HasSubstr("backup"), HasSubstr("move it away")));
  EXPECT_EQ(std::filesystem::file_size(file_), 5000u) << "left as it was";
}

TEST_F(SqliteStoreTest, SaysThatAPageIsDamaged) {
  {
    auto store = Open();
    ASSERT_TRUE(store.ok());
    for (std::uint64_t number = 1; number < 50; ++number) {
      ASSERT_TRUE(Begin(**store, number, 2000).ok());
    }
  }
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t page = 2; page * 4096 < std::filesystem::file_size(file_); ++page) {
      file.seekp(static_cast<std::streamoff>(page * 4096));
      file << std::string(300, '\xff');
    }
  }
  auto store = Open();
  absl::Status status = store.status();
  if (status.ok()) status = (*store)->NewestAudits(100).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  if (store.ok()) {
    EXPECT_EQ((*store)->CheckIntegrity().code(), absl::StatusCode::kDataLoss);
  }
}

TEST_F(SqliteStoreTest, AMessageThatIsNoneIsDamage) {
  auto store = Open();
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(Begin(**store, 1).ok());
  Run("UPDATE audit SET message = x'ffff'");
  const auto audits = (*store)->NewestAudits(1);
  EXPECT_EQ(audits.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(TextOf(audits.status()), AllOf(HasSubstr(file_), HasSubstr("roceready.v1.Audit")));
}

TEST_F(SqliteStoreTest, OneControllerAtATimeHasTheFile) {
  {
    const auto first = Open();
    ASSERT_TRUE(first.ok());
    const auto second = Open();
    EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(TextOf(second.status()), HasSubstr("another controller"));
    EXPECT_TRUE(Begin(**first, 1).ok());
  }
  EXPECT_TRUE(Open().ok());
}

TEST_F(SqliteStoreTest, SaysThatAnotherProgramWrites) {
  auto store = Open();
  ASSERT_TRUE(store.ok());
  SQLite::Database other(file_, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  const absl::Status status = Begin(**store, 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(TextOf(status), HasSubstr("another program writes"));
  other.exec("ROLLBACK");
  EXPECT_TRUE(Begin(**store, 1).ok());
}

TEST_F(SqliteStoreTest, SaysWhichFileCannotBeMade) {
  const auto store = OpenSqliteStore(directory_.File("nowhere/roceready.db"));
  EXPECT_EQ(store.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(TextOf(store.status()), HasSubstr("nowhere/roceready.db"));
}

}  // namespace
}  // namespace roceready
