// SPDX-License-Identifier: Apache-2.0
#include "agent/link/grpc_transport.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <roceready/v1/agent_link.grpc.pb.h>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "proto/contract/errors.h"
#include "proto/process/grpc_credentials.h"
#include "proto/process/grpc_settings.h"

namespace roceready::link {
namespace {

absl::Status FromGrpc(const grpc::Status& status) {
  return MakeError(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

class Reactor;

// Holds every stream from its start to its end. A stream that is over is destroyed by Sweep(), on a
// thread of ours: gRPC 1.51 breaks when the last channel goes on one of its own callback threads
// (it then joins that very thread).
class StreamRegistry {
 public:
  void Add() {
    std::lock_guard lock(mutex_);
    ++open_;
  }
  void Retire(std::shared_ptr<Reactor> reactor) {
    std::lock_guard lock(mutex_);
    retired_.push_back(std::move(reactor));
    if (--open_ == 0) none_open_.notify_all();
  }
  void Sweep() {
    std::vector<std::shared_ptr<Reactor>> gone;  // destroyed outside the lock: may join threads
    std::lock_guard lock(mutex_);
    gone.swap(retired_);
  }
  void WaitForNone() {
    std::unique_lock lock(mutex_);
    none_open_.wait(lock, [this] { return open_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_open_;
  int open_ = 0;
  std::vector<std::shared_ptr<Reactor>> retired_;
};

// Keeps itself alive from the start of the call until gRPC is done with it. While the hold is on,
// the loop's thread may start operations; it goes when reading has failed or the transport is gone.
class Reactor final : public grpc::ClientBidiReactor<v1::ConnectRequest, v1::ConnectResponse>,
                      public std::enable_shared_from_this<Reactor> {
 public:
  Reactor(EventLoop* loop, StreamEvents events, std::shared_ptr<grpc::Channel> channel,
          std::shared_ptr<StreamRegistry> registry)
      : loop_(loop),
        events_(std::move(events)),
        channel_(std::move(channel)),
        stub_(v1::AgentLinkService::NewStub(channel_)),
        registry_(std::move(registry)) {}

  // ---- from the loop's thread ----
  void Begin() {
    self_ = shared_from_this();
    registry_->Add();
    stub_->async()->Connect(&context_, this);
    AddHold();
    StartRead(&response_);
    StartCall();
  }
  void Send(const v1::ConnectRequest& message) {
    if (!holding_) return;  // on_closed is on its way
    request_ = message;
    write_in_flight_ = true;
    StartWrite(&request_);
  }
  void Finish() {
    if (!holding_) return;
    // At most one write may be under way; the end of writes is one.
    finish_after_write_ = write_in_flight_;
    if (!write_in_flight_) StartWritesDone();
  }
  void Leave() {
    left_ = true;
    context_.TryCancel();
    LetGo();
  }

  // ---- from gRPC's threads ----
  void OnReadDone(bool ok) override {
    if (!ok) {
      // OnDone comes once the hold is off.
      loop_->PostControl([self = shared_from_this()] { self->LetGo(); });
      return;
    }
    const bool queued = loop_->Post([self = shared_from_this()] { self->TakeMessage(); });
    if (!queued) {
      context_.TryCancel();
      loop_->PostControl([self = shared_from_this()] { self->LetGo(); });
    }
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return;  // reading fails as well
    loop_->PostControl([self = shared_from_this()] { self->NoteWritten(); });
  }
  void OnDone(const grpc::Status& status) override {
    loop_->PostControl([self = shared_from_this(), status = FromGrpc(status)] {
      if (!self->left_) self->events_.on_closed(status);
      self->registry_->Sweep();
    });
    // The registry's reference keeps this from being destroyed here.
    const std::shared_ptr<StreamRegistry> registry = registry_;
    registry->Retire(std::move(self_));
  }

 private:
  void LetGo() {
    if (std::exchange(holding_, false)) RemoveHold();
  }
  void TakeMessage() {
    if (!holding_) return;
    v1::ConnectResponse message;
    message.Swap(&response_);
    StartRead(&response_);
    events_.on_message(std::move(message));
  }
  void NoteWritten() {
    write_in_flight_ = false;
    if (!holding_) return;
    if (finish_after_write_) {
      StartWritesDone();
    } else {
      events_.on_sent();
    }
  }

  EventLoop* const loop_;
  const StreamEvents events_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::AgentLinkService::Stub> stub_;
  const std::shared_ptr<StreamRegistry> registry_;
  grpc::ClientContext context_;
  v1::ConnectRequest request_;
  v1::ConnectResponse response_;
  std::shared_ptr<Reactor> self_;

  // Of the loop's thread.
  bool holding_ = true;
  bool left_ = false;
  bool write_in_flight_ = false;
  bool finish_after_write_ = false;
};

class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(std::shared_ptr<Reactor> reactor) : reactor_(std::move(reactor)) {}
  ~GrpcTransport() override { reactor_->Leave(); }
  void Send(const v1::ConnectRequest& message) override { reactor_->Send(message); }
  void Finish() override { reactor_->Finish(); }

 private:
  const std::shared_ptr<Reactor> reactor_;
};

}  // namespace

struct GrpcDialer::OpenStreams {
  std::shared_ptr<StreamRegistry> registry = std::make_shared<StreamRegistry>();
};

GrpcDialer::GrpcDialer(EventLoop* loop, const v1::TlsFiles& files)
    : loop_(loop),
      credentials_(ClientCredentialsFromFiles(files)),
      open_(std::make_shared<OpenStreams>()) {}

GrpcDialer::GrpcDialer(EventLoop* loop)
    : loop_(loop),
      credentials_(grpc::InsecureChannelCredentials()),
      open_(std::make_shared<OpenStreams>()) {}

GrpcDialer::~GrpcDialer() {
  open_->registry->WaitForNone();
  open_->registry->Sweep();
}

std::unique_ptr<Transport> GrpcDialer::Dial(const std::string& endpoint, StreamEvents events) {
  grpc::ChannelArguments arguments;
  ApplyClientSettings(&arguments);
  // A channel for each stream: the waits between attempts are the link's, not gRPC's.
  auto reactor = std::make_shared<Reactor>(
      loop_, std::move(events), grpc::CreateCustomChannel(endpoint, credentials_, arguments),
      open_->registry);
  reactor->Begin();
  return std::make_unique<GrpcTransport>(std::move(reactor));
}

}  // namespace roceready::link
