// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"
#include "tests/support/fake_agent.h"
#include "tests/support/fake_clock.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class FleetTest : public testing::Test {
 protected:
  FleetTest() {
    LinkOptions options;
    options.controller_id = "controller-1";
    options.epoch = 7;
    options.facts_at_once = 32;
    fleet_ = std::make_unique<Fleet>(&loop_, options);
  }

  std::unique_ptr<FakeAgent> NewAgent(const std::string& host, int number = 1) {
    auto agent = std::make_unique<FakeAgent>(&loop_, fleet_.get(), host);
    agent->facts = FactsOfSmallHost(host, number);
    return agent;
  }

  void Settle() { loop_.RunPending(); }
  void Pass(Duration time) { RunFor(&clock_, &loop_, time); }

  v1::HostState StateOf(std::string_view host) {
    return DescribeHost(*fleet_->Find(host), clock_.Now()).state();
  }
  std::string ReasonOf(std::string_view host) {
    return DescribeHost(*fleet_->Find(host), clock_.Now()).state_reason();
  }

  FakeClock clock_;
  EventLoop loop_{&clock_};
  std::unique_ptr<Fleet> fleet_;
};

TEST_F(FleetTest, WelcomesAnAgentAndTakesItsFactsWhole) {
  auto agent = NewAgent("gpu1");
  agent->parts_in_a_chunk = 1;
  agent->Connect();
  Settle();
  ASSERT_EQ(agent->Count(v1::ConnectResponse::kWelcome), 1u);
  const v1::Welcome welcome = agent->Received(v1::ConnectResponse::kWelcome)[0].welcome();
  EXPECT_EQ(welcome.epoch(), 7u);
  EXPECT_EQ(welcome.known_generation(), 0u);
  EXPECT_EQ(welcome.session().size(), 16u);
  EXPECT_EQ(welcome.lease().seconds(), 20);

  const HostRecord* record = fleet_->Find("gpu1");
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(*record->parts, SplitFacts(agent->facts).value());
  EXPECT_EQ(StateOf("gpu1"), v1::HOST_STATE_CONNECTED);
  ASSERT_EQ(agent->Count(v1::ConnectResponse::kFactsAccepted), 1u);
  EXPECT_EQ(agent->Received(v1::ConnectResponse::kFactsAccepted)[0].facts_accepted().generation(),
            1u);
}

TEST_F(FleetTest, KeepsHowFarAHostsClockIsFromItsOwn) {
  auto agent = NewAgent("gpu1");
  agent->host_time = clock_.Wall() + std::chrono::milliseconds(7250);
  agent->Connect();
  Settle();
  EXPECT_EQ(fleet_->Find("gpu1")->clock_offset, std::chrono::milliseconds(7250));

  // An agent that says no time, and one that says an absurd one.
  auto silent = NewAgent("gpu2");
  silent->Connect();
  auto absurd = NewAgent("gpu3");
  absurd->host_time = WallTime::max();
  absurd->Connect();
  Settle();
  EXPECT_EQ(fleet_->Find("gpu2")->clock_offset, std::nullopt);
  EXPECT_GT(fleet_->Find("gpu3")->clock_offset, std::chrono::hours(24 * 365));
}

TEST_F(FleetTest, TakesPushesOfWhatChanged) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  agent->facts.mutable_kernel()->set_release("6.1.0-38-amd64");
  agent->SendFacts(agent->generation(), 0);
  Settle();
  EXPECT_EQ(*fleet_->Find("gpu1")->parts, SplitFacts(agent->facts).value());
  EXPECT_EQ(fleet_->Find("gpu1")->generation, 2u);
}

TEST_F(FleetTest, AsksForEverythingAgainWhenADigestDisagrees) {
  auto agent = NewAgent("gpu1");
  agent->wrong_digests = 1;
  agent->Connect();
  Settle();
  EXPECT_EQ(agent->Count(v1::ConnectResponse::kFactsAccepted), 1u);
  EXPECT_EQ(*fleet_->Find("gpu1")->parts, SplitFacts(agent->facts).value());
}

