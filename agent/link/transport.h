// SPDX-License-Identifier: Apache-2.0
// One stream to the controller, as the link sees it. Tests have one over memory, the agent one over
// gRPC (grpc_transport.h).
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <string>

#include "roceready/v1/agent_link.pb.h"

namespace roceready::link {

// What a stream tells. Each is called on the link's event loop, as a task of its own (so that it
// may destroy the transport), and not after the transport is destroyed.
struct StreamEvents {
  // The message last given to Send() has left; the next may be sent.
  std::function<void()> on_sent;
  std::function<void(v1::ConnectResponse)> on_message;
  // Last: the stream is over, by either end's doing.
  std::function<void(absl::Status)> on_closed;
};

// Used on the link's event loop only. Destroying it ends the stream.
class Transport {
 public:
  virtual ~Transport() = default;
  // One message at a time: not before on_sent of the last one. The first may be sent at once.
  virtual void Send(const v1::ConnectRequest& message) = 0;
  // Nothing more will be sent: what was sent is delivered, then the other end closes.
  virtual void Finish() = 0;
};

class Dialer {
 public:
  virtual ~Dialer() = default;
  // Never blocks; failure to connect is told by on_closed. `endpoint` is "host:port".
  virtual std::unique_ptr<Transport> Dial(const std::string& endpoint, StreamEvents events) = 0;
};

}  // namespace roceready::link
