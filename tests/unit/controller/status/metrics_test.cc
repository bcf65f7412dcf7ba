// SPDX-License-Identifier: Apache-2.0
// The page whole, of a controller in memory.
#include "controller/status/metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "tests/support/controller_world.h"

namespace roceready::status {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MetricsTest : public testing::Test {
 protected:
  MetricsTest() { loads_.Note(absl::OkStatus(), world_.clock.Wall()); }

  Families Gathered() {
    return Gather({.loop = &world_.loop,
                   .watch = &watch_,
                   .fleet = &world_.fleet,
                   .switches = &world_.switches,
                   .prober = &world_.prober,
                   .audits = world_.book.get(),
                   .api = &api_,
                   .policies = &world_.policies,
                   .loads = &loads_,
                   .version = {.epoch = 7, .started = world_.clock.Wall()}},
                  {{.name = "start", .ok = false, .reason = "up for 1 s"}});
  }
  std::string Page() { return TextOf(Gathered()); }

  // Found as a line of its own.
  static auto Line(const std::string& line) { return HasSubstr("\n" + line + "\n"); }

  void Audit(const std::vector<std::string>& hosts, v1::PlanKind plan) {
    const std::string list = fmt::format("{}", fmt::join(hosts, ","));
    ASSERT_TRUE(world_.Create(ControllerWorld::Ask(list, plan), hosts, "alice").ok());
    world_.Pass(minutes(1));
  }

  ControllerWorld world_;
  LoopWatch watch_{&world_.loop};
  controller::PolicyLoads loads_;
  FleetApi api_{{.fleet = &world_.fleet,
                 .audits = world_.book.get(),
                 .verdicts = world_.verdicts.get(),
                 .policies = &world_.policies,
                 .switches = &world_.switches,
                 .switch_archive = &world_.switch_archive,
                 .worker = &world_.worker,
                 .finder = &world_.worker,
                 .clock = &world_.clock},
                {.default_policy = "lab"}};
};

TEST_F(MetricsTest, OfAControllerThatHasJustStartedBeginAtZero) {
  EXPECT_THAT(Page(),
              AllOf(Line("roceready_controller_epoch 7"), Line("roceready_ready 0"),
                    Line("roceready_ready_condition{condition=\"start\"} 0"),
                    Line("roceready_hosts{state=\"connected\"} 0"),
                    Line("roceready_hosts_last_verdict{readiness=\"none\"} 0"),
                    Line("roceready_audits_ended_total{state=\"aborted\",readiness=\"none\"} 0"),
                    Line("roceready_probe_phases_total{operation=\"write\",outcome=\"done\"} 0"),
                    Line("roceready_verdict_refusals_total{code=\"resource_exhausted\"} 0"),
                    Line("roceready_policy_load_ok 1")));
}

TEST_F(MetricsTest, CountHostsByTheirState) {
  FakeAgent* gone = world_.Connect("gpu1", 1);
  FakeAgent* stale = world_.Connect("gpu2", 2);
  world_.Connect("gpu3", 3);
  world_.Connect("gpu4", 4)->host_time = world_.clock.Wall() + minutes(5);
  world_.agents["gpu4"]->HangUp();
  world_.agents["gpu4"]->Connect();
  gone->HangUp();
  stale->answers_facts = false;
  world_.loop.RunPending();
  EXPECT_THAT(Page(), AllOf(Line("roceready_hosts{state=\"connected\"} 3"),
                            Line("roceready_hosts{state=\"missing\"} 1"),
                            Line("roceready_agents{version=\"0.1.0-fake\"} 3"),
                            Line("roceready_hosts_clock_off 1"),
                            Line("roceready_agent_streams_admitted_total 5")));

  world_.Pass(kFactsGoodFor + seconds(1));
  EXPECT_THAT(Page(), AllOf(Line("roceready_hosts{state=\"stale\"} 3"),
                            Line("roceready_hosts{state=\"maintenance\"} 0"),
                            Line("roceready_oldest_fact_age_seconds 181")));
}

TEST_F(MetricsTest, CountStreamsThatWereRefused) {
  world_.Connect("gpu1", 1);
  FakeAgent other(&world_.loop, &world_.fleet, "gpu1");
  other.machine_id = "another";
  other.Connect();
  FakeAgent stranger(&world_.loop, &world_.fleet, "gpu9");
  stranger.certified_host = "gpu8";
  stranger.Connect();
  world_.loop.RunPending();
  EXPECT_THAT(Page(),
              AllOf(Line("roceready_agent_streams_refused_total{code=\"already_exists\"} 1"),
                    Line("roceready_agent_streams_refused_total{code=\"permission_denied\"} 1"),
                    Line("roceready_hosts{state=\"connected\"} 1")));
}

TEST_F(MetricsTest, CountAuditsTheirProbesAndWhatTheyFound) {
  for (int i = 1; i <= 3; ++i) world_.Connect(fmt::format("gpu{}", i), i);
  Audit({"gpu1", "gpu2"}, v1::PLAN_KIND_RING);
  EXPECT_THAT(
      Page(),
      AllOf(Line("roceready_audits_ended_total{state=\"done\",readiness=\"ready\"} 1"),
            Line("roceready_audit_duration_seconds_count{probes=\"yes\"} 1"),
            Line("roceready_audit_duration_seconds_count{probes=\"no\"} 0"),
            Line("roceready_hosts_last_verdict{readiness=\"ready\"} 2"),
            Line("roceready_hosts_last_verdict{readiness=\"none\"} 1"),
            Line("roceready_last_audit_hosts 2"),
            Line("roceready_probes_total{end=\"measured\"} 1"),
            Line("roceready_probe_attempts_total 1"),
            Not(Line("roceready_probe_phases_total{operation=\"write\",outcome=\"done\"} 0")),
            Line("roceready_last_audit_findings{check=\"pfc.lossless-priority\",outcome=\"fail\"} "
                 "0")));

  // A name that nobody has connected as is judged, and is no host of the fleet.
  Audit({"gpu1", "nobody"}, v1::PLAN_KIND_NONE);
  EXPECT_THAT(
      Page(),
      AllOf(Line("roceready_audits_ended_total{state=\"done\",readiness=\"undetermined\"} 1"),
            Line("roceready_audit_duration_seconds_count{probes=\"no\"} 1"),
            Line("roceready_hosts_last_verdict{readiness=\"ready\"} 2"),
            Line("roceready_hosts_last_verdict{readiness=\"none\"} 1")));
}

TEST_F(MetricsTest, CountQuestionsForVerdicts) {
  world_.Connect("gpu1", 1);
  const auto ask = [&](const std::string& hosts, std::optional<Role> role) {
    v1::GetVerdictRequest request;
    request.set_hosts(hosts);
    api_.GetVerdict({"vera", role}, request, [](const auto&) {});
    world_.loop.RunPending();
  };
  ask("gpu1", Role::kViewer);
  ask("gpu1", std::nullopt);
  ask("gpu[1-2]", Role::kViewer);
  EXPECT_THAT(Page(), AllOf(Line("roceready_verdict_answers_total{readiness=\"ready\"} 1"),
                            Line("roceready_verdict_refusals_total{code=\"permission_denied\"} 1"),
                            Line("roceready_verdict_refusals_total{code=\"unavailable\"} 1"),
                            Line("roceready_verdict_duration_seconds_count 1")));
}

TEST_F(MetricsTest, SayThatAReloadFailed) {
  loads_.Note(InvalidArgument("lab.yaml:4:18: found 9"), world_.clock.Wall() + minutes(1));
  EXPECT_THAT(Page(), AllOf(Line("roceready_policy_load_ok 0"),
                            Line("roceready_policy_load_failures_total 1"),
                            Line("roceready_policy_load_success_time_seconds 1709251200")));
}

// Says Hello and no more.
class QuietConnection final : public AgentConnection {
 public:
  explicit QuietConnection(const std::string& host) : identity_(IdentityOfNames({host}, {})) {}
  const PeerIdentity& identity() const override { return identity_; }
  const std::string& peer_address() const override { return address_; }
  void Send(v1::ConnectResponse) override {}
  void Close(const absl::Status&) override {}

