// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/link_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <mutex>
#include <utility>

#include "controller/fleet/outbound_queue.h"
#include "proto/contract/errors.h"
#include "proto/process/grpc_credentials.h"
#include "roceready/v1/agent_link.grpc.pb.h"

namespace roceready {
namespace {

// Told to agents too: a NAT or a firewall forgets a silent connection. Both ends need the setting,
// or the server answers "too_many_pings".
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr std::chrono::seconds kGoodbyeTime{2};

grpc::Status GrpcStatusOf(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(Message(status))};
}

// The three calls of a reactor that a connection makes; alive until Finish has been called.
class Reactor {
 public:
  virtual ~Reactor() = default;
  virtual void Read(v1::ConnectRequest* into) = 0;
  virtual void Write(const v1::ConnectResponse* message) = 0;
  virtual void Finish(const grpc::Status& status) = 0;
};

// The state of one stream, shared by the fleet and the reactor. gRPC is called without the lock
// held; `starting_` keeps the end of the stream (Finish, after which the reactor may be gone) back
// until the calls under way have returned.
class Connection final : public AgentConnection {
 public:
  Connection(Reactor* reactor, PeerIdentity identity, std::string peer_address)
      : reactor_(reactor), identity_(std::move(identity)), peer_address_(std::move(peer_address)) {}

  const PeerIdentity& identity() const override { return identity_; }
  const std::string& peer_address() const override { return peer_address_; }

  void Send(v1::ConnectResponse message) override {
    std::unique_lock lock(mutex_);
    if (ending_) return;
    if (!queue_.Push(std::move(message))) {
      EndLocked(MakeError(absl::StatusCode::kResourceExhausted,
                          "the agent reads too slowly: what waits for it has reached its limit"));
      queue_ = OutboundQueue();
    }
    Proceed(std::move(lock));
  }

  void Close(const absl::Status& why) override {
    std::unique_lock lock(mutex_);
    EndLocked(why);
    Proceed(std::move(lock));
  }

  // The stream is of no use any more: what waits to be written is dropped.
  void Break(const absl::Status& why) {
    std::unique_lock lock(mutex_);
    EndLocked(why);
    queue_ = OutboundQueue();
    Proceed(std::move(lock));
  }

  // The loop is through with a message.
  void ReadNext() {
    std::unique_lock lock(mutex_);
    if (ending_) return;
    ++starting_;
    lock.unlock();
    incoming_.Clear();
    reactor_->Read(&incoming_);
    lock.lock();
    --starting_;
    Proceed(std::move(lock));
  }

  void WriteDone(bool ok) {
    std::unique_lock lock(mutex_);
    writing_ = false;
    if (!ok) {
      EndLocked(Unavailable("the stream broke"));
      queue_ = OutboundQueue();
    }
    Proceed(std::move(lock));
  }

  v1::ConnectRequest TakeMessage() { return std::move(incoming_); }

  absl::Status why() {
    std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  void EndLocked(const absl::Status& why) {
    if (ending_) return;
    ending_ = true;
    why_ = why;
  }

  // Starts what can be started: the next write, or the end.
  void Proceed(std::unique_lock<std::mutex> lock) {
    while (!finished_ && !writing_) {
      auto next = queue_.Pop();
      if (!next) break;
      writing_ = true;
      ++starting_;
      outgoing_ = std::move(*next);
      lock.unlock();
      reactor_->Write(&outgoing_);
      lock.lock();
      --starting_;
    }
    if (finished_ || writing_ || !ending_ || starting_ > 0) return;
    finished_ = true;
    const grpc::Status status = GrpcStatusOf(why_);
    lock.unlock();
    reactor_->Finish(status);
  }

  Reactor* const reactor_;
  const PeerIdentity identity_;
  const std::string peer_address_;
  // Of whoever reads: one read is under way at a time, and its end hands this on.
  v1::ConnectRequest incoming_;
  // Of the one write under way.
  v1::ConnectResponse outgoing_;

  std::mutex mutex_;  // guards all below
  OutboundQueue queue_;
  bool writing_ = false;
  int starting_ = 0;
  bool ending_ = false;
  bool finished_ = false;
  absl::Status why_;
};

class Stream final : public grpc::ServerBidiReactor<v1::ConnectRequest, v1::ConnectResponse>,
                     private Reactor {
 public:
  Stream(grpc::CallbackServerContext* context, EventLoop* loop, Fleet* fleet)
      : loop_(loop),
        fleet_(fleet),
        id_(std::make_shared<StreamId>(0)),
        connection_(std::make_shared<Connection>(static_cast<Reactor*>(this),
                                                 PeerIdentityOf(*context->auth_context()),
                                                 context->peer())) {
    loop_->PostControl([fleet = fleet_, id = id_, connection = connection_] {
      *id = fleet->Accept(connection);
      connection->ReadNext();
    });
  }

 private:
  void Read(v1::ConnectRequest* into) override { StartRead(into); }
  void Write(const v1::ConnectResponse* message) override { StartWrite(message); }
  void Finish(const grpc::Status& status) override { ServerBidiReactor::Finish(status); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      // Half-closed by the agent, broken, cancelled, or a message above the limit.
      connection_->Break(Unavailable("the stream was closed by the agent or broke"));
      return;
    }
    const bool posted = loop_->Post([fleet = fleet_, id = id_, connection = connection_,
                                     message = connection_->TakeMessage()]() mutable {
      fleet->Receive(*id, std::move(message));
      connection->ReadNext();
    });
    if (!posted) connection_->Break(Unavailable("the controller is overloaded or stopping"));
  }

  void OnWriteDone(bool ok) override { connection_->WriteDone(ok); }

  void OnCancel() override { connection_->Break(Unavailable("the stream broke")); }

  void OnDone() override {
    loop_->PostControl(
        [fleet = fleet_, id = id_, why = connection_->why()] { fleet->Lost(*id, why); });
    delete this;
  }

  EventLoop* const loop_;
  Fleet* const fleet_;
  // Of the loop's thread alone.
  const std::shared_ptr<StreamId> id_;
  const std::shared_ptr<Connection> connection_;
};

class Service final : public v1::AgentLinkService::CallbackService {
 public:
  Service(EventLoop* loop, Fleet* fleet) : loop_(loop), fleet_(fleet) {}

  grpc::ServerBidiReactor<v1::ConnectRequest, v1::ConnectResponse>* Connect(
      grpc::CallbackServerContext* context) override {
    return new Stream(context, loop_, fleet_);
  }

 private:
  EventLoop* loop_;
  Fleet* fleet_;
};

class GrpcLinkServer final : public LinkServer {
 public:
  GrpcLinkServer(EventLoop* loop, Fleet* fleet) : service_(loop, fleet) {}
  ~GrpcLinkServer() override { Stop(); }

  absl::Status Listen(const Options& options) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options.listen, options.credentials, &port_);
    builder.RegisterService(&service_);
    builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
    builder.SetResourceQuota(grpc::ResourceQuota("agent link").Resize(options.memory_quota_bytes));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                               kKeepaliveMs / 3);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    // Two controllers on one port would each hold half of the agents.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      return Unavailable("cannot listen for agents on {}: is the address in use?", options.listen);
    }
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void Stop() override {
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now() + kGoodbyeTime);
    server_->Wait();
    server_.reset();
  }

 private:
  Service service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LinkServer>> LinkServer::Start(const Options& options,
                                                              EventLoop* loop, Fleet* fleet) {
  auto server = std::make_unique<GrpcLinkServer>(loop, fleet);
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace roceready
