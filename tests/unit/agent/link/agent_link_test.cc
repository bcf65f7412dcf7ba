// SPDX-License-Identifier: Apache-2.0
#include "agent/link/agent_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/process/durations.h"
#include "tests/unit/agent/link/fakes.h"

namespace roceready::link {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Body = v1::ConnectRequest::BodyCase;

constexpr uint64_t kEpoch = 5;
constexpr Duration kLease = seconds(20);

v1::ConnectResponse WelcomeOf(uint64_t epoch, std::string_view session = "s1") {
  v1::ConnectResponse message;
  v1::Welcome* welcome = message.mutable_welcome();
  welcome->set_epoch(epoch);
  welcome->set_session(std::string(session));
  welcome->set_software_version("1.2.3");
  *welcome->mutable_lease() = ToProto(kLease);
  return message;
}

v1::ConnectResponse Wanted(uint64_t since, uint64_t request = 0, bool collect_now = false) {
  v1::ConnectResponse message;
  message.mutable_facts_wanted()->set_since_generation(since);
  message.mutable_facts_wanted()->set_request(request);
  message.mutable_facts_wanted()->set_collect_now(collect_now);
  return message;
}

v1::ConnectResponse PingOf(uint64_t nonce, uint64_t epoch = kEpoch) {
  v1::ConnectResponse message;
  message.mutable_ping()->set_nonce(nonce);
  message.mutable_ping()->set_epoch(epoch);
  return message;
}

v1::ConnectResponse AcceptanceOf(const v1::FactsChunk& chunk) {
  v1::ConnectResponse message;
  message.mutable_facts_accepted()->set_instance(chunk.instance());
  message.mutable_facts_accepted()->set_generation(chunk.generation());
  return message;
}

v1::ConnectResponse PrepareOf(std::string_view probe_id, uint64_t epoch = kEpoch) {
  v1::ConnectResponse message;
  message.mutable_prepare_probe()->mutable_order()->set_probe_id(std::string(probe_id));
  message.mutable_prepare_probe()->mutable_order()->set_attempt(1);
  message.mutable_prepare_probe()->mutable_order()->set_epoch(epoch);
  return message;
}

v1::EndReport ReportOf(std::string_view probe_id) {
  v1::EndReport report;
  report.set_probe_id(std::string(probe_id));
  report.set_attempt(1);
  return report;
}

class AgentLinkTest : public ::testing::Test {
 protected:
  AgentLinkTest() {
    source_.facts.mutable_kernel()->set_release("6.1.0");
    v1::NetDevice* device = source_.facts.add_net_devices();
    device->set_id("name:eth0");
    device->mutable_mtu()->set_mtu_bytes(1500);
  }

  void Start() {
    AgentLink::Options options;
    options.endpoint = "c1:7471";
    options.identity.set_host("gpu001");
    options.identity.set_machine_id("m1");
    options.instance = "instance";
    link_ =
        std::make_unique<AgentLink>(AgentLink::Surroundings{.loop = &loop_,
                                                            .dialer = &dialer_,
                                                            .facts = &source_,
                                                            .probes = &probes_,
                                                            .epochs = &epochs_,
                                                            .random = [this] { return random_; },
                                                            .on_change = nullptr},
                                    options);
    link_->Start();
    loop_.RunPending();
  }
  void Connect(uint64_t epoch = kEpoch) {
    Start();
    Deliver(WelcomeOf(epoch));
  }
  void ConnectAndSendFacts() {
    Connect();
    Deliver(Wanted(0));
    AcceptLastChunk();
    Forget();
  }
  void AcceptLastChunk() {
    ASSERT_TRUE(!dialer_.last().received.empty() &&
                dialer_.last().received.back().has_facts_chunk());
    Deliver(AcceptanceOf(dialer_.last().received.back().facts_chunk()));
  }