 private:
  const PeerIdentity identity_;
  const std::string address_ = "memory";
};

TEST_F(MetricsTest, StayUnderFiveThousandSeriesWhateverComesFromOutside) {
  for (int i = 0; i < 10'000; ++i) {
    const std::string host = fmt::format("gpu{:05}", i);
    const StreamId stream = world_.fleet.Accept(std::make_shared<QuietConnection>(host));
    v1::ConnectRequest message;
    v1::Hello* hello = message.mutable_hello();
    hello->mutable_identity()->set_host(host);
    hello->mutable_identity()->set_machine_id(host);
    hello->set_instance("1");
    hello->set_software_version(fmt::format("1.{}\n\"", i / 2));
    world_.fleet.Receive(stream, std::move(message));
  }
  v1::Verdict verdict;
  for (int i = 0; i < 2'000; ++i) {
    v1::CheckTally* tally = verdict.add_tallies();
    tally->set_check_id(fmt::format("site.{}", i));
    tally->set_evaluated(static_cast<std::uint64_t>(i));
    tally->set_fail(1);
  }
  Families families = Gathered();
  AddFindings(verdict, &families);
  AddProcess("/", world_.clock.Wall(), &families);
  std::istringstream page(TextOf(families));

  std::size_t series = 0, versions = 0, agents = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) continue;
    ++series;
    EXPECT_THAT(line, Not(HasSubstr("gpu")));
    if (!line.starts_with("roceready_agents{")) continue;
    ++versions;
    agents += static_cast<std::size_t>(std::stoul(line.substr(line.rfind(' '))));
  }
  EXPECT_LT(series, 5'000u);
  EXPECT_EQ(versions, kMaxVersions + 1);
  EXPECT_EQ(agents, 10'000u);
}

TEST_F(MetricsTest, NamesKeepTheRules) {
  Audit({"gpu1"}, v1::PLAN_KIND_NONE);
  std::set<std::string> names;
  for (const prometheus::MetricFamily& family : Gathered()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name << " twice";
    EXPECT_TRUE(family.name.starts_with("roceready_")) << family.name;
    EXPECT_EQ(family.type == prometheus::MetricType::Counter, family.name.ends_with("_total"))
        << family.name;
    EXPECT_TRUE(family.help.ends_with(".")) << family.name;
  }
}

}  // namespace
}  // namespace roceready::status
