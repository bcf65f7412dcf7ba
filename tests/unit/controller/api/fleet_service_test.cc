// SPDX-License-Identifier: Apache-2.0
// FleetService over real gRPC with mTLS, and in-process as REST uses it. The loop runs on a thread
// of its own; agents are in memory.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "checks/policy/policy_file.h"
#include "controller/api/grpc/api_server.h"
#include "controller/api/rest/rpc_caller.h"
#include "controller/audit/audit_book.h"
#include "proto/process/grpc_credentials.h"
#include "roceready/v1/fleet.grpc.pb.h"
#include "tests/support/builders/facts_builder.h"
#include "tests/support/builders/switch_builder.h"
#include "tests/support/controller_world.h"
#include "tests/support/memory_archive.h"
#include "tests/support/source_path.h"
#include "tests/support/test_ca.h"

namespace roceready {
namespace {

using testing::HasSubstr;

class FleetServiceTest : public testing::Test {
 protected:
  FleetServiceTest() {
    PolicyContext context;
    context.now = std::chrono::system_clock::now();
    const auto texts = ReadPolicyDirectory(SourcePath("checks/policy/policies"));
    EXPECT_TRUE(policies_.Replace(*texts, context).ok());
    loop_thread_ = std::thread([this] { loop_.Run(); });
    auto server =
        ApiServer::Start({.listen = "localhost:0",
                          .credentials = ServerCredentialsFromFiles(ca_.Controller({"localhost"}))},
                         &loop_, &api_);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  ~FleetServiceTest() override {
    server_->Stop();
    loop_.PostControl([this] { agents_.clear(); });
    loop_.PostControl([this] { loop_.Stop(); });
    loop_thread_.join();
  }

  void Connect(const std::string& host, std::uint32_t number) {
    std::promise<void> connected;
    loop_.PostControl([&] {
      auto agent = std::make_unique<FakeAgent>(&loop_, &fleet_, host);
      agent->facts = builders::HostBuilder(host, number).facts();
      agent->facts.mutable_identity()->set_host(host);
      agent->Connect();
      agents_.push_back(std::move(agent));
      connected.set_value();
    });
    connected.get_future().wait();
  }

  std::unique_ptr<v1::FleetService::Stub> Client(Role role) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return v1::FleetService::NewStub(grpc::CreateCustomChannel(
        fmt::format("localhost:{}", server_->port()),
        ClientCredentialsFromFiles(ca_.Client("alice", role)), arguments));
  }

  static std::unique_ptr<grpc::ClientContext> Deadline() {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    return context;
  }

  // All events until the stream ends, and how it ends.
  static std::pair<std::vector<v1::WatchAuditResponse>, grpc::Status> Watch(
      v1::FleetService::Stub* client, const std::string& audit_id, std::uint64_t after) {
    auto context = Deadline();
    v1::WatchAuditRequest request;
    request.set_audit_id(audit_id);
    request.set_after_sequence(after);
    auto stream = client->WatchAudit(context.get(), request);
    std::vector<v1::WatchAuditResponse> events;
    v1::WatchAuditResponse event;
    while (stream->Read(&event)) events.push_back(event);
    return {std::move(events), stream->Finish()};
  }

  TestCa ca_;
  SystemClock clock_;
  EventLoop loop_{&clock_};
  Fleet fleet_{&loop_, LinkOptions{.epoch = 7}};
  Prober prober_{&loop_, &fleet_};
  WorkThread worker_{&loop_};
  PolicySet policies_;
  SwitchBook switches_;
  MemoryArchive archive_;
  MemorySwitchArchive switch_archive_;
  AuditBook book_{{&loop_, &fleet_, &worker_, &prober_, &switches_}, &archive_, {.epoch = 7}};
  VerdictBook verdicts_{{&loop_, &fleet_, &worker_, &worker_, &book_, &switches_}};
  FleetApi api_{{.fleet = &fleet_,
                 .audits = &book_,
                 .verdicts = &verdicts_,
                 .policies = &policies_,
                 .switches = &switches_,
                 .switch_archive = &switch_archive_,
                 .worker = &worker_,
                 .finder = &worker_,
                 .store_worker = &worker_,
                 .clock = &clock_},
                {.default_policy = "lab"}};
  std::vector<std::unique_ptr<FakeAgent>> agents_;  // of the loop
  std::thread loop_thread_;
  std::unique_ptr<ApiServer> server_;
};

TEST_F(FleetServiceTest, RunsAnAuditThatIsWatchedToItsEnd) {
  Connect("gpu1", 1);
  Connect("gpu2", 2);
  auto client = Client(Role::kOperator);
  v1::CreateAuditResponse created;
  ASSERT_TRUE(
      client->CreateAudit(Deadline().get(), ControllerWorld::Ask("gpu[1-2]"), &created).ok());
  EXPECT_THAT(created.audit().requested_by(), HasSubstr("role operator"));

  const auto [events, status] = Watch(client.get(), created.audit().audit_id(), 0);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_GE(events.size(), 4u);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].sequence(), i + 1);
  EXPECT_EQ(events.back().state(), v1::AUDIT_STATE_DONE);
  EXPECT_EQ(events.back().verdict().readiness(), v1::READINESS_READY);

  const auto [rest, again] = Watch(client.get(), created.audit().audit_id(), 2);
  EXPECT_TRUE(again.ok());
  EXPECT_EQ(rest.size(), events.size() - 2);
  EXPECT_EQ(rest.front().sequence(), 3u);
}

