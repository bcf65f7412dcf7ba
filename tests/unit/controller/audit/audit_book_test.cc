// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_book.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "proto/contract/errors.h"
#include "tests/support/controller_world.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class AuditBookTest : public testing::Test {
 protected:
  absl::StatusOr<std::shared_ptr<AuditRun>> Create(const std::string& request_id = "",
                                                   const std::string& caller = "alice",
                                                   const std::string& hosts = "h1") {
    v1::CreateAuditRequest request = ControllerWorld::Ask(hosts, v1::PLAN_KIND_NONE);
    request.set_request_id(request_id);
    return world_.Create(request, {hosts}, caller);
  }

  void Settle() { world_.Pass(milliseconds(10)); }

  ControllerWorld world_;
};

TEST_F(AuditBookTest, TheSameRequestIsTheSameAudit) {
  const auto first = Create("r1").value();
  EXPECT_EQ(Create("r1").value(), first);
  Settle();
  EXPECT_EQ(Create("r1").value(), first) << "after its end as well";
  EXPECT_EQ(world_.book->All().size(), 1u);
}

TEST_F(AuditBookTest, ARequestIdOfAnotherCallerIsAnotherAudit) {
  EXPECT_NE(Create("r1", "alice").value(), Create("r1", "bob").value());
}

TEST_F(AuditBookTest, WithoutARequestIdEachIsNew) { EXPECT_NE(Create().value(), Create().value()); }

TEST_F(AuditBookTest, ARequestIdForSomethingElseIsAnError) {
  ASSERT_TRUE(Create("r1").ok());
  const auto other = Create("r1", "alice", "h2");
  EXPECT_EQ(other.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(Message(other.status())), HasSubstr("a7-1"));
}

TEST_F(AuditBookTest, RunsAFewAtATimeAndRefusesWhatItCannotHold) {
  world_.book = world_.MakeBook({.epoch = 7, .at_once = 1, .waiting = 2});
  world_.Connect("h1", 1)->answers_facts = false;
  const auto first = Create().value();
  const auto second = Create().value();
  const auto third = Create().value();
  EXPECT_EQ(first->audit().state(), v1::AUDIT_STATE_REFRESHING);
  EXPECT_EQ(second->audit().state(), v1::AUDIT_STATE_QUEUED);
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kResourceExhausted);

  second->Cancel("not needed");
  EXPECT_EQ(second->audit().state(), v1::AUDIT_STATE_CANCELLED);
  first->Cancel("");
  Settle();
  EXPECT_EQ(third->audit().state(), v1::AUDIT_STATE_REFRESHING);
  EXPECT_FALSE(second->audit().has_verdict());
}

TEST_F(AuditBookTest, CountsHowAuditsEnd) {
  using Ended = decltype(AuditCounters::ended);
  world_.book = world_.MakeBook({.epoch = 7, .at_once = 1, .waiting = 2});
  EXPECT_EQ(world_.book->NewestJudged(), nullptr);
  world_.Connect("h1", 1)->answers_facts = false;
  const auto first = Create().value();
  const auto second = Create().value();
  const auto third = Create().value();
  ASSERT_FALSE(Create().ok());
  EXPECT_EQ(world_.book->counters().refused, 1u);
  EXPECT_EQ(world_.book->running(), 1u);
  EXPECT_EQ(world_.book->waiting(), 2u);
  second->Cancel("not needed");
  EXPECT_EQ(world_.book->waiting(), 1u) << "it waits no longer, though its turn has not come";

  world_.Pass(std::chrono::minutes(1));
  EXPECT_EQ(world_.book->counters().ended,
            (Ended{{{v1::AUDIT_STATE_DONE, v1::READINESS_UNDETERMINED}, 2},
                   {{v1::AUDIT_STATE_CANCELLED, v1::READINESS_UNSPECIFIED}, 1}}));
  EXPECT_EQ(world_.book->running() + world_.book->waiting(), 0u);
  EXPECT_EQ(world_.book->NewestJudged(), third);
  const DurationHistogram& took = world_.book->counters().took_without_probes;
  EXPECT_GE(took.sum(), 2 * AuditRun::kFactsTimeout) << "none of them had an answer";
}

