// SPDX-License-Identifier: Apache-2.0
// Everything a reading can ask: files, netlink, ethtool, verbs. Real on a live host, recorded for
// `facts --root`, fake in tests. Used from several threads at once.
#pragma once

#include <memory>

#include "agent/facts/host_root.h"
#include "agent/facts/verbs.h"
#include "agent/lldp/ears.h"
#include "agent/netlink/ethtool_ioctl.h"
#include "agent/netlink/socket.h"
#include "agent/netlink/transport.h"

namespace roceready::facts {

class Sources {
 public:
  virtual ~Sources() = default;
  virtual const HostRoot& root() const = 0;
  // A new connection for one reading on one thread.
  virtual absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const = 0;
  virtual absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const = 0;
  virtual std::unique_ptr<Verbs> OpenVerbs() const = 0;
  // Null where nobody listens to LLDP.
  virtual lldp::Ears* ears() const { return nullptr; }
};

// The host we run on. `ears` are those of the service.
std::shared_ptr<const Sources> LiveSources(std::shared_ptr<lldp::Ears> ears = nullptr);

}  // namespace roceready::facts
