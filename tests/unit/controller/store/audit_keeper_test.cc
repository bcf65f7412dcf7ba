// SPDX-License-Identifier: Apache-2.0
#include "controller/store/audit_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"
#include "tests/support/controller_world.h"
#include "tests/support/unused_store.h"

namespace roceready {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

// Says what it was asked to keep, and does as it is told.
class ToldStore final : public UnusedStore {
 public:
  absl::Status BeginAudit(const AuditId& id, const v1::Audit&) override {
    if (answer.ok()) begun.push_back(id.Text());
    return answer;
  }
  absl::Status EndAudit(const AuditId& id, const v1::Audit&, const std::vector<v1::Finding>&,
                        const std::vector<std::shared_ptr<const v1::ProbeResult>>&) override {
    ++tries;
    if (answer.ok()) ended.push_back(id.Text());
    return answer;
  }
  absl::StatusOr<std::size_t> ForgetAudits(std::size_t kept, std::size_t at_most) override {
    const std::size_t gone = audits > kept ? std::min(at_most, audits - kept) : 0;
    audits -= gone;
    return gone;
  }

  absl::Status answer;
  std::vector<std::string> begun, ended;
  int tries = 0;
  std::size_t audits = 0;
};

class AuditKeeperTest : public testing::Test {
 protected:
  std::shared_ptr<const AuditRun> Ended(std::uint64_t number) {
    KeptAudit kept;
    kept.id = {7, number};
    kept.ended = true;
    return std::make_shared<const AuditRun>(
        std::move(kept), AuditTools{.loop = &world_.loop, .fleet = &world_.fleet});
  }

  absl::Status Begin(std::uint64_t number) {
    absl::Status begun = absl::UnknownError("not answered yet");
    keeper_.Begin(*Ended(number), [&](absl::Status status) { begun = std::move(status); });
    world_.loop.RunPending();
    return begun;
  }

  void Pass(Duration time) { world_.Pass(time); }

  const absl::Status full_ = absl::ResourceExhaustedError("the disk is full");
  ControllerWorld world_;
  ToldStore store_;
  AuditKeeper keeper_{{.loop = &world_.loop, .worker = &world_.worker, .store = &store_}, 100};
};

TEST_F(AuditKeeperTest, KeepsBeginsAndEnds) {
  EXPECT_TRUE(Begin(1).ok());
  EXPECT_THAT(store_.begun, ElementsAre("a7-1"));
  keeper_.End(Ended(1));
  keeper_.End(Ended(2));
  Pass({});
  EXPECT_THAT(store_.ended, ElementsAre("a7-1", "a7-2"));
}

TEST_F(AuditKeeperTest, ABeginThatFailsIsToldAtOnce) {
  store_.answer = full_;
  const absl::Status refused = Begin(1);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  store_.answer = absl::OkStatus();
  EXPECT_TRUE(Begin(2).ok());
}

TEST_F(AuditKeeperTest, TriesAnEndAgainLessAndLessOftenUntilItIsKept) {
  store_.answer = full_;
  testing::internal::CaptureStderr();
  keeper_.End(Ended(1));
  keeper_.End(Ended(2));
  Pass({});
  EXPECT_EQ(store_.tries, 1);
  Pass(std::chrono::minutes(30));
  // 1 s, 2 s, 4 s ... 32 s, and then each minute.
  EXPECT_EQ(store_.tries, 1 + 6 + 28);
  EXPECT_THAT(store_.ended, IsEmpty());
  store_.answer = absl::OkStatus();
  Pass(AuditKeeper::kLongestPause);
  EXPECT_THAT(store_.ended, ElementsAre("a7-1", "a7-2"));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("audits cannot be kept"));
  EXPECT_EQ(log.find("audits cannot be kept"), log.rfind("audits cannot be kept")) << "said once";
  EXPECT_THAT(log, HasSubstr("audits are kept again"));
}

TEST_F(AuditKeeperTest, DoesNotInsistOnAnAuditThatTheStoreHasForgotten) {
  store_.answer = absl::NotFoundError("has no audit a7-1");
  keeper_.End(Ended(1));
  Pass({});
  store_.answer = absl::OkStatus();
  keeper_.End(Ended(2));
  Pass({});
  EXPECT_EQ(store_.tries, 2);
  EXPECT_THAT(store_.ended, ElementsAre("a7-2"));
}

TEST_F(AuditKeeperTest, BeginsNothingBesideTooMuchThatWaits) {
  store_.answer = full_;
  for (std::size_t i = 0; i < AuditKeeper::kMaxWaiting; ++i) keeper_.End(Ended(1));
  store_.answer = absl::OkStatus();
  EXPECT_EQ(Begin(2).code(), absl::StatusCode::kUnavailable);
  Pass({});
  EXPECT_TRUE(Begin(2).ok()) << "they are kept";
}

TEST_F(AuditKeeperTest, ForgetsALongHistoryALittleAtATime) {
  store_.audits = 100 + 2 * AuditKeeper::kForgottenAtOnce + 5;
  keeper_.End(Ended(1));
  Pass({});
  EXPECT_EQ(store_.audits, 100 + AuditKeeper::kForgottenAtOnce + 5);
  Pass(3 * AuditKeeper::kForgetPause);
  EXPECT_EQ(store_.audits, 100u);
}

TEST_F(AuditKeeperTest, HandsOverWhatWaitsAtTheEnd) {
  store_.answer = full_;
  keeper_.End(Ended(1));
  keeper_.End(Ended(2));
  Pass({});
  store_.answer = absl::OkStatus();
  keeper_.HandOverAll();
  world_.loop.RunPending();
  EXPECT_THAT(store_.ended, ElementsAre("a7-1", "a7-2"));
}

}  // namespace
}  // namespace roceready