  void Deliver(const v1::ConnectResponse& message) {
    dialer_.last().events.on_message(message);
    loop_.RunPending();
  }
  void CloseByController(const absl::Status& status) {
    dialer_.last().events.on_closed(status);
    loop_.RunPending();
  }
  // The controller reads again after not having done so.
  void ReadAgain() {
    FakeStream& stream = dialer_.last();
    stream.reading = true;
    stream.sent_pending = false;
    stream.events.on_sent();
    loop_.RunPending();
  }
  void Pass(Duration time) { RunFor(&clock_, &loop_, time); }
  // Pings often enough that the lease holds.
  void PassInTouch(Duration time) {
    for (Duration gone{}; gone < time; gone += seconds(5)) {
      Pass(seconds(5));
      Deliver(PingOf(0));
    }
    std::erase_if(dialer_.last().received,
                  [](const v1::ConnectRequest& message) { return message.has_pong(); });
  }

  std::vector<Body> Sent() const {
    std::vector<Body> bodies;
    for (const auto& message : const_cast<FakeDialer&>(dialer_).last().received) {
      bodies.push_back(message.body_case());
    }
    return bodies;
  }
  const v1::ConnectRequest& LastSent() { return dialer_.last().received.back(); }
  void Forget() { dialer_.last().received.clear(); }