TEST_F(AuditBookTest, RemembersWhatTheLastAuditOfAHostSaid) {
  using Count = std::map<v1::Readiness, std::size_t>;
  world_.Connect("h1", 1);
  world_.Connect("h2", 2);
  ASSERT_TRUE(Create().ok());
  Settle();
  EXPECT_EQ(world_.book->last_verdicts().Count(), (Count{{v1::READINESS_READY, 1}}));
  world_.agents["h1"]->HangUp();
  ASSERT_TRUE(Create("", "alice", "h1").ok());
  ASSERT_TRUE(Create("", "alice", "h2").ok());
  ASSERT_TRUE(Create("", "alice", "nobody").ok());
  world_.Pass(std::chrono::minutes(1));
  EXPECT_EQ(world_.book->last_verdicts().Count(),
            (Count{{v1::READINESS_READY, 1}, {v1::READINESS_UNDETERMINED, 1}}))
      << "nobody is no host of the fleet";
}

TEST_F(AuditBookTest, KeepsTheLastOnes) {
  world_.book = world_.MakeBook({.epoch = 7, .kept = 2});
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(Create(fmt::format("r{}", i)).ok());
    Settle();
  }
  EXPECT_EQ(world_.book->All().size(), 2u);
  EXPECT_EQ(world_.book->All()[0]->audit().audit_id(), "a7-4") << "newest first";
  const auto old = world_.book->Find("a7-1");
  EXPECT_EQ(old.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(old.status())), HasSubstr("no longer kept"));
  EXPECT_EQ(Create("r0").value()->audit().audit_id(), "a7-5") << "its request id is forgotten too";
}

TEST_F(AuditBookTest, TellsOfAnAuditOnlyOnceItIsKept) {
  world_.archive.holds = true;
  std::vector<std::shared_ptr<AuditRun>> told;
  const auto create = [&](const std::string& hosts) {
    v1::CreateAuditRequest request = ControllerWorld::Ask(hosts, v1::PLAN_KIND_NONE);
    request.set_request_id("r1");
    // Answered after this returns, where the audit is held.
    const auto refused = std::make_shared<absl::Status>();
    world_.book->Create(request, {hosts}, world_.policies.Find("lab"), "alice",
                        [&told, refused](const absl::StatusOr<std::shared_ptr<AuditRun>>& audit) {
                          if (audit.ok()) told.push_back(*audit);
                          *refused = audit.status();
                        });
    return *refused;
  };
  EXPECT_TRUE(create("h1").ok());
  EXPECT_TRUE(create("h1").ok());
  EXPECT_EQ(create("h2").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(world_.book->All().empty());
  EXPECT_EQ(Message(world_.book->Find("a7-1").status()), "there is no audit a7-1");

  world_.archive.AnswerHeld();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], told[1]) << "the same request while it was being kept";
  EXPECT_EQ(world_.archive.begun.size(), 1u);
  EXPECT_EQ(world_.book->Find("a7-1").value(), told[0]);
}

