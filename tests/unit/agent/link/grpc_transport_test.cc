// SPDX-License-Identifier: Apache-2.0
// The real transport against a real server in this process, over mTLS with a CA made for the test.
#include "agent/link/grpc_transport.h"

#include <gmock/gmock.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <roceready/v1/agent_link.grpc.pb.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "agent/link/link_status.h"
#include "proto/process/grpc_credentials.h"
#include "proto/process/grpc_settings.h"
#include "tests/support/test_ca.h"

// Debian's c-ares 1.18 loses ten bytes each time gRPC resolves a name with it.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libcares.so"; }

namespace roceready::link {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

// Echoes each Hello as a Welcome whose session is the peer's host, each Pong's nonce as a Ping.
class EchoService final : public v1::AgentLinkService::CallbackService {
 public:
  class Reactor final : public grpc::ServerBidiReactor<v1::ConnectRequest, v1::ConnectResponse> {
   public:
    explicit Reactor(grpc::CallbackServerContext* context)
        : peer_(PeerIdentityOf(*context->auth_context())) {
      StartRead(&request_);
    }
    void OnReadDone(bool ok) override {
      if (!ok) {
        Finish(grpc::Status::OK);
        return;
      }
      if (request_.has_goodbye()) {
        Finish(grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "as you wish"));
        return;
      }
      response_.Clear();
      if (request_.has_hello()) {
        response_.mutable_welcome()->set_session(peer_.Describe());
      } else {
        response_.mutable_ping()->set_nonce(request_.pong().nonce());
      }
      StartWrite(&response_);
    }
    void OnWriteDone(bool ok) override {
      if (ok) {
        StartRead(&request_);
      } else {
        Finish(
            grpc::Status::OK);  // the client is gone; a call never finished would hold the server
      }
    }
    void OnDone() override { delete this; }

   private:
    const PeerIdentity peer_;
    v1::ConnectRequest request_;
    v1::ConnectResponse response_;
  };

  grpc::ServerBidiReactor<v1::ConnectRequest, v1::ConnectResponse>* Connect(
      grpc::CallbackServerContext* context) override {
    return new Reactor(context);
  }
};