  FakeClock clock_;
  EventLoop loop_{&clock_};
  FakeDialer dialer_{&loop_};
  FakeFactsSource source_{&clock_};
  FakeProbeRunner probes_;
  FakeEpochStore epochs_;
  double random_ = 0.0;
  std::unique_ptr<AgentLink> link_;
};

// ---- Hello and Welcome -------------------------------------------------------------------------

TEST_F(AgentLinkTest, SaysWhoItIsAndWhatItHolds) {
  epochs_.highest_epoch = 4;
  probes_.reports = {ReportOf("p1")};
  Start();

  ASSERT_THAT(Sent(), ElementsAre(Body::kHello));
  const v1::Hello& hello = LastSent().hello();
  EXPECT_EQ(dialer_.last().endpoint, "c1:7471");
  EXPECT_EQ(hello.identity().host(), "gpu001");
  EXPECT_EQ(hello.identity().machine_id(), "m1");
  EXPECT_EQ(hello.instance(), "instance");
  EXPECT_EQ(hello.highest_epoch(), 4u);
  EXPECT_THAT(hello.open_probes(), ElementsAre("p1/1"));
  EXPECT_THAT(hello.features(), ElementsAre("facts.delta", "probe.datagrams"));
  EXPECT_EQ(hello.limits().sessions(), 4u);
  EXPECT_EQ(hello.host_time().seconds(), 1'709'251'200);
}

TEST_F(AgentLinkTest, SendsNoFactsBeforeTheyAreWantedSoThatTheControllerPacesAStorm) {
  Connect();
  Pass(seconds(15));
  EXPECT_THAT(Sent(), ElementsAre(Body::kHello));

  Deliver(Wanted(0));
  EXPECT_THAT(Sent(), ElementsAre(Body::kHello, Body::kFactsChunk));
}

TEST_F(AgentLinkTest, FactsWantedBeforeTheFirstCollectionEndsAreSentWhenItDoes) {
  source_.answers_at_once = false;
  Connect();
  Deliver(Wanted(0, 3));
  EXPECT_THAT(Sent(), ElementsAre(Body::kHello));

  source_.Answer();
  loop_.RunPending();

  ASSERT_THAT(Sent(), ElementsAre(Body::kHello, Body::kCounters, Body::kFactsChunk));
  EXPECT_EQ(LastSent().facts_chunk().request(), 3u);
}

TEST_F(AgentLinkTest, HungCollectionDoesNotKeepPingsFromBeingAnswered) {
  source_.answers_at_once = false;
  Connect();
  Deliver(Wanted(0));

  PassInTouch(minutes(5));
  Deliver(PingOf(77));

  EXPECT_EQ(dialer_.dials(), 1u);
  EXPECT_EQ(LastSent().pong().nonce(), 77u);
}

TEST_F(AgentLinkTest, WithoutWelcomeItGivesUpAndDialsAgain) {
  Start();
  Pass(AgentLink::kWelcomeTimeout);
  EXPECT_TRUE(dialer_.last().ended_by_agent);
  EXPECT_THAT(link_->Status().last_error, HasSubstr("no Welcome from the controller for 10 s"));

  Pass(seconds(1));
  EXPECT_EQ(dialer_.dials(), 2u);
}

TEST_F(AgentLinkTest, MessageBeforeWelcomeEndsTheStream) {
  Start();
  Deliver(PingOf(1));
  EXPECT_TRUE(dialer_.last().ended_by_agent);
}

TEST_F(AgentLinkTest, SecondWelcomeEndsTheStream) {
  Connect();
  Deliver(WelcomeOf(kEpoch));
  EXPECT_TRUE(dialer_.last().ended_by_agent);
}

// ---- epochs ------------------------------------------------------------------------------------

TEST_F(AgentLinkTest, RefusesAControllerOfALowerEpoch) {
  epochs_.highest_epoch = 6;
  Connect(5);

  EXPECT_TRUE(dialer_.last().ended_by_agent);
  EXPECT_THAT(probes_.sessions, IsEmpty());
  EXPECT_THAT(link_->Status().last_error, HasSubstr("epoch 5 is lower than 6"));
  EXPECT_EQ(epochs_.highest_epoch, 6u);
}

TEST_F(AgentLinkTest, KeepsAHigherEpochBeforeAnyOrder) {
  epochs_.highest_epoch = 4;
  Connect(5);

  EXPECT_EQ(epochs_.highest_epoch, 5u);
  EXPECT_THAT(probes_.sessions, ElementsAre(Pair(5u, "s1")));
}

TEST_F(AgentLinkTest, TakesNoOrdersWhereTheEpochCannotBeSavedButSendsFacts) {
  epochs_.raise_fails = true;
  Connect();
  Deliver(PrepareOf("p1"));

  EXPECT_THAT(probes_.orders, IsEmpty());
  ASSERT_TRUE(LastSent().has_probe_refused());
  EXPECT_EQ(LastSent().probe_refused().reason(), v1::REFUSAL_REASON_RESOURCES);
  EXPECT_EQ(LastSent().probe_refused().probe_id(), "p1");
  Deliver(Wanted(0));
  EXPECT_TRUE(LastSent().has_facts_chunk());
}

TEST_F(AgentLinkTest, PingOfAnotherEpochEndsTheStream) {
  Connect();
  Deliver(PingOf(1, kEpoch - 1));
  EXPECT_TRUE(dialer_.last().ended_by_agent);
  EXPECT_THAT(probes_.ended, SizeIs(1));
}

TEST_F(AgentLinkTest, RestartedControllerWithAHigherEpochGetsEverythingItForgot) {
  ConnectAndSendFacts();
  CloseByController(absl::UnavailableError("connection reset"));
  Pass(seconds(1));
  ASSERT_EQ(dialer_.dials(), 2u);

  Deliver(WelcomeOf(kEpoch + 1, "s2"));
  Deliver(Wanted(0));

  EXPECT_EQ(epochs_.highest_epoch, kEpoch + 1);
  EXPECT_THAT(probes_.sessions, ElementsAre(Pair(kEpoch, "s1"), Pair(kEpoch + 1, "s2")));
  EXPECT_EQ(LastSent().facts_chunk().since_generation(), 0u);
}

// ---- losing the controller ---------------------------------------------------------------------

TEST_F(AgentLinkTest, ClosedStreamEndsAllProbes) {
  Connect();
  CloseByController(absl::UnavailableError("connection reset"));
  EXPECT_THAT(probes_.ended, ElementsAre("connection reset"));
}

TEST_F(AgentLinkTest, SilenceForTheLeaseEndsAllProbesAndDialsAgain) {
  Connect();
  Pass(kLease - milliseconds(1));
  EXPECT_THAT(probes_.ended, IsEmpty());

  Pass(milliseconds(1));

  EXPECT_THAT(probes_.ended, ElementsAre("no word from the controller for 20 s"));
  EXPECT_TRUE(dialer_.last().ended_by_agent);
  Pass(seconds(1));
  EXPECT_EQ(dialer_.dials(), 2u);
}

TEST_F(AgentLinkTest, AnyWordRenewsTheLease) {
  Connect();
  for (int i = 0; i < 10; ++i) {
    Pass(kLease - seconds(1));
    Deliver(PingOf(1));
  }
  EXPECT_THAT(probes_.ended, IsEmpty());
  EXPECT_EQ(dialer_.dials(), 1u);
}

TEST_F(AgentLinkTest, LeaseOfZeroIsNotTakenLiterally) {
  Start();
  v1::ConnectResponse welcome = WelcomeOf(kEpoch);
  *welcome.mutable_welcome()->mutable_lease() = ToProto(Duration(0));
  Deliver(welcome);
  Pass(seconds(1));
  EXPECT_FALSE(dialer_.last().ended_by_agent);
}

TEST_F(AgentLinkTest, WaitsDoubleUpToAMinuteAndAreJittered) {
  random_ = 0.999999999;
  Start();
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    const size_t dials = dialer_.dials();
    CloseByController(absl::UnavailableError("refused"));
    const MonotonicTime lost = clock_.Now();
    while (dialer_.dials() == dials) Pass(milliseconds(100));
    waits.push_back(std::chrono::round<seconds>(clock_.Now() - lost));
  }
  EXPECT_THAT(waits, ElementsAre(seconds(2), seconds(4), seconds(8), seconds(16), seconds(32),
                                 seconds(60), seconds(60), seconds(60)));
  EXPECT_EQ(link_->Status().failed_dials, 8u);
}

TEST_F(AgentLinkTest, WaitsStartOverOnlyAfterAConnectionThatLasted) {
  random_ = 0.999999999;
  Start();
  for (int i = 0; i < 5; ++i) {  // welcomed and thrown out at once
    Deliver(WelcomeOf(kEpoch));
    CloseByController(absl::UnavailableError("crash"));
    Pass(minutes(1));
  }
  Deliver(WelcomeOf(kEpoch));
  CloseByController(absl::UnavailableError("crash"));
  EXPECT_GT(link_->Status().next_dial_in, seconds(30));

  Pass(minutes(1));
  Deliver(WelcomeOf(kEpoch));
  PassInTouch(kLease);
  CloseByController(absl::UnavailableError("restart"));
  EXPECT_LE(link_->Status().next_dial_in, seconds(2));
}

TEST_F(AgentLinkTest, GoodbyeSendsItToTheOtherEndpointAtOnceAndBackHomeWhenThatFails) {
  Connect();
  v1::ConnectResponse goodbye;
  goodbye.mutable_goodbye()->set_reason("follower");
  goodbye.mutable_goodbye()->set_other_endpoint("c2:7471");
  Deliver(goodbye);

  ASSERT_EQ(dialer_.dials(), 2u);
  EXPECT_EQ(dialer_.last().endpoint, "c2:7471");
  CloseByController(absl::UnavailableError("refused"));
  Pass(seconds(5));
  EXPECT_EQ(dialer_.last().endpoint, "c1:7471");
}

TEST_F(AgentLinkTest, ControllersThatPointAtEachOtherDoNotKeepItDialling) {
  Start();
  v1::ConnectResponse goodbye;
  goodbye.mutable_goodbye()->set_other_endpoint("c2:7471");
  const size_t before = dialer_.dials();
  for (int i = 0; i < AgentLink::kMaxRedirects; ++i) Deliver(goodbye);
  EXPECT_EQ(dialer_.dials(), before + AgentLink::kMaxRedirects);

  Deliver(goodbye);
  CloseByController(absl::OkStatus());

  EXPECT_EQ(dialer_.dials(), before + AgentLink::kMaxRedirects);
  EXPECT_GE(link_->Status().next_dial_in, seconds(1));
}

TEST_F(AgentLinkTest, RetryAfterIsKeptAndSpread) {
  random_ = 0.5;
  Connect();
  v1::ConnectResponse goodbye;
  *goodbye.mutable_goodbye()->mutable_retry_after() = ToProto(seconds(40));
  Deliver(goodbye);
  CloseByController(absl::OkStatus());
  EXPECT_EQ(link_->Status().next_dial_in, seconds(50));
}

TEST_F(AgentLinkTest, RefusalIsTheStatusThatClosesTheStreamNotTheGoodbyeBeforeIt) {
  Start();
  v1::ConnectResponse goodbye;
  goodbye.mutable_goodbye()->set_reason("certificate is for gpu002");
  Deliver(goodbye);
  CloseByController(absl::PermissionDeniedError("certificate is for gpu002"));

  EXPECT_EQ(link_->Status().last_error, "certificate is for gpu002");
  EXPECT_THAT(link_->Status().advice, HasSubstr("refused this agent"));
}

TEST_F(AgentLinkTest, GoodbyeThatIsNotFollowedByACloseEndsTheStreamAllTheSame) {
  Connect();
  v1::ConnectResponse goodbye;
  goodbye.mutable_goodbye()->set_reason("going down");
  Deliver(goodbye);
  Pass(AgentLink::kCloseWithin);

  EXPECT_TRUE(dialer_.at(0).ended_by_agent);
  EXPECT_EQ(link_->Status().last_error, "the controller said goodbye: going down");
}

TEST_F(AgentLinkTest, EventsOfAnEndedStreamAreIgnored) {
  Connect();
  const StreamEvents old = dialer_.last().events;
  CloseByController(absl::UnavailableError("reset"));
  Pass(seconds(1));
  ASSERT_EQ(dialer_.dials(), 2u);

  old.on_message(WelcomeOf(kEpoch + 7));
  old.on_closed(absl::UnavailableError("late"));
  loop_.RunPending();

  EXPECT_EQ(epochs_.highest_epoch, kEpoch);
  EXPECT_FALSE(dialer_.last().ended_by_agent);
}

// ---- facts -------------------------------------------------------------------------------------

TEST_F(AgentLinkTest, PushesAChangeSoonAfterAKernelEvent) {
  ConnectAndSendFacts();
  Pass(seconds(2));
  source_.facts.mutable_net_devices(0)->mutable_mtu()->set_mtu_bytes(9000);

  for (int i = 0; i < 100; ++i) link_->FactsMayHaveChanged();
  Pass(FactsPoll::kDebounce);

  EXPECT_THAT(Sent(), ElementsAre(Body::kCounters, Body::kFactsChunk));
  EXPECT_EQ(dialer_.last().received.at(1).facts_chunk().parts_size(), 1);
  EXPECT_EQ(source_.collections, 2);
}

TEST_F(AgentLinkTest, ConfirmsUnchangedFactsOnceAnInterval) {
  ConnectAndSendFacts();
  PassInTouch(seconds(60));
  EXPECT_THAT(Sent(), ElementsAre(Body::kCounters, Body::kFactsConfirmed));
}

TEST_F(AgentLinkTest, CollectNowIsAnsweredByACollectionThatBeganAfterwards) {
  ConnectAndSendFacts();
  source_.answers_at_once = false;
  Pass(seconds(3));
  link_->FactsMayHaveChanged();
  Pass(seconds(1));
  ASSERT_TRUE(source_.asked());
  Forget();

  Deliver(Wanted(1, 9, /*collect_now=*/true));
  source_.Answer();  // began before the request
  loop_.RunPending();
  for (const auto& message : dialer_.last().received) {
    EXPECT_NE(message.facts_confirmed().request(), 9u);
  }
  ASSERT_TRUE(source_.asked());
  Forget();
  source_.Answer();
  loop_.RunPending();

  ASSERT_THAT(Sent(), ElementsAre(Body::kCounters, Body::kFactsConfirmed));
  EXPECT_EQ(dialer_.last().received.at(1).facts_confirmed().request(), 9u);
}

TEST_F(AgentLinkTest, CollectNowWithAChangeIsOneTransferThatEchoesTheRequest) {
  ConnectAndSendFacts();
  source_.facts.mutable_net_devices(0)->mutable_mtu()->set_mtu_bytes(9000);

  Deliver(Wanted(1, 9, /*collect_now=*/true));

  ASSERT_THAT(Sent(), ElementsAre(Body::kCounters, Body::kFactsChunk));
  const v1::FactsChunk chunk = dialer_.last().received.at(1).facts_chunk();
  EXPECT_EQ(chunk.request(), 9u);
  EXPECT_EQ(chunk.parts_size(), 1);
  Deliver(AcceptanceOf(chunk));
  EXPECT_THAT(Sent(), SizeIs(2));
}

TEST_F(AgentLinkTest, RawCountersAreCollectedOnlyWhenAskedFor) {
  ConnectAndSendFacts();
  EXPECT_FALSE(source_.raw_counters_asked);
  v1::ConnectResponse wanted = Wanted(1, 9, true);
  wanted.mutable_facts_wanted()->set_with_raw_counters(true);
  Deliver(wanted);
  EXPECT_TRUE(source_.raw_counters_asked);
  Deliver(Wanted(1, 10, true));
  EXPECT_FALSE(source_.raw_counters_asked);
}

TEST_F(AgentLinkTest, FactsThatCannotBeUsedAreNotConfirmedAsFresh) {
  ConnectAndSendFacts();
  *source_.facts.add_net_devices() = source_.facts.net_devices(0);

  Deliver(Wanted(1, 9, /*collect_now=*/true));

  for (const auto& message : dialer_.last().received) {
    EXPECT_FALSE(message.has_facts_confirmed());
    EXPECT_FALSE(message.has_facts_chunk());
  }
  EXPECT_THAT(link_->Status().facts_error, HasSubstr("two rows have this id"));
}

TEST_F(AgentLinkTest, SlowReaderGetsOneDifferenceNotEveryStep) {
  ConnectAndSendFacts();
  dialer_.last().reading = false;
  for (uint32_t mtu = 2000; mtu < 2050; ++mtu) {
    source_.facts.mutable_net_devices(0)->mutable_mtu()->set_mtu_bytes(mtu);
    link_->FactsMayHaveChanged();
    Pass(seconds(2));
    dialer_.last().events.on_message(PingOf(mtu));
  }
  loop_.RunPending();
  ASSERT_THAT(Sent(), ElementsAre(Body::kCounters));

  ReadAgain();
  const auto bodies = Sent();

  EXPECT_EQ(std::count(bodies.begin(), bodies.end(), Body::kFactsChunk), 1);
  EXPECT_EQ(std::count(bodies.begin(), bodies.end(), Body::kPong), 1);
  EXPECT_EQ(std::count(bodies.begin(), bodies.end(), Body::kCounters), 2)
      << "the ones on their way, and the last";
}

TEST_F(AgentLinkTest, PongCarriesWhatTheControllerMustHave) {
  ConnectAndSendFacts();
  Pass(seconds(7));
  Deliver(PingOf(3));

  EXPECT_EQ(LastSent().pong().nonce(), 3u);
  EXPECT_EQ(LastSent().pong().facts_generation(), 1u);
  EXPECT_EQ(LastSent().pong().facts_digest(), DigestOfParts(*SplitFacts(source_.facts)));
  EXPECT_EQ(FromProto(LastSent().pong().since_full_collection()), seconds(7));
}

// ---- probes ------------------------------------------------------------------------------------

TEST_F(AgentLinkTest, HandsOrdersToTheExecutorAndAnswersBack) {
  Connect();
  Deliver(PrepareOf("p1"));
  ASSERT_THAT(probes_.orders, SizeIs(1));

  v1::ConnectRequest answer;
  answer.mutable_probe_prepared()->set_probe_id("p1");
  link_->ProbeAnswered(answer);
  loop_.RunPending();

  EXPECT_EQ(LastSent().probe_prepared().probe_id(), "p1");
}

TEST_F(AgentLinkTest, ReportsNotAcceptedAreSentAgainAfterAReconnectUntilTheyAre) {
  Connect();
  probes_.reports = {ReportOf("p1"), ReportOf("p2")};
  CloseByController(absl::UnavailableError("reset"));
  Pass(seconds(1));
  EXPECT_THAT(LastSent().hello().open_probes(), ElementsAre("p1/1", "p2/1"));

  Deliver(WelcomeOf(kEpoch + 1, "s2"));
  EXPECT_THAT(Sent(), ElementsAre(Body::kHello, Body::kEndReport, Body::kEndReport));
  v1::ConnectResponse accepted;
  accepted.mutable_end_report_accepted()->set_probe_id("p1");
  accepted.mutable_end_report_accepted()->set_attempt(1);
  Deliver(accepted);

  EXPECT_THAT(probes_.OpenProbes(), ElementsAre("p2/1"));
}

TEST_F(AgentLinkTest, AnswersWithoutAStreamAreDropped) {
  Start();
  v1::ConnectRequest answer;
  answer.mutable_probe_prepared()->set_probe_id("p1");
  link_->ProbeAnswered(answer);
  loop_.RunPending();
  EXPECT_THAT(Sent(), ElementsAre(Body::kHello));
}

TEST_F(AgentLinkTest, ControllerThatDoesNotReadAnswersLosesTheStreamNotTheAgentsMemory) {
  Connect();
  dialer_.last().reading = false;
  v1::ConnectRequest answer;
  answer.mutable_phase_done()->set_probe_id("p1");
  for (size_t i = 0; i < Outbox::kMaxAnswers + 2; ++i) link_->ProbeAnswered(answer);
  loop_.RunPending();

  EXPECT_TRUE(dialer_.at(0).ended_by_agent);
  EXPECT_THAT(link_->Status().last_error, HasSubstr("does not read"));
}

// ---- what it does not know ---------------------------------------------------------------------

TEST_F(AgentLinkTest, MessageOfANewerControllerIsAnsweredAsNotUnderstood) {
  Connect();
  v1::ConnectResponse message;
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(77, "x");
  Deliver(message);

  EXPECT_EQ(LastSent().not_understood().body(), "field 77");
  EXPECT_FALSE(dialer_.last().ended_by_agent);
}

// ---- status and shutdown -----------------------------------------------------------------------

TEST_F(AgentLinkTest, StatusSaysSinceWhenWhyAndWhatToDo) {
  Start();
  EXPECT_EQ(DescribeInOneLine(link_->Status()), "gpu001: connecting to c1:7471");
  CloseByController(absl::UnavailableError("connection refused"));
  EXPECT_THAT(Describe(link_->Status()),
              HasSubstr("gpu001: not connected to c1:7471 for 0 s: connection refused\n"
                        "what to do: check that roceready-controller runs"));
  Pass(seconds(1));
  Deliver(WelcomeOf(kEpoch));
  Pass(seconds(5));
  EXPECT_THAT(
      Describe(link_->Status()),
      HasSubstr(
          "gpu001: connected to c1:7471 for 5 s\ncontroller: version 1.2.3, epoch 5, session 7331\n"
          "facts: generation 1, read 6 s ago\n"));
}

TEST_F(AgentLinkTest, ShutdownEndsProbesDeliversTheirReportsAndSaysGoodbye) {
  Connect();
  probes_.live = 1;
  bool done = false;
  link_->Shutdown([&] { done = true; });
  EXPECT_THAT(probes_.ended, ElementsAre("the agent stops"));
  Pass(seconds(1));
  EXPECT_FALSE(done);

  v1::ConnectRequest report;
  *report.mutable_end_report() = ReportOf("p1");
  link_->ProbeAnswered(report);
  probes_.live = 0;
  Pass(milliseconds(200));

  EXPECT_THAT(Sent(), ElementsAre(Body::kHello, Body::kEndReport, Body::kGoodbye));
  EXPECT_TRUE(dialer_.last().finished_by_agent);
  CloseByController(absl::OkStatus());
  EXPECT_TRUE(done);
  Pass(minutes(5));
  EXPECT_EQ(dialer_.dials(), 1u);
}

TEST_F(AgentLinkTest, ShutdownDoesNotWaitForeverForAProbeOrADeafController) {
  Connect();
  probes_.live = 1;
  dialer_.last().reading = false;
  Deliver(PingOf(1));
  int done = 0;
  link_->Shutdown([&] { ++done; });
  Pass(AgentLink::kProbesEndWithin + AgentLink::kCloseWithin);
  EXPECT_EQ(done, 1);
}

TEST_F(AgentLinkTest, ShutdownWhileWaitingToDialEndsAtOnce) {
  Start();
  CloseByController(absl::UnavailableError("refused"));
  bool done = false;
  link_->Shutdown([&] { done = true; });
  Pass(milliseconds(100));
  EXPECT_TRUE(done);
  EXPECT_EQ(dialer_.dials(), 1u);
}

}  // namespace
}  // namespace roceready::link