TEST_F(FleetTest, EndsAStreamWhoseDigestsNeverAgree) {
  auto agent = NewAgent("gpu1");
  agent->wrong_digests = 1000;
  agent->Connect();
  Pass(seconds(1));
  EXPECT_EQ(agent->closed_because.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(agent->Count(v1::ConnectResponse::kFactsAccepted), 0u);
  EXPECT_TRUE(fleet_->Find("gpu1")->parts->empty());
}

TEST_F(FleetTest, RefusesAHostItsCertificateDoesNotName) {
  auto agent = NewAgent("gpu1");
  agent->certified_host = "gpu2";
  agent->Connect();
  Settle();
  EXPECT_EQ(agent->closed_because.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(Message(agent->closed_because)),
              HasSubstr("says it is 'gpu1', but its certificate is for host gpu2"));
  EXPECT_EQ(agent->Count(v1::ConnectResponse::kWelcome), 0u);
  EXPECT_EQ(fleet_->Find("gpu1"), nullptr);
  EXPECT_EQ(fleet_->Find("gpu2"), nullptr);
}

TEST_F(FleetTest, ACertificateWithoutAHostSpeaksForNobody) {
  auto agent = NewAgent("gpu1");
  agent->certified_host.clear();
  agent->Connect();
  Settle();
  EXPECT_EQ(agent->closed_because.code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(FleetTest, WantsHelloFirstAndSoon) {
  auto early = NewAgent("gpu1");
  early->Connect(/*say_hello=*/false);
  v1::ConnectRequest pong;
  pong.mutable_pong();
  early->Say(pong);
  Settle();
  EXPECT_EQ(early->closed_because.code(), absl::StatusCode::kInvalidArgument);

  auto mute = NewAgent("gpu2");
  mute->Connect(/*say_hello=*/false);
  Pass(seconds(9));
  EXPECT_TRUE(mute->stream_open());
  Pass(seconds(2));
  EXPECT_EQ(mute->closed_because.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(FleetTest, TheSameMachineReplacesItsOldStream) {
  auto before = NewAgent("gpu1");
  before->Connect();
  Settle();
  auto after = NewAgent("gpu1");
  after->Connect();
  Settle();
  EXPECT_EQ(before->closed_because.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(after->stream_open());
  EXPECT_EQ(StateOf("gpu1"), v1::HOST_STATE_CONNECTED);
  EXPECT_FALSE(fleet_->FindDuplicate("gpu1").has_value());
}

TEST_F(FleetTest, AnotherMachineOfTheSameNameIsRefusedAndRemembered) {
  auto first = NewAgent("gpu1");
  first->Connect();
  Settle();
  auto second = NewAgent("gpu1");
  second->machine_id = "a cloned image";
  second->Connect();
  Settle();
  EXPECT_EQ(second->closed_because.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(first->stream_open());
  // Not yet: the first may have died unnoticed and this be its reinstalled self.
  EXPECT_FALSE(fleet_->FindDuplicate("gpu1").has_value());

  Pass(seconds(6));
  ASSERT_TRUE(fleet_->FindDuplicate("gpu1").has_value());
  const DuplicateHost duplicate = *fleet_->FindDuplicate("gpu1");
  EXPECT_EQ(duplicate.machine_id, "machine of gpu1");
  EXPECT_EQ(duplicate.refused_machine_id, "a cloned image");

  Pass(minutes(6));
  EXPECT_FALSE(fleet_->FindDuplicate("gpu1").has_value());
}

TEST_F(FleetTest, AReinstalledHostIsNoDuplicate) {
  auto old = NewAgent("gpu1");
  old->answers_pings = false;
  old->Connect();
  Settle();
  auto reinstalled = NewAgent("gpu1");
  reinstalled->machine_id = "after the reinstallation";
  reinstalled->Connect();
  Settle();
  EXPECT_EQ(reinstalled->closed_because.code(), absl::StatusCode::kAlreadyExists);
  Pass(seconds(21));
  reinstalled->Connect();
  Settle();
  EXPECT_TRUE(reinstalled->stream_open());
  EXPECT_FALSE(fleet_->FindDuplicate("gpu1").has_value());
}

TEST_F(FleetTest, ASilentAgentIsGoneAfterItsLease) {
  auto agent = NewAgent("gpu1");
  agent->answers_pings = false;
  agent->Connect();
  Pass(seconds(19));
  EXPECT_TRUE(agent->stream_open());
  EXPECT_GE(agent->Count(v1::ConnectResponse::kPing), 3u);
  Pass(seconds(2));
  EXPECT_FALSE(agent->stream_open());
  EXPECT_EQ(StateOf("gpu1"), v1::HOST_STATE_MISSING);
  EXPECT_THAT(ReasonOf("gpu1"), HasSubstr("not a word for 20 s"));
  EXPECT_FALSE(fleet_->Find("gpu1")->parts->empty()) << "what was known stays known";
}

TEST_F(FleetTest, AnAnsweringAgentStays) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Pass(minutes(2));
  EXPECT_TRUE(agent->stream_open());
}

TEST_F(FleetTest, AReturningAgentSendsOnlyWhatChanged) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  agent->HangUp();
  Settle();
  EXPECT_EQ(StateOf("gpu1"), v1::HOST_STATE_MISSING);
  agent->inbox.clear();
  agent->Connect();
  Settle();
  EXPECT_EQ(agent->Received(v1::ConnectResponse::kWelcome)[0].welcome().known_generation(), 1u);
  EXPECT_EQ(fleet_->Find("gpu1")->generation, 1u) << "confirmed, not sent again";
  EXPECT_EQ(StateOf("gpu1"), v1::HOST_STATE_CONNECTED);
}

TEST_F(FleetTest, ARestartedAgentSendsEverything) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  agent->Restart();
  agent->facts.mutable_kernel()->set_release("6.12");
  agent->inbox.clear();
  agent->Connect();
  Settle();
  EXPECT_EQ(agent->Received(v1::ConnectResponse::kWelcome)[0].welcome().known_generation(), 0u);
  EXPECT_EQ(*fleet_->Find("gpu1")->parts, SplitFacts(agent->facts).value());
}

TEST_F(FleetTest, APongThatDiffersBringsTheFactsBackInStep) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  v1::ConnectRequest pong;
  pong.mutable_pong()->set_facts_generation(1);
  pong.mutable_pong()->set_facts_digest("another history");
  agent->inbox.clear();
  agent->Say(pong);
  Settle();
  const auto wanted = agent->Received(v1::ConnectResponse::kFactsWanted);
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted[0].facts_wanted().since_generation(), 0u);
}

TEST_F(FleetTest, AnswersAWordItDoesNotKnow) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  agent->Say(v1::ConnectRequest());
  Settle();
  EXPECT_EQ(agent->Count(v1::ConnectResponse::kNotUnderstood), 1u);
  EXPECT_TRUE(agent->stream_open());
  for (int i = 0; i < 200; ++i) agent->Say(v1::ConnectRequest());
  Settle();
  EXPECT_FALSE(agent->stream_open());
}

TEST_F(FleetTest, GarbageEndsOnlyItsOwnStream) {
  auto good = NewAgent("gpu1");
  auto bad = NewAgent("gpu2");
  good->Connect();
  bad->Connect();
  Settle();
  v1::ConnectRequest garbage;
  v1::FactsPart* part = garbage.mutable_facts_chunk()->add_parts();
  garbage.mutable_facts_chunk()->set_generation(2);
  part->set_key("kernel");
  part->set_part("\xff\xff\xff garbage");
  bad->Say(garbage);
  Settle();
  EXPECT_EQ(bad->closed_because.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(good->stream_open());
  EXPECT_EQ(StateOf("gpu1"), v1::HOST_STATE_CONNECTED);
}

TEST_F(FleetTest, LetsOnlySoManyAgentsSendFactsAtOnce) {
  std::vector<std::unique_ptr<FakeAgent>> agents;
  for (int i = 0; i < 40; ++i) {
    agents.push_back(NewAgent(fmt::format("gpu{}", i), i));
    agents.back()->answers_facts = false;
    agents.back()->Connect();
  }
  Settle();
  auto asked = [&] {
    std::size_t count = 0;
    for (const auto& agent : agents) count += agent->Count(v1::ConnectResponse::kFactsWanted);
    return count;
  };
  EXPECT_EQ(asked(), 32u);
  agents[0]->SendFacts(0, 0);
  Settle();
  EXPECT_EQ(asked(), 33u);
  Pass(seconds(4));
  EXPECT_EQ(asked(), 40u) << "silent agents hold up the others only for a while";
}

TEST_F(FleetTest, ARefreshEndsWithFactsReadAfterIt) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  agent->answers_facts = false;
  std::vector<Fleet::RefreshEnd> ends;
  ASSERT_NE(fleet_->Refresh("gpu1", [&](Fleet::RefreshEnd end) { ends.push_back(end); }), 0u);
  Settle();
  const auto wanted = agent->Received(v1::ConnectResponse::kFactsWanted);
  EXPECT_TRUE(wanted.back().facts_wanted().collect_now());
  const std::uint64_t request = wanted.back().facts_wanted().request();

  agent->facts.mutable_kernel()->set_release("pushed for another reason");
  agent->SendFacts(agent->generation(), 0);
  Settle();
  EXPECT_TRUE(ends.empty()) << "a push may have been read before we asked";

  agent->SendFacts(agent->generation(), request);
  Settle();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0], Fleet::RefreshEnd::kFresh);
}

