// SPDX-License-Identifier: Apache-2.0
// The agent link over real gRPC with mTLS.
#include "controller/fleet/link_server.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <thread>

#include "proto/contract/errors.h"
#include "proto/process/grpc_credentials.h"
#include "roceready/v1/agent_link.grpc.pb.h"
#include "tests/support/test_ca.h"

namespace roceready {
namespace {

using testing::HasSubstr;
using AgentStream = grpc::ClientReaderWriter<v1::ConnectRequest, v1::ConnectResponse>;

v1::ConnectRequest HelloOf(const std::string& host) {
  v1::ConnectRequest message;
  message.mutable_hello()->mutable_identity()->set_host(host);
  message.mutable_hello()->mutable_identity()->set_machine_id("machine of " + host);
  message.mutable_hello()->set_instance("i");
  return message;
}

class LinkServerTest : public testing::Test {
 protected:
  // An agent's end of a stream, dialled with its own certificate and TCP connection.
  struct Dialled {
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<v1::AgentLinkService::Stub> stub;
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<AgentStream> stream;
  };

  LinkServerTest() {
    LinkOptions options;
    options.epoch = 7;
    fleet_ = std::make_unique<Fleet>(&loop_, options);
    loop_thread_ = std::thread([this] { loop_.Run(); });
    auto server = LinkServer::Start(
        {"localhost:0", ServerCredentialsFromFiles(ca_.Controller({"localhost"}))}, &loop_,
        fleet_.get());
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    target_ = fmt::format("localhost:{}", server_->port());
  }

  ~LinkServerTest() override {
    loop_.PostControl([this] { fleet_->EndAll(Unavailable("the test ends")); });
    server_->Stop();
    loop_.Stop();
    loop_thread_.join();
  }

  std::shared_ptr<grpc::Channel> Channel(const v1::TlsFiles& files) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxSendMessageSize(-1);
    return grpc::CreateCustomChannel(target_, ClientCredentialsFromFiles(files), arguments);
  }

  Dialled Dial(const v1::TlsFiles& files, const std::string& host) {
    Dialled agent;
    agent.channel = Channel(files);
    agent.stub = v1::AgentLinkService::NewStub(agent.channel);
    agent.context = std::make_unique<grpc::ClientContext>();
    agent.context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    agent.stream = agent.stub->Connect(agent.context.get());
    agent.stream->Write(HelloOf(host));
    return agent;
  }

  // Does the stream still carry words both ways?
  static bool Answers(Dialled& agent) {
    if (!agent.stream->Write(v1::ConnectRequest())) return false;
    v1::ConnectResponse message;
    while (agent.stream->Read(&message)) {
      if (message.has_not_understood()) return true;
    }
    return false;
  }

  static v1::ConnectResponse First(Dialled& agent) {
    v1::ConnectResponse message;
    agent.stream->Read(&message);
    return message;
  }

  // The status a stream ends with; what still comes before it is dropped.
  static grpc::Status End(Dialled& agent) {
    v1::ConnectResponse message;
    while (agent.stream->Read(&message)) {
    }
    return agent.stream->Finish();
  }

  SystemClock clock_;
  EventLoop loop_{&clock_};
  TestCa ca_;
  std::unique_ptr<Fleet> fleet_;
  std::thread loop_thread_;
  std::unique_ptr<LinkServer> server_;
  std::string target_;
};

TEST_F(LinkServerTest, WelcomesTheHostOfTheCertificate) {
  Dialled agent = Dial(ca_.Host("gpu1"), "gpu1");
  EXPECT_EQ(First(agent).welcome().epoch(), 7u);
  EXPECT_TRUE(Answers(agent));
}

TEST_F(LinkServerTest, RefusesAnotherHostThanTheCertificates) {
  Dialled good = Dial(ca_.Host("gpu2"), "gpu2");
  ASSERT_TRUE(First(good).has_welcome());
  Dialled liar = Dial(ca_.Host("gpu1"), "gpu2");
  const grpc::Status status = End(liar);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("its certificate is for host gpu1"));
  EXPECT_TRUE(Answers(good));
}

TEST_F(LinkServerTest, RefusesAClientsCertificate) {
  Dialled client = Dial(ca_.Client("alice", Role::kAdmin), "gpu1");
  EXPECT_EQ(End(client).error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(LinkServerTest, RefusesACertificateOfAnotherAuthority) {
  TestCa other;
  v1::TlsFiles files = other.Host("gpu1");
  files.set_ca(ca_.Host("gpu1").ca());
  Dialled stranger = Dial(files, "gpu1");
  EXPECT_EQ(End(stranger).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(LinkServerTest, AHugeMessageEndsOnlyItsOwnStream) {
  Dialled good = Dial(ca_.Host("gpu2"), "gpu2");
  ASSERT_TRUE(First(good).has_welcome());
  Dialled bad = Dial(ca_.Host("gpu1"), "gpu1");
  ASSERT_TRUE(First(bad).has_welcome());

  v1::ConnectRequest huge;
  huge.mutable_facts_chunk()->add_parts()->set_part(std::string(100u << 20, 'x'));
  bad.stream->Write(huge);
  EXPECT_FALSE(End(bad).ok());
  EXPECT_TRUE(Answers(good));
}

TEST_F(LinkServerTest, BytesThatAreNoMessageEndOnlyTheirOwnStream) {
  Dialled good = Dial(ca_.Host("gpu2"), "gpu2");
  ASSERT_TRUE(First(good).has_welcome());

  auto channel = Channel(ca_.Host("gpu1"));
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  grpc::CompletionQueue queue;
  auto call = stub.PrepareCall(&context, "/roceready.v1.AgentLinkService/Connect", &queue);
  void* tag = nullptr;
  bool ok = false;
  call->StartCall(nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  const std::string garbage(1000, '\xff');
  const grpc::Slice slice(garbage);
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok));
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(Answers(good));
}

TEST_F(LinkServerTest, SaysSoWhenTheAddressIsTaken) {
  auto second = LinkServer::Start(
      {target_, ServerCredentialsFromFiles(ca_.Controller({"localhost"}))}, &loop_, fleet_.get());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace roceready
