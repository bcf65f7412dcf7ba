// SPDX-License-Identifier: Apache-2.0
#include "controller/store/facts_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/controller_world.h"
#include "tests/support/unused_store.h"

namespace roceready {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;

// Facts in memory; says what it was asked to write, and does as it is told.
class FactsInMemory final : public UnusedStore {
 public:
  absl::Status PutFacts(const std::vector<KeptFacts>& facts,
                        const std::vector<v1::Event>& with) override {
    ++tries;
    if (!answer.ok()) return answer;
    events.insert(events.end(), with.begin(), with.end());
    for (const KeptFacts& one : facts) {
      put.push_back(one.host);
      kept[one.host] = one;
    }
    return answer;
  }
  absl::Status ConfirmFacts(const std::vector<FactsRead>& read) override {
    for (const FactsRead& one : read) {
      confirmed.push_back(one.host);
      kept.at(one.host).read_at = one.read_at;
    }
    return answer;
  }
  absl::Status ForgetFacts(const std::vector<std::string>& hosts) override {
    for (const std::string& host : hosts) kept.erase(host);
    return answer;
  }
  absl::StatusOr<std::vector<KeptFacts>> LatestFacts() override {
    std::vector<KeptFacts> all;
    for (const auto& [host, one] : kept) all.push_back(one);
    return all;
  }

  absl::StatusOr<std::size_t> ForgetEvents(std::size_t at_most, std::size_t) override {
    const std::size_t gone = events.size() > at_most ? events.size() - at_most : 0;
    events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(gone));
    return gone;
  }

  std::vector<std::string> Put() { return std::exchange(put, {}); }
  std::vector<std::string> Confirmed() { return std::exchange(confirmed, {}); }

  absl::Status answer;
  int tries = 0;
  std::vector<std::string> put, confirmed;
  std::map<std::string, KeptFacts> kept;
  std::vector<v1::Event> events;
};

// Works when the test says so, and answers or not.
class HeldWorker final : public Worker {
 public:
  void Run(std::function<void()> work, std::function<void()> done) override {
    held_.emplace_back(std::move(work), std::move(done));
  }
  void Work(bool answers) {
    for (const auto& [work, done] : std::exchange(held_, {})) {
      work();
      if (answers) done();
    }
  }

 private:
  std::vector<std::pair<std::function<void()>, std::function<void()>>> held_;
};

// A controller that keeps facts in a store; another one is its next start.
struct Start {
  explicit Start(FactsInMemory* store, const std::string& boot = "boot-1", Duration later = {})
      : keeper({.loop = &world.loop,
                .worker = &world.worker,
                .store = store,
                .fleet = &world.fleet,
                .moments = MomentClock(&world.clock, boot)}) {
    world.clock.Advance(later);
  }

  ControllerWorld world;
  FactsKeeper keeper;
};

class FactsKeeperTest : public testing::Test {
 protected:
  FactsKeeperTest() { first_.keeper.Begin(); }

  FakeAgent* Connect(const std::string& host) { return first_.world.Connect(host, 1); }
  void Pass(Duration time) { first_.world.Pass(time); }

  // Says that all was read again and is the same.
  static void Confirm(FakeAgent* agent) {
    v1::ConnectRequest message;
    message.mutable_facts_confirmed()->set_generation(agent->generation());
    agent->Say(std::move(message));
  }

  static void SetPfc(FakeAgent* agent, const std::vector<std::uint32_t>& priorities) {
    auto* pfc = agent->facts.mutable_net_devices(0)->mutable_dcb()->mutable_pfc();
    pfc->mutable_enabled_priorities()->Assign(priorities.begin(), priorities.end());
    agent->SendFacts(agent->generation(), 0);
  }

  static void SetCarrier(FakeAgent* agent, bool carrier) {
    agent->facts.mutable_net_devices(0)->mutable_link()->set_carrier(carrier);
    agent->SendFacts(agent->generation(), 0);
  }

  static v1::Host Row(const Start& start, const std::string& host) {
    return DescribeHost(*start.world.fleet.Find(host), start.world.clock.Now());
  }

  FactsInMemory store_;
  Start first_{&store_};
};

TEST_F(FactsKeeperTest, WritesAHostThatIsNew) {
  Connect("gpu1");
  Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Put(), ElementsAre("gpu1"));
  Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Put(), IsEmpty());
}

TEST_F(FactsKeeperTest, WritesChangedConfigurationAtTheNextLookAndOnlyWhatItIsThen) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  store_.put.clear();
  for (std::uint32_t priority = 0; priority < 8; ++priority) {
    SetPfc(agent, {priority});
    Pass(seconds(1));
  }
  Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Put(), SizeIs(testing::Le(2u)));
  EXPECT_EQ(store_.kept.at("gpu1").facts.net_devices(0).dcb().pfc().enabled_priorities(0), 7u);
}