TEST_F(FleetServiceTest, JudgesImportedSwitchesOnTheWorkThread) {
  auto client = Client(Role::kOperator);
  v1::ImportSwitchesRequest request;
  *request.add_switches() = builders::SwitchBuilder("leaf1", 2).facts();
  v1::ImportSwitchesResponse response;

  const grpc::Status status = client->ImportSwitches(Deadline().get(), request, &response);

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.summaries_size(), 1);
  request.mutable_switches(0)->set_name("Leaf/1");
  EXPECT_EQ(client->ImportSwitches(Deadline().get(), request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(FleetServiceTest, ALeavingWatcherCancelsNothing) {
  Connect("gpu1", 1);
  Connect("gpu2", 2);
  auto client = Client(Role::kOperator);
  v1::CreateAuditResponse created;
  ASSERT_TRUE(
      client->CreateAudit(Deadline().get(), ControllerWorld::Ask("gpu[1-2]"), &created).ok());
  {
    auto context = Deadline();
    v1::WatchAuditRequest request;
    request.set_audit_id(created.audit().audit_id());
    auto stream = client->WatchAudit(context.get(), request);
    v1::WatchAuditResponse event;
    stream->Read(&event);
    context->TryCancel();
    EXPECT_FALSE(stream->Finish().ok());
  }
  const auto [events, status] = Watch(client.get(), created.audit().audit_id(), 0);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(events.back().state(), v1::AUDIT_STATE_DONE);
}

TEST_F(FleetServiceTest, TheRoleComesFromTheCertificateAlone) {
  auto viewer = Client(Role::kViewer);
  auto context = Deadline();
  // What only the in-process instance may believe.
  context->AddMetadata(rest::kPrincipalMetadataKey,
                       EncodeIdentity(PeerIdentity{.hosts = {}, .role = Role::kAdmin}));
  v1::CreateAuditResponse created;
  const grpc::Status status =
      viewer->CreateAudit(context.get(), ControllerWorld::Ask("gpu1"), &created);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  v1::ListHostsResponse hosts;
  EXPECT_TRUE(viewer->ListHosts(Deadline().get(), {}, &hosts).ok());
}

TEST_F(FleetServiceTest, AnAgentsCertificateOpensNothing) {
  auto agent = v1::FleetService::NewStub(grpc::CreateChannel(
      fmt::format("localhost:{}", server_->port()), ClientCredentialsFromFiles(ca_.Host("gpu1"))));
  v1::ListHostsResponse hosts;
  const grpc::Status status = agent->ListHosts(Deadline().get(), {}, &hosts);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(FleetServiceTest, InProcessTheForwardedPrincipalCounts) {
  auto in_process = v1::FleetService::NewStub(server_->InProcessChannel());
  v1::CreateAuditResponse created;
  auto as_viewer = Deadline();
  as_viewer->AddMetadata(rest::kPrincipalMetadataKey,
                         EncodeIdentity(PeerIdentity{.hosts = {}, .role = Role::kViewer}));
  EXPECT_EQ(
      in_process->CreateAudit(as_viewer.get(), ControllerWorld::Ask("gpu1"), &created).error_code(),
      grpc::StatusCode::PERMISSION_DENIED);
  auto as_operator = Deadline();
  as_operator->AddMetadata(
      rest::kPrincipalMetadataKey,
      EncodeIdentity(PeerIdentity{.hosts = {}, .role = Role::kOperator, .person = "alice"}));
  EXPECT_TRUE(
      in_process->CreateAudit(as_operator.get(), ControllerWorld::Ask("gpu1"), &created).ok());
  EXPECT_EQ(created.audit().requested_by(), "alice (role operator)");
}

TEST_F(FleetServiceTest, InProcessNobodyMayDoNothing) {
  auto in_process = v1::FleetService::NewStub(server_->InProcessChannel());
  v1::ListHostsResponse hosts;
  EXPECT_EQ(in_process->ListHosts(Deadline().get(), {}, &hosts).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  // A certificate of the CA that names neither a host nor a role.
  auto as_nobody = Deadline();
  as_nobody->AddMetadata(rest::kPrincipalMetadataKey, EncodeIdentity(PeerIdentity()));
  EXPECT_EQ(in_process->ListHosts(as_nobody.get(), {}, &hosts).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(FleetServiceTest, AnswersErrorsWithTheirCodeAndText) {
  auto client = Client(Role::kViewer);
  v1::GetHostRequest request;
  request.set_host("nobody");
  v1::GetHostResponse response;
  const grpc::Status status = client->GetHost(Deadline().get(), request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("no agent of this name"));
  EXPECT_EQ(Watch(client.get(), "a7-99", 0).second.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(FleetServiceTest, StopEndsAWatcherOfARunningAudit) {
  auto client = Client(Role::kOperator);
  std::promise<void> connected;
  loop_.PostControl([&] {
    auto silent = std::make_unique<FakeAgent>(&loop_, &fleet_, "gpu1");
    silent->answers_facts = false;
    silent->Connect();
    agents_.push_back(std::move(silent));
    connected.set_value();
  });
  connected.get_future().wait();
  v1::CreateAuditResponse created;
  auto request = ControllerWorld::Ask("gpu1");
  request.mutable_facts_timeout()->set_seconds(300);
  ASSERT_TRUE(client->CreateAudit(Deadline().get(), request, &created).ok());
  std::thread stopper([this] { server_->Stop(); });
  const auto [events, status] = Watch(client.get(), created.audit().audit_id(), 0);
  EXPECT_FALSE(status.ok());
  stopper.join();
}

}  // namespace
}  // namespace roceready
