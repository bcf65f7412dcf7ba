// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/fact_events.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "agent/netlink/devlink.h"
#include "agent/netlink/generic.h"
#include "agent/netlink/socket.h"
#include "agent/watch/kernel_events.h"
#include "proto/contract/errors.h"
#include "proto/process/descriptor.h"

namespace roceready::watch {
namespace {

// Routes are left out: a host that speaks BGP would never be at rest.
const std::vector<int> kRouteGroups = {RTNLGRP_LINK, RTNLGRP_NEIGH, RTNLGRP_IPV4_IFADDR,
                                       RTNLGRP_IPV6_IFADDR, RTNLGRP_DCB};
// The group that the kernel itself sends uevents to (lib/kobject_uevent.c); udev's is 2.
constexpr int kKernelUevents = 1;
// rdma/rdma_netlink.h, RDMA_NL_GROUP_NOTIFY.
constexpr int kRdmaNotify = 4;
constexpr std::string_view kDevlinkGroup = "config";
// For the one question to the kernel before listening.
constexpr std::chrono::seconds kPatience(2);

absl::StatusOr<Descriptor> OpenGroups(int protocol, const std::vector<int>& groups) {
  Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!socket.is_open()) return ErrnoError(errno, fmt::format("netlink protocol {}", protocol));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    return ErrnoError(errno, fmt::format("binding netlink protocol {}", protocol));
  }
  for (const int group : groups) {
    if (setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) != 0) {
      return ErrnoError(errno, fmt::format("netlink protocol {}, group {}", protocol, group));
    }
  }
  return socket;
}

absl::StatusOr<Descriptor> OpenDevlink() {
  ASSIGN_OR_RETURN(const auto asking,
                   netlink::Socket::Open(netlink::Protocol::kGeneric,
                                         std::chrono::steady_clock::now() + kPatience));
  ASSIGN_OR_RETURN(const uint32_t group,
                   netlink::ResolveGenericGroup(*asking, netlink::kDevlinkFamily, kDevlinkGroup));
  return OpenGroups(NETLINK_GENERIC, {static_cast<int>(group)});
}

// A socket and how its datagrams are understood.
struct Stream {
  Descriptor socket;
  Changes (*decode)(netlink::ByteView datagram);
};

Changes DecodeUevent(netlink::ByteView datagram) {
  return ChangesOfUevent({reinterpret_cast<const char*>(datagram.data()), datagram.size()});
}

// Reads all that is there.
Changes Drain(const Stream& stream) {
  // Notifications are of one object, a page or so; what is cut makes no sense and is everything.
  std::array<uint8_t, 32768> buffer;
  Changes changes;
  while (true) {
    sockaddr_nl sender{};
    socklen_t sender_size = sizeof(sender);
    const ssize_t size = recvfrom(stream.socket.get(), buffer.data(), buffer.size(), 0,
                                  reinterpret_cast<sockaddr*>(&sender), &sender_size);
    if (size < 0 && errno == ENOBUFS) changes = Changes::Everything();
    if (size < 0 && (errno == ENOBUFS || errno == EINTR)) continue;
    if (size <= 0) return changes;
    // Only the kernel has the address 0.
    if (sender.nl_pid != 0) continue;
    changes.Merge(stream.decode({buffer.data(), static_cast<size_t>(size)}));
  }
}

class Watcher final : public FactEvents {
 public:
  Watcher(std::function<void(const Changes&)> changed, std::vector<Stream> streams,
          std::vector<std::string> not_listened_to, Descriptor stop)
      : changed_(std::move(changed)),
        streams_(std::move(streams)),
        not_listened_to_(std::move(not_listened_to)),
        stop_(std::move(stop)),
        thread_([this] { Run(); }) {}
  ~Watcher() override {
    eventfd_write(stop_.get(), 1);
    thread_.join();
  }
  std::vector<std::string> not_listened_to() const override { return not_listened_to_; }

 private:
  void Run() {
    while (true) {
      std::vector<pollfd> waited = {{stop_.get(), POLLIN, 0}};
      for (const Stream& stream : streams_) waited.push_back({stream.socket.get(), POLLIN, 0});
      if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
      if (waited[0].revents != 0) return;
      Changes changes;
      for (size_t i = 0; i < streams_.size(); ++i) {
        if (waited[i + 1].revents != 0) changes.Merge(Drain(streams_[i]));
      }
      if (!changes.empty()) changed_(changes);
    }
  }

  const std::function<void(const Changes&)> changed_;
  const std::vector<Stream> streams_;
  const std::vector<std::string> not_listened_to_;
  const Descriptor stop_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FactEvents>> FactEvents::Start(
    std::function<void(const Changes&)> changed) {
  std::vector<Stream> streams;
  ASSIGN_OR_RETURN(Descriptor route, OpenGroups(NETLINK_ROUTE, kRouteGroups));
  streams.push_back({std::move(route), ChangesOfRoute});
  ASSIGN_OR_RETURN(Descriptor uevents, OpenGroups(NETLINK_KOBJECT_UEVENT, {kKernelUevents}));
  streams.push_back({std::move(uevents), DecodeUevent});
  std::vector<std::string> refused;
  const auto add = [&](std::string_view what, absl::StatusOr<Descriptor> socket,
                       Changes (*decode)(netlink::ByteView)) {
    if (socket.ok()) {
      streams.push_back({*std::move(socket), decode});
    } else {
      refused.push_back(fmt::format("{}: {}", what, Message(socket.status())));
    }
  };
  add("devlink", OpenDevlink(), ChangesOfDevlink);
  add("RDMA", OpenGroups(NETLINK_RDMA, {kRdmaNotify}), ChangesOfRdma);
  Descriptor stop(eventfd(0, EFD_CLOEXEC));
  if (!stop.is_open()) return ErrnoError(errno, "eventfd");
  return std::make_unique<Watcher>(std::move(changed), std::move(streams), std::move(refused),
                                   std::move(stop));
}

}  // namespace roceready::watch
