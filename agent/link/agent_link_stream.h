// SPDX-License-Identifier: Apache-2.0
// The state of AgentLink's stream of the moment; for agent_link*.cc alone.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/link/agent_link.h"

namespace roceready::link {

struct AgentLink::Stream {
  std::unique_ptr<Transport> transport;
  Outbox outbox;
  bool write_in_flight = false;
  bool welcomed = false;
  // Goodbye was the last message.
  bool finished = false;
  // The controller's last word; its reason in full comes with the close.
  std::optional<v1::Goodbye> goodbye;
  // The epoch could be made durable: orders may be taken.
  bool takes_orders = false;
  uint64_t epoch = 0;
  Duration lease{};
  std::string controller_version;
  std::string session;
  MonotonicTime welcomed_at{};
  MonotonicTime last_heard{};
};

}  // namespace roceready::link
