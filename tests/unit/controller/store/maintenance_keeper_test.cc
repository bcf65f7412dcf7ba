// SPDX-License-Identifier: Apache-2.0
#include "controller/store/maintenance_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/store/sqlite_store.h"
#include "proto/process/durations.h"
#include "tests/support/held_worker.h"
#include "tests/support/temporary_directory.h"

namespace roceready {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const WallTime kNow{seconds(1'800'000'000)};

v1::MaintenanceMark MarkOf(const std::string& host) {
  v1::MaintenanceMark mark;
  mark.set_host(host);
  mark.set_reason("new optics");
  *mark.mutable_until() = ToProto(kNow + seconds(60));
  return mark;
}

class MaintenanceKeeperTest : public testing::Test {
 protected:
  MaintenanceKeeper::Done Note() {
    return [this](const absl::Status& status) { answers_.push_back(status.code()); };
  }

  std::vector<std::string> OnDisk() {
    std::vector<std::string> hosts;
    const auto marks = store_->Maintenance();
    EXPECT_TRUE(marks.ok()) << marks.status();
    for (const v1::MaintenanceMark& mark : *marks) hosts.push_back(mark.host());
    return hosts;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_ = OpenSqliteStore(directory_.path() + "/store").value();
  HeldWorker worker_;
  MaintenanceKeeper keeper_{&worker_, store_.get()};
  std::vector<absl::StatusCode> answers_;
};

TEST_F(MaintenanceKeeperTest, AnswersOnceItIsOnDiskInOrder) {
  keeper_.Put({MarkOf("h1"), MarkOf("h2")}, kNow, Note());
  keeper_.Remove({"h1"}, Note());
  EXPECT_THAT(answers_, IsEmpty());
  worker_.DoAll();
  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kOk, absl::StatusCode::kOk));
  EXPECT_THAT(OnDisk(), ElementsAre("h2"));
}

TEST_F(MaintenanceKeeperTest, RefusesMoreThanMayWait) {
  for (std::size_t i = 0; i < MaintenanceKeeper::kMaxWaiting; ++i) {
    keeper_.Put({MarkOf("h1")}, kNow, Note());
  }
  EXPECT_THAT(answers_, IsEmpty());
  keeper_.Remove({"h1"}, Note());
  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kResourceExhausted));
  worker_.DoAll();
  EXPECT_THAT(OnDisk(), ElementsAre("h1"));
  keeper_.Remove({"h1"}, Note());
  worker_.DoAll();
  EXPECT_THAT(OnDisk(), IsEmpty());
}

}  // namespace
}  // namespace roceready
