// SPDX-License-Identifier: Apache-2.0
// The gRPC server that agents dial. It only carries: each message goes to the event loop, and the
// next one of that stream is read when the loop is through with it, so that a stream has at most
// one message waiting. A server of its own, apart from the API's, because its memory quota must
// allow for every agent of the cluster.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>

#include "controller/fleet/fleet.h"

namespace grpc {
class ServerCredentials;
}

namespace roceready {

class LinkServer {
 public:
  struct Options {
    std::string listen;  // "[::]:7471"
    std::shared_ptr<grpc::ServerCredentials> credentials;
    // A message is in memory whole before its size can be checked, so this bounds what hostile
    // certificate holders can make us hold. About three times what 10,000 agents need: a tighter
    // quota ends healthy streams first.
    std::size_t memory_quota_bytes = 512u << 20;
  };

  // kUnavailable when the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<LinkServer>> Start(const Options& options, EventLoop* loop,
                                                           Fleet* fleet);
  virtual ~LinkServer() = default;

  // The port in use, for a `listen` that left it open (":0").
  virtual int port() const = 0;
  // Ends what is still open after a moment for goodbyes. Not on the loop's thread.
  virtual void Stop() = 0;
};

}  // namespace roceready
