// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/sources.h"

#include <chrono>

namespace roceready::facts {
namespace {

// Only a backstop for answers that get lost: a reading's own deadline is kept by the collector, and
// a driver that hangs keeps the thread inside the kernel, out of reach of this.
constexpr std::chrono::seconds kLostAnswer(10);

class KernelSources : public Sources {
 public:
  const HostRoot& root() const override { return root_; }

  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    ASSIGN_OR_RETURN(
        std::unique_ptr<netlink::Transport> socket,
        netlink::Socket::Open(protocol, std::chrono::steady_clock::now() + kLostAnswer));
    return socket;
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    return netlink::OpenEthtoolControl();
  }
  std::unique_ptr<Verbs> OpenVerbs() const override { return facts::OpenVerbs(); }

 private:
  const HostRoot root_;
};

}  // namespace

std::shared_ptr<const Sources> LiveSources() { return std::make_shared<KernelSources>(); }

}  // namespace roceready::facts