TEST_F(FactsKeeperTest, WritesChangedStateRarely) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  store_.put.clear();
  bool carrier = true;
  for (Duration passed{}; passed < FactsKeeper::kRewrite - seconds(30); passed += seconds(20)) {
    SetCarrier(agent, carrier = !carrier);
    Pass(seconds(20));
  }
  EXPECT_THAT(store_.Put(), IsEmpty());
  SetCarrier(agent, false);
  Pass(minutes(1));
  EXPECT_THAT(store_.Put(), ElementsAre("gpu1"));
}

TEST_F(FactsKeeperTest, OfFactsThatAreTheSameItWritesWhenTheyWereRead) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  store_.put.clear();
  Pass(minutes(2));
  EXPECT_THAT(store_.Confirmed(), IsEmpty()) << "nobody has read them again";
  Confirm(agent);
  Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Confirmed(), ElementsAre("gpu1"));
  EXPECT_THAT(store_.Put(), IsEmpty());
}

TEST_F(FactsKeeperTest, FactsOfWhichStateHasChangedAreNotSaidToBeReadAgain) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  SetCarrier(agent, false);
  Pass(minutes(2));
  Confirm(agent);
  Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Confirmed(), IsEmpty());
}

TEST_F(FactsKeeperTest, TriesAgainWhatTheDiskDidNotTake) {
  store_.answer = absl::ResourceExhaustedError("the disk is full");
  testing::internal::CaptureStderr();
  Connect("gpu1");
  Pass(minutes(10));
  EXPECT_GE(store_.tries, 4);
  EXPECT_LE(store_.tries, 8) << "less and less often";
  store_.answer = absl::OkStatus();
  Pass(FactsKeeper::kLongestPause);
  EXPECT_THAT(store_.Put(), ElementsAre("gpu1"));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("facts cannot be kept"));
  EXPECT_EQ(log.find("facts cannot be kept"), log.rfind("facts cannot be kept")) << "said once";
  EXPECT_THAT(log, HasSubstr("facts are kept again"));
}

TEST_F(FactsKeeperTest, ManyHostsGoInSeveralPieces) {
  const std::size_t hosts = 2 * FactsKeeper::kAtOnce + 3;
  for (std::size_t i = 0; i < hosts; ++i) Connect("gpu" + std::to_string(i));
  Pass(FactsKeeper::kLook + seconds(1));
  EXPECT_THAT(store_.put, SizeIs(hosts));
  EXPECT_EQ(store_.tries, 3);
}

TEST_F(FactsKeeperTest, TheNextStartTakesThemUpAsOldAsTheyAre) {
  Connect("gpu1");
  Pass(FactsKeeper::kLook);
  // A second world begins at the same moment as the first one did.
  Start next(&store_, "boot-2", minutes(30));
  ASSERT_TRUE(next.keeper.TakeUp().ok());
  const v1::Host row = Row(next, "gpu1");
  EXPECT_EQ(row.state(), v1::HOST_STATE_MISSING);
  EXPECT_THAT(row.state_reason(), HasSubstr("not heard since the controller's start; facts of 20"));
  EXPECT_EQ(row.fact_age().seconds(), 1800);
  EXPECT_EQ(row.facts_digest(), Row(first_, "gpu1").facts_digest());
}

TEST_F(FactsKeeperTest, AClockThatWasSetBackMakesNothingYounger) {
  Connect("gpu1");
  Pass(minutes(40));
  store_.kept.at("gpu1").read_at.wall += hours(2);  // the clock of then was two hours ahead
  {
    Start same_boot(&store_, "boot-1", minutes(50));
    ASSERT_TRUE(same_boot.keeper.TakeUp().ok());
    EXPECT_EQ(Row(same_boot, "gpu1").fact_age().seconds(), 50 * 60);
  }
  Start other_boot(&store_, "boot-2", minutes(50));
  ASSERT_TRUE(other_boot.keeper.TakeUp().ok());
  EXPECT_EQ(other_boot.world.fleet.Find("gpu1"), nullptr) << "nobody can tell how old they are";
  EXPECT_THAT(store_.kept, SizeIs(1)) << "the clock may come right";
}

TEST_F(FactsKeeperTest, OldFactsAreForgotten) {
  Connect("gpu1");
  Pass(FactsKeeper::kLook);
  Start next(&store_, "boot-2", FactsKeeper::kForgottenAfter + minutes(1));
  ASSERT_TRUE(next.keeper.TakeUp().ok());
  EXPECT_EQ(next.world.fleet.Find("gpu1"), nullptr);
  EXPECT_THAT(store_.kept, IsEmpty());
}

