// SPDX-License-Identifier: Apache-2.0
// The two gRPC servers of the API: one with a port for clients, and one without, in-process, for
// REST, which has checked its client's certificate itself and forwards who that is.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>

#include "controller/api/fleet_api.h"
#include "proto/process/event_loop.h"

namespace grpc {
class Channel;
class ServerCredentials;
}  // namespace grpc

namespace roceready {

class ApiServer {
 public:
  struct Options {
    std::string listen;  // "[::]:7472"
    std::shared_ptr<grpc::ServerCredentials> credentials;
    // Plain text on loopback, for tests: no certificate to ask for a role.
    bool trust_everybody = false;
    // Small: a client that floods the API must not take the memory of the agents' server.
    std::size_t memory_quota_bytes = 64u << 20;
  };

  // kUnavailable when the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<ApiServer>> Start(const Options& options, EventLoop* loop,
                                                          FleetApi* api);
  virtual ~ApiServer() = default;

  virtual int port() const = 0;
  // To the in-process instance.
  virtual std::shared_ptr<grpc::Channel> InProcessChannel() = 0;
  // Ends all calls; the loop must still run. Not on the loop's thread.
  virtual void Stop() = 0;
};

}  // namespace roceready
