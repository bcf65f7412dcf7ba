// SPDX-License-Identifier: Apache-2.0
// One agent's stream as the fleet sees it: the seam between session logic and gRPC. Tests put a
// stream in memory here.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "proto/process/tls_identity.h"
#include "roceready/v1/agent_link.pb.h"

namespace roceready {

class AgentConnection {
 public:
  virtual ~AgentConnection() = default;

  // Who the agent's certificate speaks for. Nobody where the server was told to serve plain text on
  // loopback: then the agent's word is taken.
  virtual const PeerIdentity& identity() const = 0;

  // Where it comes from ("ipv4:10.0.0.7:41532"), for logs and findings only.
  virtual const std::string& peer_address() const = 0;

  // Queues a message; never blocks. A queue that overflows closes the stream by itself.
  virtual void Send(v1::ConnectResponse message) = 0;

  // Ends the stream with `why` once everything queued is written. Further calls do nothing.
  virtual void Close(const absl::Status& why) = 0;
};

}  // namespace roceready
