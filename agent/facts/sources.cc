// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/sources.h"

#include <chrono>
#include <utility>

namespace roceready::facts {
namespace {

// Only a backstop for answers that get lost: a reading's own deadline is kept by the collector, and
// a driver that hangs keeps the thread inside the kernel, out of reach of this.
constexpr std::chrono::seconds kLostAnswer(10);

class KernelSources : public Sources {
 public:
  explicit KernelSources(std::shared_ptr<lldp::Ears> ears) : ears_(std::move(ears)) {}
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
  lldp::Ears* ears() const override { return ears_.get(); }

 private:
  const std::shared_ptr<lldp::Ears> ears_;
  const HostRoot root_;
};

}  // namespace

std::shared_ptr<const Sources> LiveSources(std::shared_ptr<lldp::Ears> ears) {
  return std::make_shared<KernelSources>(std::move(ears));
}

}  // namespace roceready::facts
