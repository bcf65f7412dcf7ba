// SPDX-License-Identifier: Apache-2.0
// Facts that an earlier start of the controller has kept, and the streams of this start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/fleet/fleet.h"
#include "tests/support/fake_agent.h"
#include "tests/support/fake_clock.h"

namespace roceready {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class KeptFacts : public testing::Test {
 protected:
  KeptFacts() {
    agent_.facts = FactsOfSmallHost("gpu1", 1);
    const absl::Status taken_up = fleet_.TakeUp("gpu1", agent_.facts, minutes(2));
    EXPECT_TRUE(taken_up.ok()) << taken_up;
  }

  const HostRecord& Record() { return *fleet_.Find("gpu1"); }
  v1::Host Row() { return DescribeHost(Record(), clock_.Now()); }
  void Settle() { loop_.RunPending(); }

  FakeClock clock_;
  EventLoop loop_{&clock_};
  Fleet fleet_{&loop_, LinkOptions{.epoch = 7}};
  FakeAgent agent_{&loop_, &fleet_, "gpu1"};
};

TEST_F(KeptFacts, AreThereWithTheirAgeAndTheReason) {
  EXPECT_TRUE(fleet_.took_up());
  EXPECT_TRUE(Record().HasFacts());
  EXPECT_EQ(*Record().parts, SplitFacts(agent_.facts).value());
  EXPECT_EQ(Row().state(), v1::HOST_STATE_MISSING);
  EXPECT_EQ(Row().state_reason(),
            "not heard since the controller's start; facts of 2024-02-29 23:58:00 UTC");
  EXPECT_EQ(Row().fact_age().seconds(), 120);
  clock_.Advance(seconds(30));
  EXPECT_EQ(Row().fact_age().seconds(), 150);
}

TEST_F(KeptFacts, AreAwaitedForAsLongAsAStartTakes) {
  EXPECT_TRUE(Record().IsAwaited(clock_.Now()));
  EXPECT_FALSE(Record().IsAwaited(clock_.Now() + kStartTakes));
  agent_.answers_facts = false;
  agent_.Connect();
  Settle();
  EXPECT_FALSE(Record().IsAwaited(clock_.Now())) << "heard";
}

TEST_F(KeptFacts, AConnectedAgentMakesThemNoFresherBeforeItHasSentItsOwn) {
  agent_.answers_facts = false;
  agent_.Connect();
  Settle();
  EXPECT_EQ(Row().state(), v1::HOST_STATE_STALE);
  EXPECT_THAT(Row().state_reason(), HasSubstr("have not come since the controller's start"));
  EXPECT_EQ(Row().fact_age().seconds(), 120);
}

TEST_F(KeptFacts, AreReplacedByAllThatTheAgentSends) {
  agent_.facts.mutable_kernel()->set_release("6.2");
  agent_.Connect();
  Settle();
  ASSERT_EQ(agent_.Count(v1::ConnectResponse::kWelcome), 1u);
  EXPECT_EQ(agent_.Received(v1::ConnectResponse::kWelcome)[0].welcome().known_generation(), 0u);
  EXPECT_EQ(*Record().parts, SplitFacts(agent_.facts).value());
  EXPECT_EQ(Row().state(), v1::HOST_STATE_CONNECTED);
  EXPECT_EQ(Row().fact_age().seconds(), 0);
}

TEST_F(KeptFacts, AreNotConfirmedByAnAgentThatHasTheSameDigest) {
  agent_.Connect();
  agent_.answers_facts = false;
  Settle();
  const std::size_t asked = agent_.Count(v1::ConnectResponse::kFactsWanted);
  v1::ConnectRequest confirmed;
  confirmed.mutable_facts_confirmed()->set_generation(0);
  agent_.Say(confirmed);
  v1::ConnectRequest pong;
  pong.mutable_pong()->set_facts_digest(Record().facts_digest);
  agent_.Say(pong);
  Settle();
  EXPECT_EQ(Row().fact_age().seconds(), 120);
  EXPECT_EQ(Row().state(), v1::HOST_STATE_STALE);
  EXPECT_GT(agent_.Count(v1::ConnectResponse::kFactsWanted), asked) << "everything is wanted";
  EXPECT_EQ(
      agent_.Received(v1::ConnectResponse::kFactsWanted).back().facts_wanted().since_generation(),
      0u);
}

TEST_F(KeptFacts, AreNoBaseForADelta) {
  agent_.answers_facts = false;
  agent_.Connect();
  Settle();
  v1::ConnectRequest delta;
  v1::FactsChunk* chunk = delta.mutable_facts_chunk();
  chunk->set_instance(agent_.instance);
  chunk->set_generation(6);
  chunk->set_since_generation(5);
  chunk->set_last(true);
  chunk->set_digest(Record().facts_digest);
  agent_.Say(delta);
  Settle();
  EXPECT_EQ(Row().fact_age().seconds(), 120);
  EXPECT_EQ(Record().generation, 0u);
}

}  // namespace
}  // namespace roceready
