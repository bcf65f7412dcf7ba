// SPDX-License-Identifier: Apache-2.0
// How the transcoder calls a gRPC method by name with serialized messages. The real one calls the
// in-process instance of the service; tests use a fake.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <string>

namespace grpc {
class Channel;
}

namespace roceready::rest {

// A running streaming call. Dropping the handle cancels it.
class RpcStream {
 public:
  virtual ~RpcStream() = default;
};

class RpcCaller {
 public:
  using Done = std::function<void(absl::Status, std::string response)>;
  using OnMessage = std::function<void(std::string message)>;
  using OnEnd = std::function<void(absl::Status)>;

  virtual ~RpcCaller() = default;
  // `method` is "/roceready.v1.FleetService/ListHosts". Callbacks come on any thread.
  virtual void Unary(const std::string& method, const std::string& principal, std::string request,
                     Done done) = 0;
  virtual std::shared_ptr<RpcStream> ServerStream(const std::string& method,
                                                  const std::string& principal, std::string request,
                                                  OnMessage on_message, OnEnd on_end) = 0;
};

// The metadata key under which the principal travels to the in-process service; the service on a
// real port must never read it (a remote client can send any metadata).
inline constexpr char kPrincipalMetadataKey[] = "x-roceready-principal";

std::unique_ptr<RpcCaller> MakeRpcCaller(std::shared_ptr<grpc::Channel> in_process_channel);

}  // namespace roceready::rest
