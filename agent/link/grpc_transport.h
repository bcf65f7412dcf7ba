// SPDX-License-Identifier: Apache-2.0
// Streams over gRPC. A reactor's callbacks only post to the event loop; the next message is read
// once the loop has taken the last one, so a controller that floods is slowed down by its own
// stream.
#pragma once

#include <memory>
#include <string>

#include "agent/link/transport.h"
#include "proto/process/event_loop.h"
#include "roceready/v1/config.pb.h"

namespace grpc {
class ChannelCredentials;
}

namespace roceready::link {

class GrpcDialer final : public Dialer {
 public:
  // mTLS from these files (read again when they change).
  GrpcDialer(EventLoop* loop, const v1::TlsFiles& files);
  // Plain text: only to loopback, for tests.
  explicit GrpcDialer(EventLoop* loop);
  // Waits until gRPC is done with all streams; their transports are destroyed before.
  ~GrpcDialer() override;

  std::unique_ptr<Transport> Dial(const std::string& endpoint, StreamEvents events) override;

 private:
  EventLoop* const loop_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  struct OpenStreams;
  const std::shared_ptr<OpenStreams> open_;
};

}  // namespace roceready::link
