// SPDX-License-Identifier: Apache-2.0
#include "controller/api/fleet_api.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "tests/support/controller_world.h"
#include "tests/support/unused_store.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Caller kViewer{"vera", Role::kViewer};
const Caller kOperator{"otto", Role::kOperator};
const Caller kNobody{"host gpu1", std::nullopt};

// What was, in memory.
class History final : public UnusedStore {
 public:
  absl::StatusOr<std::optional<KeptAudit>> FindAudit(const AuditId& id) override {
    const auto found = audits.find(id);
    return found == audits.end() ? std::nullopt : std::optional(found->second);
  }
  absl::StatusOr<EventPage> Events(const EventQuery& query) override {
    EventPage page;
    for (const v1::Event& event : events) {
      const bool wanted = event.number() > query.after && FromProto(event.at()) >= query.since &&
                          (!query.of_host || query.of_host(event.host()));
      if (!wanted) continue;
      if (page.events.size() == query.at_most) {
        page.next_after = page.events.back().number();
        break;
      }
      page.events.push_back(event);
    }
    return page;
  }

  std::map<AuditId, KeptAudit> audits;
  std::vector<v1::Event> events;
};

class FleetApiTest : public testing::Test {
 protected:
  FleetApiTest()
      : api_({.fleet = &world_.fleet,
              .audits = world_.book.get(),
              .verdicts = world_.verdicts.get(),
              .policies = &world_.policies,
              .switches = &world_.switches,
              .switch_archive = &world_.switch_archive,
              .worker = &world_.worker,
              .finder = &world_.worker,
              .store = &store_,
              .store_worker = &world_.worker,
              .clock = &world_.clock},
             {.default_policy = "lab"}) {}

  using Created = absl::StatusOr<v1::CreateAuditResponse>;
  Created Create(const Caller& caller, const v1::CreateAuditRequest& request) {
    Created created = absl::UnknownError("not answered yet");
    api_.CreateAudit(caller, request, [&](Created answer) { created = std::move(answer); });
    return created;
  }

  using Stopped = absl::StatusOr<v1::StopProbesResponse>;
  Stopped StopProbes(const Caller& caller, const v1::StopProbesRequest& request) {
    auto stopped = std::make_shared<Stopped>(absl::UnknownError("not answered yet"));
    api_.StopProbes(caller, request, [stopped](Stopped answer) { *stopped = std::move(answer); });
    world_.Pass(milliseconds(100));
    return *stopped;
  }

  // Two hosts of which the first takes the order to send, and never says that it did.
  std::string StartProbesThatHang() {
    world_.Connect("gpu1", 1)->reactions[ProbeStep::kRun] = Reaction::kSilent;
    world_.Connect("gpu2", 2);
    const auto created = Create(kOperator, ControllerWorld::Ask("gpu[1-2]"));
    EXPECT_TRUE(created.ok()) << created.status();
    world_.Pass(milliseconds(500));
    EXPECT_EQ(world_.prober.running_pairs(), 1u);
    return created->audit().audit_id();
  }

  // The answer of a method that comes later.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Ask(
      void (FleetApi::*method)(const Caller&, const Request&,
                               std::function<void(absl::StatusOr<Response>)>),
      const Request& request) {
    absl::StatusOr<Response> answer = absl::UnknownError("not answered yet");
    (api_.*method)(kViewer, request,
                   [&](absl::StatusOr<Response> given) { answer = std::move(given); });
    world_.loop.RunPending();
    return answer;
  }

  v1::Audit RunAudit(const std::string& hosts, v1::PlanKind plan = v1::PLAN_KIND_NONE) {
    const auto created = Create(kOperator, ControllerWorld::Ask(hosts, plan));
    EXPECT_TRUE(created.ok()) << created.status();
    world_.Pass(std::chrono::seconds(60));
    v1::GetAuditRequest request;
    request.set_audit_id(created->audit().audit_id());
    return Ask(&FleetApi::GetAudit, request)->audit();
  }

  template <typename T>
  static std::string TextOf(const absl::StatusOr<T>& result) {
    return std::string(Message(result.status()));
  }

  static std::vector<std::string> HostsOf(const v1::ListHostsResponse& response) {
    std::vector<std::string> hosts;
    for (const v1::Host& host : response.hosts()) hosts.push_back(host.host());
    return hosts;
  }

  ControllerWorld world_;
  History store_;
  FleetApi api_;
};

