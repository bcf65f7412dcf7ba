// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/rpc_caller.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <mutex>

#include "proto/contract/errors.h"

namespace roceready::rest {
namespace {

// Unary methods answer from memory; this only bounds a fault of ours.
constexpr auto kUnaryDeadline = std::chrono::seconds(30);

absl::Status Convert(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return MakeError(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// Owns itself until the call has ended; the handle only keeps the right to cancel.
class StreamReactor : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                      public std::enable_shared_from_this<StreamReactor> {
 public:
  StreamReactor(const std::string& request, RpcCaller::OnMessage on_message,
                RpcCaller::OnEnd on_end)
      : request_(ToBuffer(request)),
        on_message_(std::move(on_message)),
        on_end_(std::move(on_end)) {}

  void Start(grpc::GenericStub& stub, const std::string& method, const std::string& principal) {
    self_ = shared_from_this();
    if (!principal.empty()) context_.AddMetadata(kPrincipalMetadataKey, principal);
    stub.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    StartWriteLast(&request_, grpc::WriteOptions());
    StartRead(&response_);
    StartCall();
  }

  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    if (!ok) return;  // OnDone tells the reason
    on_message_(ToString(response_));
    StartRead(&response_);
  }

  void OnDone(const grpc::Status& status) override {
    on_end_(Convert(status));
    self_.reset();
  }

 private:
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  RpcCaller::OnMessage on_message_;
  RpcCaller::OnEnd on_end_;
  std::shared_ptr<StreamReactor> self_;
};

class StreamHandle : public RpcStream {
 public:
  explicit StreamHandle(std::shared_ptr<StreamReactor> reactor) : reactor_(std::move(reactor)) {}
  ~StreamHandle() override { reactor_->Cancel(); }

 private:
  std::shared_ptr<StreamReactor> reactor_;
};

class GrpcCaller : public RpcCaller {
 public:
  explicit GrpcCaller(std::shared_ptr<grpc::Channel> channel) : stub_(std::move(channel)) {}

  void Unary(const std::string& method, const std::string& principal, std::string request,
             Done done) override {
    struct Call {
      grpc::ClientContext context;
      grpc::ByteBuffer request;
      grpc::ByteBuffer response;
    };
    auto call = std::make_shared<Call>();
    call->request = ToBuffer(request);
    call->context.set_deadline(std::chrono::system_clock::now() + kUnaryDeadline);
    if (!principal.empty()) call->context.AddMetadata(kPrincipalMetadataKey, principal);
    stub_.UnaryCall(&call->context, method, grpc::StubOptions(), &call->request, &call->response,
                    [call, done = std::move(done)](const grpc::Status& status) {
                      done(Convert(status), status.ok() ? ToString(call->response) : "");
                    });
  }

  std::shared_ptr<RpcStream> ServerStream(const std::string& method, const std::string& principal,
                                          std::string request, OnMessage on_message,
                                          OnEnd on_end) override {
    auto reactor = std::make_shared<StreamReactor>(std::move(request), std::move(on_message),
                                                   std::move(on_end));
    reactor->Start(stub_, method, principal);
    return std::make_shared<StreamHandle>(std::move(reactor));
  }

 private:
  grpc::GenericStub stub_;
};

}  // namespace

std::unique_ptr<RpcCaller> MakeRpcCaller(std::shared_ptr<grpc::Channel> in_process_channel) {
  return std::make_unique<GrpcCaller>(std::move(in_process_channel));
}

}  // namespace roceready::rest
