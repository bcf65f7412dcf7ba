// SPDX-License-Identifier: Apache-2.0
#include "controller/api/grpc/api_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include "controller/api/grpc/fleet_service.h"
#include "proto/contract/errors.h"

namespace roceready {
namespace {

constexpr std::chrono::seconds kGoodbyeTime{2};
// A host list may have 4 MiB (kMaxHostListBytes); nothing else a client sends is large.
constexpr int kMaxRequestBytes = (4 << 20) + (64 << 10);
// Reflection is gRPC's own and takes a thread for each of its streams; our methods take none.
constexpr int kMaxThreads = 16;

class GrpcApiServer final : public ApiServer {
 public:
  GrpcApiServer(const Options& options, EventLoop* loop, FleetApi* api)
      : for_clients_(loop, api, options.trust_everybody ? TrustedCaller : CallerOfCertificate),
        in_process_(loop, api,
                    options.trust_everybody ? TrustedCaller : CallerOfForwardedPrincipal) {}
  ~GrpcApiServer() override { Stop(); }

  absl::Status Listen(const Options& options) {
    // First: health and reflection, which are for whole programs to switch on, are not for it.
    grpc::ServerBuilder without_port;
    without_port.RegisterService(&in_process_);
    in_process_server_ = without_port.BuildAndStart();
    if (in_process_server_ == nullptr) return Internal("cannot start the in-process API");

    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options.listen, options.credentials, &port_);
    builder.RegisterService(&for_clients_);
    builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
    builder.SetResourceQuota(
        grpc::ResourceQuota("api").Resize(options.memory_quota_bytes).SetMaxThreads(kMaxThreads));
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    client_server_ = builder.BuildAndStart();
    if (client_server_ == nullptr || port_ == 0) {
      return Unavailable("cannot listen for API clients on {}: is the address in use?",
                         options.listen);
    }
    client_server_->GetHealthCheckService()->SetServingStatus(v1::FleetService::service_full_name(),
                                                              true);
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  std::shared_ptr<grpc::Channel> InProcessChannel() override {
    return in_process_server_->InProcessChannel(grpc::ChannelArguments());
  }

  void Stop() override {
    if (client_server_ != nullptr) client_server_->GetHealthCheckService()->Shutdown();
    for (std::unique_ptr<grpc::Server>* server : {&client_server_, &in_process_server_}) {
      if (*server == nullptr) continue;
      (*server)->Shutdown(std::chrono::system_clock::now() + kGoodbyeTime);
      (*server)->Wait();
      server->reset();
    }
  }

 private:
  FleetServiceImpl for_clients_;
  FleetServiceImpl in_process_;
  std::unique_ptr<grpc::Server> client_server_;
  std::unique_ptr<grpc::Server> in_process_server_;
  int port_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ApiServer>> ApiServer::Start(const Options& options, EventLoop* loop,
                                                            FleetApi* api) {
  auto server = std::make_unique<GrpcApiServer>(options, loop, api);
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace roceready