TEST_F(AuditBookTest, AStopOfAllProbesTakesWhoRunsWhoWaitsAndWhoIsBeingKept) {
  world_.book = world_.MakeBook({.epoch = 7, .at_once = 1, .waiting = 8});
  for (std::uint32_t number : {1, 2}) world_.Connect(fmt::format("h{}", number), number);
  world_.agents["h1"]->reactions[ProbeStep::kRun] = Reaction::kSilent;
  const auto create = [&](v1::PlanKind plan) {
    return world_.Create(ControllerWorld::Ask("h[1-2]", plan), {"h1", "h2"});
  };
  const auto running = create(v1::PLAN_KIND_RING).value();
  const auto waiting = create(v1::PLAN_KIND_RING).value();
  const auto settings = create(v1::PLAN_KIND_NONE).value();
  world_.Pass(std::chrono::milliseconds(500));
  ASSERT_EQ(running->audit().state(), v1::AUDIT_STATE_PROBING);
  world_.archive.holds = true;
  world_.book->Create(ControllerWorld::Ask("h[1-2]"), {"h1", "h2"}, world_.policies.Find("lab"),
                      "alice", [](const absl::StatusOr<std::shared_ptr<AuditRun>>&) {});

  std::optional<AuditBook::ProbesStopped> stopped;
  world_.book->StopAllProbes("probes stopped by alice",
                             [&](const AuditBook::ProbesStopped& all) { stopped = all; });
  EXPECT_EQ(waiting->audit().state(), v1::AUDIT_STATE_CANCELLED);
  EXPECT_FALSE(stopped) << "a pair has not ended yet";
  world_.Pass(std::chrono::milliseconds(100));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->audit_ids,
            (std::vector<std::string>{waiting->audit().audit_id(), running->audit().audit_id()}));
  EXPECT_EQ(stopped->pairs.ended, 1u);
  EXPECT_EQ(stopped->pairs.not_begun, 0u);
  EXPECT_THAT(world_.book->HostsUnsure(), testing::IsEmpty());
  EXPECT_EQ(running->audit().abort_reason(), "probes stopped by alice");

  // Asked for before the stop, told of after it.
  world_.archive.AnswerHeld();
  world_.Pass(std::chrono::seconds(10));
  EXPECT_EQ(world_.book->Find("a7-4").value()->audit().abort_reason(), "probes stopped by alice");
  EXPECT_EQ(settings->audit().state(), v1::AUDIT_STATE_DONE) << "it moves no traffic";
}

TEST_F(AuditBookTest, WhatWaitsToBeKeptCountsAsWaiting) {
  world_.book = world_.MakeBook({.epoch = 7, .at_once = 1, .waiting = 1});
  world_.archive.holds = true;
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(AuditBookTest, AnAuditThatCannotBeKeptIsRefusedAndRunsNot) {
  world_.archive.answer =
      MakeError(absl::StatusCode::kResourceExhausted, "/var/lib/roceready.db: the disk is full");
  const auto refused = Create("r1");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("the disk is full"));
  Settle();
  EXPECT_TRUE(world_.book->All().empty());
  EXPECT_TRUE(world_.archive.ended.empty());

  world_.archive.answer = absl::OkStatus();
  EXPECT_EQ(Create("r1").value()->audit().audit_id(), "a7-2") << "the request may be made again";
}

TEST_F(AuditBookTest, KeepsWhatEachAuditEndsWith) {
  world_.book = world_.MakeBook({.epoch = 7, .at_once = 1});
  world_.Connect("h1", 1)->answers_facts = false;
  const auto first = Create().value();
  const auto second = Create().value();
  EXPECT_TRUE(world_.archive.ended.empty());
  second->Cancel("not needed");
  ASSERT_EQ(world_.archive.ended.size(), 1u) << "although it never ran";
  EXPECT_EQ(world_.archive.ended[0], second);
  first->Cancel("");
  Settle();
  ASSERT_EQ(world_.archive.ended.size(), 2u);
  EXPECT_EQ(world_.archive.ended[1], first);
  EXPECT_TRUE(first->audit().has_ended_at());
}

KeptAudit KeptOf(const AuditId& id, bool ended, const std::string& request_id = "") {
  KeptAudit kept;
  kept.id = id;
  kept.ended = ended;
  kept.audit.set_audit_id(id.Text());
  kept.audit.set_requested_by("alice");
  *kept.audit.mutable_request() = ControllerWorld::Ask("h1", v1::PLAN_KIND_NONE);
  kept.audit.mutable_request()->set_request_id(request_id);
  kept.audit.set_state(ended ? v1::AUDIT_STATE_DONE : v1::AUDIT_STATE_QUEUED);
  if (ended) {
    kept.audit.mutable_verdict()->set_readiness(v1::READINESS_READY);
    kept.findings.emplace_back().set_key("some/h1");
    kept.probe_results.push_back(std::make_shared<v1::ProbeResult>());
  }
  return kept;
}