class RunningServer {
 public:
  explicit RunningServer(const std::shared_ptr<grpc::ServerCredentials>& credentials) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", credentials, &port_);
    builder.RegisterService(&service_);
    ApplyServerSettings(&builder);
    server_ = builder.BuildAndStart();
  }
  ~RunningServer() { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string endpoint(const std::string& host = "127.0.0.1") const {
    return host + ":" + std::to_string(port_);
  }

 private:
  EchoService service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

// What a stream told, waited for from the test's thread.
class Conversation {
 public:
  StreamEvents Events() {
    return {.on_sent = [this] { Note([this] { ++sent_; }); },
            .on_message =
                [this](v1::ConnectResponse message) {
                  Note([&] { messages_.push_back(std::move(message)); });
                },
            .on_closed = [this](const absl::Status& status) { Note([&] { closed_ = status; }); }};
  }
  v1::ConnectResponse WaitForMessage(size_t number) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(Wait(lock, [&] { return messages_.size() >= number || closed_; }));
    EXPECT_GE(messages_.size(), number) << (closed_ ? closed_->ToString() : "");
    return messages_.size() >= number ? messages_[number - 1] : v1::ConnectResponse();
  }
  void WaitForSent(int number) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(Wait(lock, [&] { return sent_ >= number; }));
  }
  absl::Status WaitForClosed() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(Wait(lock, [&] { return closed_.has_value(); }));
    return closed_.value_or(absl::OkStatus());
  }

 private:
  template <typename Change>
  void Note(Change change) {
    std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  template <typename Condition>
  bool Wait(std::unique_lock<std::mutex>& lock, Condition condition) {
    // Only bounds a test that fails.
    return changed_.wait_for(lock, std::chrono::seconds(30), condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<v1::ConnectResponse> messages_;
  int sent_ = 0;
  std::optional<absl::Status> closed_;
};

class GrpcTransportTest : public ::testing::Test {
 protected:
  GrpcTransportTest() : thread_([this] { loop_.Run(); }) {}
  ~GrpcTransportTest() override {
    OnLoop([this] { transport_.reset(); });
    dialer_.reset();
    loop_.Stop();
    thread_.join();
  }

  // Runs on the loop's thread and waits for it.
  void OnLoop(std::function<void()> task) {
    std::promise<void> done;
    loop_.PostControl([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  void Dial(const std::string& endpoint) {
    OnLoop([&] { transport_ = dialer_->Dial(endpoint, conversation_.Events()); });
  }
  void Send(const v1::ConnectRequest& message) {
    OnLoop([&] { transport_->Send(message); });
  }
  void DialAndGreet(const std::string& endpoint) {
    Dial(endpoint);
    v1::ConnectRequest hello;
    hello.mutable_hello();
    Send(hello);
  }
  void DialWithTls(const v1::TlsFiles& files, const std::string& endpoint) {
    dialer_ = std::make_unique<GrpcDialer>(&loop_, files);
    DialAndGreet(endpoint);
  }

  SystemClock clock_;
  EventLoop loop_{&clock_};
  std::thread thread_;
  TestCa ca_;
  std::unique_ptr<GrpcDialer> dialer_;
  std::unique_ptr<Transport> transport_;
  Conversation conversation_;
};

TEST_F(GrpcTransportTest, CarriesMessagesBothWaysAndTheHostOfTheCertificate) {
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"localhost", "127.0.0.1"})));
  DialWithTls(ca_.Host("GPU001"), server.endpoint());

  EXPECT_EQ(conversation_.WaitForMessage(1).welcome().session(), "host gpu001");
  for (int i = 1; i <= 50; ++i) {
    conversation_.WaitForSent(i);
    v1::ConnectRequest pong;
    pong.mutable_pong()->set_nonce(static_cast<uint64_t>(i));
    Send(pong);
    EXPECT_EQ(conversation_.WaitForMessage(static_cast<size_t>(i) + 1).ping().nonce(),
              static_cast<uint64_t>(i));
  }
}

TEST_F(GrpcTransportTest, NameInTheCertificateIsEnoughWithoutAnAddress) {
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"localhost"})));
  DialWithTls(ca_.Host("gpu001"), server.endpoint("localhost"));
  EXPECT_TRUE(conversation_.WaitForMessage(1).has_welcome());
}

TEST_F(GrpcTransportTest, ServerOfAnotherNameIsRefused) {
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"c9"})));
  DialWithTls(ca_.Host("gpu001"), server.endpoint());

  const absl::Status closed = conversation_.WaitForClosed();
  EXPECT_EQ(closed.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(closed.message()), HasSubstr("subjectAltName"));
  EXPECT_THAT(AdviceFor(closed, "127.0.0.1:7471"), HasSubstr("issue the controller a certificate"));
}

TEST_F(GrpcTransportTest, CommonNameOfTheServerIsNotItsName) {
  // The first name becomes the common name; only an address is in the subjectAltName here.
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"127.0.0.1"})));
  DialWithTls(ca_.Host("gpu001"), server.endpoint("localhost"));
  EXPECT_FALSE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, ServerOfAnotherCaIsRefused) {
  TestCa other;
  RunningServer server(ServerCredentialsFromFiles(other.Controller({"127.0.0.1"})));
  DialWithTls(ca_.Host("gpu001"), server.endpoint());
  EXPECT_THAT(AdviceFor(conversation_.WaitForClosed(), server.endpoint()),
              HasSubstr("both certificates are of the CA"));
}