TEST_F(FleetTest, ARefreshEndsWhenTheAgentGoes) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  agent->answers_facts = false;
  std::vector<Fleet::RefreshEnd> ends;
  fleet_->Refresh("gpu1", [&](Fleet::RefreshEnd end) { ends.push_back(end); });
  agent->HangUp();
  Settle();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0], Fleet::RefreshEnd::kAgentGone);
  EXPECT_EQ(fleet_->Refresh("gpu1", [](Fleet::RefreshEnd) { FAIL(); }), 0u);
  EXPECT_EQ(fleet_->Refresh("never heard of", [](Fleet::RefreshEnd) { FAIL(); }), 0u);
}

TEST_F(FleetTest, AForgottenRefreshIsNotCalled) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  const auto refresh = fleet_->Refresh("gpu1", [](Fleet::RefreshEnd) { FAIL(); });
  fleet_->ForgetRefresh("gpu1", refresh);
  Settle();
  EXPECT_EQ(agent->Received(v1::ConnectResponse::kFactsWanted).size(), 2u);
}

TEST_F(FleetTest, OrdersCarryTheSessionAndTheEpoch) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  v1::ConnectResponse order;
  order.mutable_run_phase()->mutable_order()->set_probe_id("p");
  ASSERT_TRUE(fleet_->SendOrder("gpu1", order).ok());
  Settle();
  const v1::Order sent = agent->Received(v1::ConnectResponse::kRunPhase)[0].run_phase().order();
  EXPECT_EQ(sent.epoch(), 7u);
  EXPECT_EQ(sent.session(), agent->Received(v1::ConnectResponse::kWelcome)[0].welcome().session());
  EXPECT_EQ(fleet_->SendOrder("gpu2", order).code(), absl::StatusCode::kUnavailable);
}

TEST_F(FleetTest, AcknowledgesEndReportsOfProbesItHasForgotten) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  v1::ConnectRequest report;
  report.mutable_end_report()->set_probe_id("a3-1-1");
  report.mutable_end_report()->set_attempt(2);
  agent->Say(report);
  Settle();
  const auto accepted = agent->Received(v1::ConnectResponse::kEndReportAccepted);
  ASSERT_EQ(accepted.size(), 1u);
  EXPECT_EQ(accepted[0].end_report_accepted().probe_id(), "a3-1-1");
  EXPECT_EQ(accepted[0].end_report_accepted().attempt(), 2u);
}

TEST_F(FleetTest, SaysGoodbyeToAllWhenItStops) {
  auto agent = NewAgent("gpu1");
  agent->Connect();
  Settle();
  fleet_->EndAll(Unavailable("the controller stops"));
  Settle();
  ASSERT_EQ(agent->Count(v1::ConnectResponse::kGoodbye), 1u);
  EXPECT_FALSE(agent->stream_open());
}

}  // namespace
}  // namespace roceready