TEST_F(FleetApiTest, ListsKnownHostsInTheOrderOfTheirNumbers) {
  for (std::uint32_t number : {10, 2, 1}) world_.Connect(fmt::format("gpu{}", number), number);
  EXPECT_THAT(HostsOf(*api_.ListHosts(kViewer, {})), ElementsAre("gpu1", "gpu2", "gpu10"));
}

TEST_F(FleetApiTest, ANamedHostThatNobodyHeardOfIsARow) {
  world_.Connect("gpu1", 1);
  v1::ListHostsRequest request;
  request.set_hosts("gpu[1-2]");
  const auto response = api_.ListHosts(kViewer, request);
  ASSERT_EQ(response->hosts_size(), 2);
  EXPECT_EQ(response->hosts(0).state(), v1::HOST_STATE_CONNECTED);
  EXPECT_EQ(response->hosts(1).state(), v1::HOST_STATE_UNKNOWN);
}

TEST_F(FleetApiTest, AMalformedHostListIsAnErrorWithItsColumn) {
  v1::ListHostsRequest request;
  request.set_hosts("gpu[1-2");
  const auto response = api_.ListHosts(kViewer, request);
  EXPECT_EQ(response.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(TextOf(response), HasSubstr("column"));
  const auto audit = Create(kOperator, ControllerWorld::Ask("gpu[1-2"));
  EXPECT_EQ(audit.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(TextOf(audit), HasSubstr("column"));
}

TEST_F(FleetApiTest, PagesFollowEachOtherWithoutGapsOrRepeats) {
  for (std::uint32_t number = 1; number <= 5; ++number) {
    world_.Connect(fmt::format("gpu{}", number), number);
  }
  v1::ListHostsRequest request;
  request.set_page_size(2);
  std::vector<std::string> all;
  do {
    const auto page = api_.ListHosts(kViewer, request);
    ASSERT_TRUE(page.ok());
    EXPECT_LE(page->hosts_size(), 2);
    for (const std::string& host : HostsOf(*page)) all.push_back(host);
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(all, ElementsAre("gpu1", "gpu2", "gpu3", "gpu4", "gpu5"));

  request.set_page_token("three");
  EXPECT_EQ(api_.ListHosts(kViewer, request).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FleetApiTest, GivesAHostsFactsAndTheirAges) {
  FakeAgent* agent = world_.Connect("gpu1", 1);
  world_.Pass(std::chrono::seconds(4));
  v1::GetHostFactsRequest request;
  request.set_host("gpu1");
  const auto response = api_.GetHostFacts(kViewer, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->facts().net_devices_size(), agent->facts.net_devices_size());
  ASSERT_GT(response->ages_size(), 0);
  EXPECT_GE(response->ages(0).age().seconds(), 3);
}

TEST_F(FleetApiTest, AReadMaskTrimsAndIsChecked) {
  FakeAgent* agent = world_.Connect("gpu1", 1);
  agent->facts.mutable_kernel()->set_release("6.1.0-37-amd64");
  agent->SendFacts(agent->generation(), 0);
  world_.loop.RunPending();
  v1::GetHostFactsRequest request;
  request.set_host("gpu1");
  request.mutable_read_mask()->add_paths("kernel.release");
  const auto response = api_.GetHostFacts(kViewer, request);
  ASSERT_TRUE(response.ok());
  EXPECT_TRUE(response->facts().kernel().has_release());
  EXPECT_EQ(response->facts().net_devices_size(), 0);

  request.mutable_read_mask()->add_paths("kernel.colour");
  EXPECT_EQ(api_.GetHostFacts(kViewer, request).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(FleetApiTest, AnAuditIsOfTheJobThatIsToRun) {
  world_.Connect("gpu1", 1);
  v1::CreateAuditRequest request = ControllerWorld::Ask("gpu1", v1::PLAN_KIND_NONE);
  request.set_job_environment("\nNCCL_IB_TC=128\n");
  const auto created = Create(kOperator, request);
  ASSERT_TRUE(created.ok()) << created.status();
  world_.Pass(std::chrono::seconds(60));
  v1::ListFindingsRequest list;
  list.set_audit_id(created->audit().audit_id());
  const auto findings = Ask(&FleetApi::ListFindings, list);
  ASSERT_TRUE(findings.ok()) << findings.status();
  const auto found = std::ranges::find(findings->findings(), "job.traffic-class",
                                       [](const v1::Finding& one) { return one.check_id(); });
  ASSERT_NE(found, findings->findings().end());
  EXPECT_THAT(found->actual(), HasSubstr("128"));

  request.set_job_environment("NCCL_IB_TC=4711");
  EXPECT_THAT(TextOf(Create(kOperator, request)), HasSubstr("job_environment:1"));
  request.set_job_environment(std::string(70'000, '#'));
  EXPECT_THAT(TextOf(Create(kOperator, request)), HasSubstr("65536"));
}

TEST_F(FleetApiTest, TellsAHostWithoutFactsFromOneNobodyHeardOf) {
  auto silent = std::make_unique<FakeAgent>(&world_.loop, &world_.fleet, "gpu1");
  silent->answers_facts = false;
  silent->Connect();
  world_.loop.RunPending();
  v1::GetHostFactsRequest request;
  request.set_host("gpu1");
  EXPECT_EQ(api_.GetHostFacts(kViewer, request).status().code(), absl::StatusCode::kUnavailable);
  request.set_host("gpu2");
  EXPECT_EQ(api_.GetHostFacts(kViewer, request).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FleetApiTest, EachRoleMayDoWhatIsItsOwn) {
  world_.Connect("gpu1", 1);
  EXPECT_EQ(api_.ListHosts(kNobody, {}).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(api_.ListHosts(kViewer, {}).ok());
  const auto request = ControllerWorld::Ask("gpu1", v1::PLAN_KIND_NONE);
  const auto denied = Create(kViewer, request);
  EXPECT_EQ(denied.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(TextOf(denied), HasSubstr("vera has viewer"));
  const auto created = Create(kOperator, request);
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->audit().requested_by(), "otto");
  v1::CancelAuditRequest cancel;
  cancel.set_audit_id(created->audit().audit_id());
  EXPECT_EQ(api_.CancelAudit(kViewer, cancel).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(api_.CancelAudit(kOperator, cancel).ok());
  v1::StopProbesRequest stop;
  stop.set_all(true);
  EXPECT_EQ(StopProbes(kViewer, stop).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(StopProbes(kOperator, stop).ok());
  EXPECT_EQ(api_.ReadEvents(kNobody, created->audit().audit_id(), 0, 1).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(FleetApiTest, AStarMeansEveryKnownHost) {
  world_.Connect("gpu1", 1);
  world_.Connect("gpu2", 2);
  EXPECT_EQ(RunAudit("*").progress().hosts_total(), 2u);
}

TEST_F(FleetApiTest, RefusesWhatCannotBeAudited) {
  world_.Connect("gpu1", 1);
  auto code = [&](const v1::CreateAuditRequest& request) {
    return Create(kOperator, request).status().code();
  };
  EXPECT_EQ(code(ControllerWorld::Ask("")), absl::StatusCode::kInvalidArgument);
  auto incast = ControllerWorld::Ask("gpu[1-4]", v1::PLAN_KIND_INCAST);
  incast.mutable_plan()->set_degree(4);
  EXPECT_EQ(code(incast), absl::StatusCode::kInvalidArgument) << "four send to none of them";
  EXPECT_EQ(code(ControllerWorld::Ask("gpu[1-4]", v1::PLAN_KIND_SPARSE)),
            absl::StatusCode::kInvalidArgument)
      << "of no degree";
  EXPECT_EQ(code(ControllerWorld::Ask("gpu[1-448]", v1::PLAN_KIND_FULL)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(ControllerWorld::Ask("gpu1", v1::PLAN_KIND_PAIR)),
            absl::StatusCode::kInvalidArgument);
  auto negative = ControllerWorld::Ask("gpu1");
  negative.mutable_timeout()->set_seconds(-1);
  EXPECT_EQ(code(negative), absl::StatusCode::kInvalidArgument);
  auto policy = ControllerWorld::Ask("gpu1");
  policy.set_policy("lossless");
  const auto unknown = Create(kOperator, policy);
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(TextOf(unknown), HasSubstr("there are: lab, lossless-dscp"));
  EXPECT_THAT(api_.ListAudits(kViewer, {})->audits(), IsEmpty());
}

TEST_F(FleetApiTest, ListsFindingsByStatusAndHost) {
  world_.Connect("gpu1", 1);
  builders::HostBuilder broken("gpu2", 2);
  broken.WithPfc({});
  FakeAgent* agent = world_.Connect("gpu2", 2);
  agent->facts = broken.facts();
  agent->facts.mutable_identity()->set_host("gpu2");
  const v1::Audit audit = RunAudit("gpu[1-2],nobody");

  v1::ListFindingsRequest request;
  request.set_audit_id(audit.audit_id());
  request.add_statuses(v1::CHECK_STATUS_FAIL);
  auto response = Ask(&FleetApi::ListFindings, request);
  ASSERT_EQ(response->findings_size(), 1);
  EXPECT_EQ(response->findings(0).check_id(), "pfc.lossless-priority");
  EXPECT_EQ(response->findings(0).subject().host(), "gpu2");

  request.clear_statuses();
  request.set_hosts("nobody");
  response = Ask(&FleetApi::ListFindings, request);
  ASSERT_GE(response->findings_size(), 1);
  for (const v1::Finding& finding : response->findings()) {
    EXPECT_EQ(finding.subject().host(), "nobody");
  }
  request.set_hosts("[");
  EXPECT_EQ(Ask(&FleetApi::ListFindings, request).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(FleetApiTest, ListsProbeResults) {
  world_.Connect("gpu1", 1);
  world_.Connect("gpu2", 2);
  const v1::Audit audit = RunAudit("gpu[1-2]", v1::PLAN_KIND_PAIR);
  v1::ListProbeResultsRequest request;
  request.set_audit_id(audit.audit_id());
  const auto response = Ask(&FleetApi::ListProbeResults, request);
  ASSERT_EQ(response->results_size(), 1);
  EXPECT_EQ(response->results(0).spec().probe_id(), audit.audit_id() + "-1");
}

TEST_F(FleetApiTest, WhoHasProbeResultsAlreadyGetsTheNewOnes) {
  for (std::uint32_t number : {1, 2, 3}) world_.Connect(fmt::format("gpu{}", number), number);
  const v1::Audit audit = RunAudit("gpu[1-3]", v1::PLAN_KIND_FULL);
  v1::ListProbeResultsRequest request;
  request.set_audit_id(audit.audit_id());
  const auto all = Ask(&FleetApi::ListProbeResults, request);
  ASSERT_EQ(all->results_size(), 3);
  request.set_skip(1);
  request.set_page_size(1);
  const auto second = Ask(&FleetApi::ListProbeResults, request);
  ASSERT_EQ(second->results_size(), 1);
  EXPECT_EQ(second->results(0).spec().probe_id(), all->results(1).spec().probe_id());
  request.set_page_token(second->next_page_token());
  const auto third = Ask(&FleetApi::ListProbeResults, request);
  ASSERT_EQ(third->results_size(), 1);
  EXPECT_EQ(third->results(0).spec().probe_id(), all->results(2).spec().probe_id());
  EXPECT_EQ(third->next_page_token(), "");
  request.clear_page_token();
  request.set_skip(4711);
  EXPECT_EQ(Ask(&FleetApi::ListProbeResults, request)->results_size(), 0);
}

TEST_F(FleetApiTest, StopsTheProbesOfAllAuditsAndSaysWhoDidIt) {
  const std::string audit_id = StartProbesThatHang();
  v1::StopProbesRequest stop;
  stop.set_all(true);
  stop.set_reason("switch on fire");
  const auto stopped = StopProbes(kOperator, stop);
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_EQ(stopped->pairs_ended(), 1u);
  EXPECT_THAT(stopped->audit_ids(), ElementsAre(audit_id));
  EXPECT_THAT(stopped->hosts_unsure(), IsEmpty());
  EXPECT_EQ(world_.prober.running_pairs(), 0u);
  v1::GetAuditRequest get;
  get.set_audit_id(audit_id);
  const auto audit = Ask(&FleetApi::GetAudit, get);
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_CANCELLED);
  EXPECT_EQ(audit->audit().abort_reason(), "probes stopped by otto: switch on fire");

  const auto again = StopProbes(kOperator, stop);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->audit_ids(), IsEmpty()) << "nothing was left to stop";
}

TEST_F(FleetApiTest, StopsTheProbesOfOneAuditAndNamesWhoDoesNotAnswer) {
  const std::string audit_id = StartProbesThatHang();
  world_.agents["gpu1"]->reactions[ProbeStep::kRelease] = Reaction::kSilent;
  v1::StopProbesRequest stop;
  stop.set_audit_id(audit_id);
  Stopped stopped = absl::UnknownError("not answered yet");
  api_.StopProbes(kOperator, stop, [&](Stopped answer) { stopped = std::move(answer); });
  world_.Pass(std::chrono::seconds(1));
  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kUnknown) << "gpu1 may answer yet";
  world_.Pass(ProbeAttempt::kReleaseLimit);
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_EQ(stopped->pairs_ended(), 1u);
  EXPECT_THAT(stopped->hosts_unsure(), ElementsAre("gpu1"));
}

TEST_F(FleetApiTest, AStopHasToSayOfWhat) {
  v1::StopProbesRequest stop;
  EXPECT_EQ(StopProbes(kOperator, stop).status().code(), absl::StatusCode::kInvalidArgument);
  stop.set_audit_id("a7-1");
  EXPECT_EQ(StopProbes(kOperator, stop).status().code(), absl::StatusCode::kNotFound);
  stop.set_all(true);
  EXPECT_EQ(StopProbes(kOperator, stop).status().code(), absl::StatusCode::kInvalidArgument);
  stop.clear_audit_id();
  stop.set_reason(std::string(501, 'x'));
  EXPECT_EQ(StopProbes(kOperator, stop).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FleetApiTest, AnAuditIsAcknowledgedOnceItIsKept) {
  world_.archive.holds = true;
  std::optional<Created> created;
  api_.CreateAudit(kOperator, ControllerWorld::Ask("gpu1", v1::PLAN_KIND_NONE),
                   [&](Created answer) { created = std::move(answer); });
  EXPECT_FALSE(created.has_value());
  EXPECT_THAT(api_.ListAudits(kViewer, {})->audits(), IsEmpty());
  world_.archive.AnswerHeld();
  ASSERT_TRUE(created.has_value() && created->ok());
  EXPECT_EQ(api_.ListAudits(kViewer, {})->audits_size(), 1);
}

TEST_F(FleetApiTest, AnAuditThatCannotBeKeptIsRefused) {
  world_.archive.answer = absl::ResourceExhaustedError("the disk is full");
  const Created refused = Create(kOperator, ControllerWorld::Ask("gpu1", v1::PLAN_KIND_NONE));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(TextOf(refused), HasSubstr("the disk is full"));
  EXPECT_THAT(api_.ListAudits(kViewer, {})->audits(), IsEmpty());
}

TEST_F(FleetApiTest, AnAuditLostByARestartIsAborted) {
  KeptAudit kept;
  kept.id = {6, 1};
  kept.audit.set_audit_id("a6-1");
  kept.audit.set_state(v1::AUDIT_STATE_QUEUED);
  world_.book->Restore({kept});
  v1::GetAuditRequest request;
  request.set_audit_id("a6-1");
  const auto audit = Ask(&FleetApi::GetAudit, request);
  ASSERT_TRUE(audit.ok());
  EXPECT_EQ(audit->audit().state(), v1::AUDIT_STATE_ABORTED);
  EXPECT_EQ(audit->audit().abort_reason(), "lost: controller restarted");

  const auto events = api_.ReadEvents(kViewer, "a6-1", 41, 10);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->events.size(), 1u);
  EXPECT_EQ(events->events[0].state(), v1::AUDIT_STATE_ABORTED);
  EXPECT_EQ(events->events[0].sequence(), 42u);
  EXPECT_TRUE(events->end);

  v1::ListFindingsRequest findings;
  findings.set_audit_id("a6-1");
  EXPECT_THAT(TextOf(Ask(&FleetApi::ListFindings, findings)),
              HasSubstr("lost: controller restarted"));
}

TEST_F(FleetApiTest, AnAuditThatIsNotAtHandIsReadFromTheHistory) {
  KeptAudit kept;
  kept.id = {6, 1};
  kept.ended = true;
  kept.audit.set_audit_id("a6-1");
  kept.audit.set_state(v1::AUDIT_STATE_DONE);
  kept.findings.emplace_back().set_check_id("mtu.netdev");
  kept.probe_results.push_back(std::make_shared<v1::ProbeResult>());
  store_.audits[kept.id] = kept;

  v1::GetAuditRequest get;
  get.set_audit_id("a6-1");
  EXPECT_EQ(Ask(&FleetApi::GetAudit, get)->audit().state(), v1::AUDIT_STATE_DONE);
  v1::ListFindingsRequest findings;
  findings.set_audit_id("a6-1");
  EXPECT_EQ(Ask(&FleetApi::ListFindings, findings)->findings(0).check_id(), "mtu.netdev");
  v1::ListProbeResultsRequest results;
  results.set_audit_id("a6-1");
  EXPECT_EQ(Ask(&FleetApi::ListProbeResults, results)->results_size(), 1);

  get.set_audit_id("a6-2");
  EXPECT_THAT(TextOf(Ask(&FleetApi::GetAudit, get)), HasSubstr("a6-2 is no longer kept"));
  get.set_audit_id("a8-1");
  EXPECT_THAT(TextOf(Ask(&FleetApi::GetAudit, get)), HasSubstr("there is no audit a8-1"));
}

TEST_F(FleetApiTest, OnlySoManyQuestionsWaitForTheHistory) {
  v1::GetAuditRequest request;
  request.set_audit_id("a6-1");
  std::size_t answered = 0;
  absl::Status last;
  for (std::size_t i = 0; i <= FleetApi::kMaxLookupsAtOnce; ++i) {
    api_.GetAudit(kViewer, request, [&](const absl::StatusOr<v1::GetAuditResponse>& answer) {
      ++answered;
      last = answer.status();
    });
  }
  EXPECT_EQ(answered, 1u);
  EXPECT_EQ(last.code(), absl::StatusCode::kResourceExhausted);
  world_.loop.RunPending();
  EXPECT_EQ(answered, FleetApi::kMaxLookupsAtOnce + 1);
  EXPECT_EQ(Ask(&FleetApi::GetAudit, request).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FleetApiTest, ListsEventsByHostAgeAndPage) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(world_.clock.Wall().time_since_epoch());
  for (std::uint64_t number = 1; number <= 4; ++number) {
    v1::Event& event = store_.events.emplace_back();
    event.set_number(number);
    event.set_host(fmt::format("gpu{}", number % 2));
    event.mutable_at()->set_seconds(now.count() - 3600 * static_cast<long>(4 - number));
  }
  v1::ListEventsRequest request;
  EXPECT_EQ(Ask(&FleetApi::ListEvents, request)->events_size(), 4);
  request.set_hosts("gpu[1-9]");
  EXPECT_EQ(Ask(&FleetApi::ListEvents, request)->events(1).number(), 3u);
  request.set_hosts("*");
  request.mutable_max_age()->set_seconds(4000);
  EXPECT_EQ(Ask(&FleetApi::ListEvents, request)->events_size(), 2);
  request.clear_max_age();
  request.set_page_size(3);
  const auto first = Ask(&FleetApi::ListEvents, request);
  EXPECT_EQ(first->events_size(), 3);
  request.set_page_token(first->next_page_token());
  const auto second = Ask(&FleetApi::ListEvents, request);
  EXPECT_EQ(second->events(0).number(), 4u);
  EXPECT_EQ(second->next_page_token(), "");
  request.clear_page_token();
  request.set_after_number(3);
  EXPECT_EQ(Ask(&FleetApi::ListEvents, request)->events(0).number(), 4u);

  request.set_hosts("gpu[1-");
  EXPECT_EQ(Ask(&FleetApi::ListEvents, request).status().code(),
            absl::StatusCode::kInvalidArgument);
  request.set_hosts("*");
  request.mutable_max_age()->set_seconds(-1);
  EXPECT_THAT(TextOf(Ask(&FleetApi::ListEvents, request)), HasSubstr("max_age is negative"));
}

TEST_F(FleetApiTest, ListsAndExplainsChecks) {
  const auto all = api_.ListChecks(kViewer, {});
  ASSERT_GT(all->checks_size(), 10);
  for (const v1::CheckInfo& check : all->checks()) {
    v1::GetCheckRequest request;
    request.set_check_id(check.check_id());
    const auto one = api_.GetCheck(kViewer, request);
    ASSERT_TRUE(one.ok()) << check.check_id();
    EXPECT_FALSE(one->check().why().empty()) << check.check_id();
    EXPECT_FALSE(one->check().title().empty()) << check.check_id();
  }
  v1::GetCheckRequest request;
  request.set_check_id("pfc.nonsense");
  EXPECT_EQ(api_.GetCheck(kViewer, request).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace roceready