TEST_F(GrpcTransportTest, ExpiredServerIsRefused) {
  const auto now = TestCa::Now();
  RunningServer server(
      ServerCredentialsFromFiles(ca_.Controller({"127.0.0.1"}, {now - hours(20), now - hours(1)})));
  DialWithTls(ca_.Host("gpu001"), server.endpoint());
  EXPECT_FALSE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, ClientOfAnotherCaIsRefusedByTheServer) {
  TestCa other;
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"127.0.0.1"})));
  v1::TlsFiles files = other.Host("gpu001");
  files.set_ca(ca_.Host("x").ca());
  DialWithTls(files, server.endpoint());
  EXPECT_FALSE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, ExpiredClientIsRefusedByTheServer) {
  const auto now = TestCa::Now();
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"127.0.0.1"})));
  DialWithTls(ca_.Host("gpu001", {now - hours(20), now - hours(1)}), server.endpoint());
  EXPECT_FALSE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, HostCertificateCannotServe) {
  RunningServer server(ServerCredentialsFromFiles(ca_.Host("localhost")));
  DialWithTls(ca_.Host("gpu001"), server.endpoint("localhost"));
  EXPECT_FALSE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, PlainTextServerIsRefused) {
  RunningServer server(grpc::InsecureServerCredentials());
  DialWithTls(ca_.Host("gpu001"), server.endpoint());
  EXPECT_FALSE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, PlainTextPeerNamesNobody) {
  RunningServer server(grpc::InsecureServerCredentials());
  dialer_ = std::make_unique<GrpcDialer>(&loop_);
  DialAndGreet(server.endpoint());
  EXPECT_EQ(conversation_.WaitForMessage(1).welcome().session(),
            "a certificate that names no host and no role");
}

TEST_F(GrpcTransportTest, ClientsRoleArrives) {
  RunningServer server(ServerCredentialsFromFiles(ca_.Controller({"127.0.0.1"})));
  DialWithTls(ca_.Client("alice", Role::kOperator), server.endpoint());
  EXPECT_EQ(conversation_.WaitForMessage(1).welcome().session(), "role operator");
}

TEST_F(GrpcTransportTest, NobodyListeningIsUnavailable) {
  int port = 0;
  {
    RunningServer server(grpc::InsecureServerCredentials());
    port = std::stoi(server.endpoint().substr(server.endpoint().find(':') + 1));
  }
  DialWithTls(ca_.Host("gpu001"), "127.0.0.1:" + std::to_string(port));
  EXPECT_EQ(conversation_.WaitForClosed().code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcTransportTest, StatusOfTheServerIsToldWithItsText) {
  RunningServer server(grpc::InsecureServerCredentials());
  dialer_ = std::make_unique<GrpcDialer>(&loop_);
  DialAndGreet(server.endpoint());
  conversation_.WaitForMessage(1);
  conversation_.WaitForSent(1);
  v1::ConnectRequest goodbye;
  goodbye.mutable_goodbye();
  Send(goodbye);

  EXPECT_EQ(conversation_.WaitForClosed(), absl::PermissionDeniedError("as you wish"));
}

TEST_F(GrpcTransportTest, FinishDeliversTheLastMessageAndClosesInOrder) {
  RunningServer server(grpc::InsecureServerCredentials());
  dialer_ = std::make_unique<GrpcDialer>(&loop_);
  DialAndGreet(server.endpoint());
  conversation_.WaitForSent(1);
  OnLoop([&] {
    v1::ConnectRequest pong;
    pong.mutable_pong()->set_nonce(9);
    transport_->Send(pong);
    transport_->Finish();
  });

  EXPECT_EQ(conversation_.WaitForMessage(2).ping().nonce(), 9u);
  EXPECT_TRUE(conversation_.WaitForClosed().ok());
}

TEST_F(GrpcTransportTest, TransportMayBeDestroyedWhileAMessageIsBeingWritten) {
  RunningServer server(grpc::InsecureServerCredentials());
  dialer_ = std::make_unique<GrpcDialer>(&loop_);
  for (int i = 1; i <= 20; ++i) {
    DialAndGreet(server.endpoint());
    conversation_.WaitForMessage(static_cast<size_t>(i));
    conversation_.WaitForSent(i);
    OnLoop([&] {
      v1::ConnectRequest pong;
      pong.mutable_pong();
      transport_->Send(pong);
      transport_.reset();
    });
  }
}

TEST_F(GrpcTransportTest, MessageBeyondTheLimitEndsOnlyThatStream) {
  RunningServer server(grpc::InsecureServerCredentials());
  dialer_ = std::make_unique<GrpcDialer>(&loop_);
  DialAndGreet(server.endpoint());
  conversation_.WaitForSent(1);
  v1::ConnectRequest huge;
  huge.mutable_goodbye()->set_reason(std::string(kMaxMessageBytes + 1, 'x'));
  Send(huge);
  EXPECT_EQ(conversation_.WaitForClosed().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace roceready::link