TEST_F(FactsKeeperTest, WhatWasTakenUpIsNotWrittenAgainUntilItsAgentSendsOtherFacts) {
  Connect("gpu1");
  Pass(FactsKeeper::kLook);
  store_.put.clear();
  Start next(&store_, "boot-1", minutes(1));
  ASSERT_TRUE(next.keeper.TakeUp().ok());
  next.keeper.Begin();
  next.world.Pass(minutes(2));
  FakeAgent* agent = next.world.Connect("gpu1", 1);
  next.world.Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Put(), IsEmpty());
  EXPECT_THAT(store_.Confirmed(), ElementsAre("gpu1"));
  SetPfc(agent, {});
  next.world.Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.Put(), ElementsAre("gpu1"));
}

TEST_F(FactsKeeperTest, AChangeOfConfigurationIsAnEvent) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  EXPECT_THAT(store_.events, IsEmpty()) << "a new host has changed nothing";
  SetCarrier(agent, false);
  Pass(minutes(1));
  EXPECT_THAT(store_.events, IsEmpty()) << "nor has state";
  SetPfc(agent, {});
  Pass(FactsKeeper::kLook);
  ASSERT_THAT(store_.events, SizeIs(1));
  const v1::Event& event = store_.events[0];
  EXPECT_EQ(event.host(), "gpu1");
  EXPECT_THAT(event.path(), HasSubstr(".dcb.pfc.enabled_priorities"));
  EXPECT_EQ(event.device(), agent->facts.net_devices(0).name());
  EXPECT_EQ(event.from(), "3");
  EXPECT_EQ(event.to(), "none");
  EXPECT_LT(event.not_before().seconds(), event.at().seconds());
}

TEST_F(FactsKeeperTest, AnEventThatTheDiskDidNotTakeComesLater) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  store_.answer = absl::ResourceExhaustedError("the disk is full");
  SetPfc(agent, {});
  Pass(minutes(1));
  SetPfc(agent, {5});
  Pass(minutes(1));
  EXPECT_THAT(store_.events, IsEmpty());
  store_.answer = absl::OkStatus();
  Pass(FactsKeeper::kLongestPause);
  ASSERT_THAT(store_.events, SizeIs(1)) << "what it is now, against what is kept";
  EXPECT_EQ(store_.events[0].from(), "3");
  EXPECT_EQ(store_.events[0].to(), "5");
}

TEST_F(FactsKeeperTest, WhatChangedWhileTheControllerWasAwayIsAnEventAfterItsStart) {
  Connect("gpu1");
  Pass(FactsKeeper::kLook);
  Start next(&store_, "boot-2", minutes(30));
  ASSERT_TRUE(next.keeper.TakeUp().ok());
  next.keeper.Begin();
  FakeAgent* again = next.world.Connect("gpu1", 1);
  SetPfc(again, {});
  next.world.Pass(FactsKeeper::kLook);
  ASSERT_THAT(store_.events, SizeIs(1));
  EXPECT_EQ(store_.events[0].to(), "none");
  EXPECT_GE(store_.events[0].at().seconds() - store_.events[0].not_before().seconds(), 1800);
}

TEST_F(FactsKeeperTest, AChangeWhileASourceHungIsAnEventWhenItAnswersAgain) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  v1::Pfc* pfc = agent->facts.mutable_net_devices(0)->mutable_dcb()->mutable_pfc();
  const v1::Pfc before = *pfc;
  pfc->Clear();
  pfc->mutable_reading()->set_outcome(v1::OUTCOME_TIMED_OUT);
  agent->SendFacts(agent->generation(), 0);
  Pass(minutes(1));
  EXPECT_THAT(store_.events, IsEmpty());
  *pfc = before;
  SetPfc(agent, {5});
  Pass(FactsKeeper::kLook);
  ASSERT_THAT(store_.events, SizeIs(1));
  EXPECT_EQ(store_.events[0].from(), "3");
}

TEST_F(FactsKeeperTest, NoEventComesTwiceWhenTheControllerStopsMeanwhile) {
  HeldWorker worker;
  FactsInMemory store;
  FactsKeeper keeper({.loop = &first_.world.loop,
                      .worker = &worker,
                      .store = &store,
                      .fleet = &first_.world.fleet,
                      .moments = MomentClock(&first_.world.clock, "boot-1")});
  FakeAgent* agent = Connect("gpu1");
  keeper.Begin();
  worker.Work(/*answers=*/true);
  SetPfc(agent, {});
  Pass(FactsKeeper::kLook);
  // The worker has it, and the loop does not hear of its end any more.
  keeper.HandOverAll();
  worker.Work(/*answers=*/false);
  EXPECT_THAT(store.events, SizeIs(1));
}

TEST_F(FactsKeeperTest, HandsOverWhatIsNotWrittenAtTheEnd) {
  FakeAgent* agent = Connect("gpu1");
  Pass(FactsKeeper::kLook);
  store_.put.clear();
  SetPfc(agent, {});
  first_.world.loop.RunPending();
  Connect("gpu2");
  first_.keeper.HandOverAll();
  first_.world.loop.RunPending();
  EXPECT_THAT(store_.Put(), ElementsAre("gpu1", "gpu2"));
}

}  // namespace
}  // namespace roceready
