// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/fresh_facts.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_agent.h"
#include "tests/support/fake_clock.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class FreshFactsTest : public testing::Test {
 protected:
  FreshFactsTest() {
    for (int number = 1; number <= 3; ++number) {
      const std::string host = fmt::format("h{}", number);
      agents_[host] = std::make_unique<FakeAgent>(&loop_, &fleet_, host);
      agents_[host]->facts = FactsOfSmallHost(host, number);
      agents_[host]->Connect();
    }
    loop_.RunPending();
  }

  FreshFacts::Events Note() {
    return {.on_answer = [this] { ++answers_; },
            .on_end = [this](std::set<std::string> late) { late_ = std::move(late); }};
  }

  FakeClock clock_;
  EventLoop loop_{&clock_};
  Fleet fleet_{&loop_, LinkOptions{.epoch = 7}};
  std::map<std::string, std::unique_ptr<FakeAgent>> agents_;
  int answers_ = 0;
  std::optional<std::set<std::string>> late_;
};

TEST_F(FreshFactsTest, EndsWithTheLastAnswer) {
  FreshFacts facts(&loop_, &fleet_);
  // Nobody has heard of the last one: it is not waited for.
  EXPECT_EQ(facts.Ask({"h1", "h2", "h3", "h4"}, seconds(5), Note()), 3u);
  loop_.RunPending();
  EXPECT_EQ(answers_, 3);
  ASSERT_TRUE(late_);
  EXPECT_THAT(*late_, IsEmpty());
}

TEST_F(FreshFactsTest, NamesWhoIsLateWhenThePatienceIsOver) {
  agents_["h2"]->answers_facts = false;
  FreshFacts facts(&loop_, &fleet_);
  facts.Ask({"h1", "h2"}, seconds(5), Note());
  RunFor(&clock_, &loop_, milliseconds(4900));
  EXPECT_FALSE(late_);
  RunFor(&clock_, &loop_, milliseconds(200));
  ASSERT_TRUE(late_);
  EXPECT_THAT(*late_, ElementsAre("h2"));
  EXPECT_EQ(answers_, 1);
}

TEST_F(FreshFactsTest, AnAgentThatGoesIsNotWaitedFor) {
  agents_["h2"]->answers_facts = false;
  FreshFacts facts(&loop_, &fleet_);
  facts.Ask({"h1", "h2"}, seconds(5), Note());
  loop_.RunPending();
  agents_["h2"]->HangUp();
  loop_.RunPending();
  ASSERT_TRUE(late_);
  EXPECT_THAT(*late_, IsEmpty());
}

TEST_F(FreshFactsTest, StopsWaitingWhenToldTo) {
  agents_["h2"]->answers_facts = false;
  FreshFacts facts(&loop_, &fleet_);
  facts.Ask({"h1", "h2"}, seconds(5), Note());
  loop_.RunPending();
  facts.StopWaiting();
  ASSERT_TRUE(late_);
  EXPECT_THAT(*late_, ElementsAre("h2"));
  late_.reset();
  facts.StopWaiting();
  RunFor(&clock_, &loop_, seconds(10));
  EXPECT_FALSE(late_);
}

TEST_F(FreshFactsTest, CallsNothingOnceItIsGone) {
  agents_["h2"]->answers_facts = false;
  {
    FreshFacts facts(&loop_, &fleet_);
    facts.Ask({"h1", "h2"}, seconds(5), Note());
  }
  RunFor(&clock_, &loop_, seconds(10));
  EXPECT_EQ(answers_, 0);
  EXPECT_FALSE(late_);
}

TEST_F(FreshFactsTest, MayBeDestroyedByItsOwnEnd) {
  auto facts = std::make_unique<FreshFacts>(&loop_, &fleet_);
  facts->Ask(
      {"h1"}, seconds(5),
      {.on_answer = nullptr, .on_end = [&](const std::set<std::string>&) { facts.reset(); }});
  loop_.RunPending();
  EXPECT_EQ(facts, nullptr);
}

}  // namespace
}  // namespace roceready