TEST_F(AuditBookTest, AnEndedAuditIsTheSameAfterARestart) {
  world_.book->Restore({KeptOf({6, 2}, true, "r2"), KeptOf({6, 1}, true)});
  EXPECT_TRUE(world_.archive.ended.empty()) << "it is kept already";
  ASSERT_EQ(world_.book->All().size(), 2u);
  const auto audit = world_.book->All()[0];
  EXPECT_EQ(audit->audit().audit_id(), "a6-2");
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(audit->findings().size(), 1u);
  EXPECT_EQ(audit->probe_results().size(), 1u);
  EXPECT_FALSE(audit->lost());
  audit->Cancel("too late");
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_DONE);

  EXPECT_EQ(Create("r2").value(), audit) << "its request id still stands for it";
  EXPECT_EQ(Create("r3").value()->audit().audit_id(), "a7-1");
  EXPECT_EQ(world_.book->All()[0]->audit().audit_id(), "a7-1") << "newest first";
}

TEST_F(AuditBookTest, AnAuditThatHadNotEndedIsLostAndKeptSo) {
  world_.book->Restore({KeptOf({6, 3}, false)});
  const auto lost = world_.book->Find("a6-3").value();
  EXPECT_TRUE(lost->lost());
  EXPECT_EQ(lost->audit().state(), v1::AUDIT_STATE_ABORTED);
  EXPECT_EQ(lost->audit().abort_reason(), "lost: controller restarted");
  EXPECT_TRUE(lost->audit().has_ended_at());
  ASSERT_EQ(world_.archive.ended.size(), 1u);
  EXPECT_EQ(world_.archive.ended[0], lost);
}

TEST_F(AuditBookTest, ARestoredAuditIsForgottenBeforeYoungerOnes) {
  world_.book = world_.MakeBook({.epoch = 7, .kept = 2});
  world_.book->Restore({KeptOf({5, 9}, true), KeptOf({6, 1}, true), KeptOf({6, 2}, true)});
  ASSERT_TRUE(Create().ok());
  Settle();
  ASSERT_EQ(world_.book->All().size(), 2u);
  EXPECT_EQ(world_.book->All()[1]->audit().audit_id(), "a6-2");
  EXPECT_THAT(std::string(Message(world_.book->Find("a5-9").status())),
              HasSubstr("no longer kept"));
}

TEST_F(AuditBookTest, RestoredAuditsStandInTheOrderOfTheirEnds) {
  KeptAudit long_one = KeptOf({6, 1}, true), short_one = KeptOf({6, 2}, true);
  long_one.audit.mutable_ended_at()->set_seconds(900);
  short_one.audit.mutable_ended_at()->set_seconds(60);
  world_.book->Restore({std::move(long_one), std::move(short_one)});
  EXPECT_EQ(world_.book->NewestJudged()->audit().audit_id(), "a6-1");
}

// Hosts go when the controller stops: what that makes of an audit is no verdict.
TEST_F(AuditBookTest, WhatEndsWhileTheControllerStopsIsNotKept) {
  world_.book = world_.MakeBook({.epoch = 7, .at_once = 1});
  world_.Connect("h1", 1)->answers_facts = false;
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Create().ok()) << "waits";
  world_.book->Close();
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kUnavailable);
  world_.Pass(std::chrono::minutes(1));
  EXPECT_TRUE(world_.archive.ended.empty());
  EXPECT_TRUE(world_.book->counters().ended.empty());
}

TEST_F(AuditBookTest, ACallThatWaitsForTheArchiveIsAnsweredWhenTheControllerStops) {
  world_.archive.holds = true;
  absl::Status answer;
  world_.book->Create(ControllerWorld::Ask("h1", v1::PLAN_KIND_NONE), {"h1"},
                      world_.policies.Find("lab"), "alice",
                      [&](const auto& created) { answer = created.status(); });
  world_.book->Close();
  EXPECT_EQ(answer.code(), absl::StatusCode::kUnavailable);
  world_.archive.AnswerHeld();
  Settle();
  EXPECT_TRUE(world_.book->All().empty());
}

TEST_F(AuditBookTest, SaysWhatIsWrongWithAName) {
  EXPECT_EQ(world_.book->Find("a7-99").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world_.book->Find("a8-1").status().code(), absl::StatusCode::kNotFound);
  const auto nonsense = world_.book->Find("12");
  EXPECT_EQ(nonsense.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(nonsense.status())), HasSubstr("one looks like a7-1"));
}

}  // namespace
}  // namespace roceready
