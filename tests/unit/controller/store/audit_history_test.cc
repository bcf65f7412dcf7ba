// SPDX-License-Identifier: Apache-2.0
// A controller's audits, its store and its next start together.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "controller/store/audit_keeper.h"
#include "controller/store/sqlite_store.h"
#include "controller/verdict/recent_probes.h"
#include "proto/contract/host_list.h"
#include "tests/support/controller_world.h"
#include "tests/support/temporary_directory.h"

namespace roceready {
namespace {

using google::protobuf::util::MessageDifferencer;
using std::chrono::milliseconds;

class AuditHistoryTest : public testing::Test {
 protected:
  AuditHistoryTest() {
    for (std::uint32_t number : {1, 2, 3}) world_.Connect(fmt::format("h{}", number), number);
    Start(7);
  }

  // Ends the controller, if there is one, and starts the next.
  void Start(std::uint64_t epoch) {
    book_.reset();
    keeper_.reset();
    store_.reset();
    auto opened = OpenSqliteStore(directory_.File(kStoreFileName));
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    keeper_ = std::make_unique<AuditKeeper>(
        AuditKeeper::Tools{.loop = &world_.loop, .worker = &world_.worker, .store = store_.get()});
    book_ = std::make_unique<AuditBook>(AuditTools{.loop = &world_.loop,
                                                   .fleet = &world_.fleet,
                                                   .worker = &world_.worker,
                                                   .prober = &world_.prober,
                                                   .switches = &world_.switches},
                                        keeper_.get(), AuditBook::Options{.epoch = epoch});
    auto kept = store_->NewestAudits(100);
    ASSERT_TRUE(kept.ok()) << kept.status();
    book_->Restore(*std::move(kept));
    world_.loop.RunPending();
  }

  std::shared_ptr<AuditRun> Create() {
    std::shared_ptr<AuditRun> created;
    book_->Create(ControllerWorld::Ask("h[1-3]"), ExpandHostList("h[1-3]").value(),
                  world_.policies.Find("lab"), "alice",
                  [&](absl::StatusOr<std::shared_ptr<AuditRun>> audit) {
                    ASSERT_TRUE(audit.ok()) << audit.status();
                    created = *std::move(audit);
                  });
    world_.loop.RunPending();
    return created;
  }

  TemporaryDirectory directory_;
  ControllerWorld world_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<AuditKeeper> keeper_;
  std::unique_ptr<AuditBook> book_;
};

TEST_F(AuditHistoryTest, AnAuditAndItsProbesCountAfterARestart) {
  const auto before = Create();
  ASSERT_NE(before, nullptr);
  for (int i = 0; i < 3000 && !before->ended(); ++i) world_.Pass(milliseconds(100));
  ASSERT_EQ(before->audit().state(), v1::AUDIT_STATE_DONE);
  ASSERT_FALSE(before->probe_results().empty());

  Start(8);
  const auto after = book_->Find("a7-1").value();
  EXPECT_TRUE(MessageDifferencer::Equals(after->audit(), before->audit()));
  ASSERT_EQ(after->findings().size(), before->findings().size());
  for (std::size_t i = 0; i < after->findings().size(); ++i) {
    EXPECT_TRUE(MessageDifferencer::Equals(after->findings()[i], before->findings()[i]));
  }
  const WallTime now = world_.clock.Wall();
  const auto that_count =
      AuditsThatCount(*book_, *world_.policies.Find("lab"), std::chrono::hours(1), now);
  const RecentProbes recent = FindRecentProbes(that_count, {"h1", "h2", "h3"}, now);
  EXPECT_EQ(recent.probes.results.size(), before->probe_results().size());
}

TEST_F(AuditHistoryTest, AnAuditThatARestartHasLostStaysSo) {
  v1::Audit begun;
  begun.set_audit_id("a7-1");
  begun.set_state(v1::AUDIT_STATE_QUEUED);
  ASSERT_TRUE(store_->BeginAudit({7, 1}, begun).ok());
  Start(8);
  EXPECT_TRUE(book_->Find("a7-1").value()->lost());
  const auto ended_at = book_->Find("a7-1").value()->audit().ended_at().seconds();
  world_.Pass(std::chrono::minutes(1));
  Start(9);
  const auto lost = book_->Find("a7-1").value();
  EXPECT_TRUE(lost->lost());
  EXPECT_EQ(lost->audit().ended_at().seconds(), ended_at) << "at the first restart, not the second";
}

}  // namespace
}  // namespace roceready
