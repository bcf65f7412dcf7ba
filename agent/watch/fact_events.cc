// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/fact_events.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "proto/contract/errors.h"

namespace roceready::watch {
namespace {

// Routes are left out: a host that speaks BGP would never be at rest.
constexpr std::array kRouteGroups = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
                                     RTNLGRP_DCB};
// The group that the kernel itself sends uevents to (lib/kobject_uevent.c); udev's is 2.
constexpr int kKernelUevents = 1;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

absl::StatusOr<Descriptor> OpenGroups(int protocol, const std::vector<int>& groups) {
  Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (socket.get() < 0) return ErrnoError(errno, fmt::format("netlink protocol {}", protocol));
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

class Watcher final : public FactEvents {
 public:
  Watcher(std::function<void()> changed, Descriptor route, Descriptor uevents, Descriptor stop)
      : changed_(std::move(changed)),
        route_(std::move(route)),
        uevents_(std::move(uevents)),
        stop_(std::move(stop)),
        thread_([this] { Run(); }) {}
  ~Watcher() override {
    eventfd_write(stop_.get(), 1);
    thread_.join();
  }

 private:
  void Run() {
    while (true) {
      std::array<pollfd, 3> waited = {pollfd{stop_.get(), POLLIN, 0},
                                      pollfd{route_.get(), POLLIN, 0},
                                      pollfd{uevents_.get(), POLLIN, 0}};
      if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
      if (waited[0].revents != 0) return;
      const bool route =
          waited[1].revents != 0 && Drain(route_, [](std::string_view) { return true; });
      const bool device = waited[2].revents != 0 && Drain(uevents_, ConcernsFacts);
      if (route || device) changed_();
    }
  }

  // Reads all that is there; true where any of it counts, or some of it was lost.
  template <typename Counts>
  static bool Drain(const Descriptor& socket, Counts counts) {
    std::array<char, 16384> buffer;
    bool any = false;
    while (true) {
      sockaddr_nl sender{};
      socklen_t sender_size = sizeof(sender);
      const ssize_t size = recvfrom(socket.get(), buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&sender), &sender_size);
      if (size < 0 && errno == ENOBUFS) any = true;
      if (size < 0 && (errno == ENOBUFS || errno == EINTR)) continue;
      if (size <= 0) return any;
      // Only the kernel has the address 0.
      if (sender.nl_pid == 0) any |= counts({buffer.data(), static_cast<size_t>(size)});
    }
  }

  const std::function<void()> changed_;
  const Descriptor route_;
  const Descriptor uevents_;
  const Descriptor stop_;
  std::thread thread_;
};

}  // namespace

bool ConcernsFacts(std::string_view uevent) {
  constexpr std::array<std::string_view, 5> kKinds = {"SUBSYSTEM=net", "SUBSYSTEM=infiniband",
                                                      "SUBSYSTEM=infiniband_verbs", "SUBSYSTEM=pci",
                                                      "SUBSYSTEM=module"};
  while (!uevent.empty()) {
    const size_t end = std::min(uevent.find('\0'), uevent.size());
    const std::string_view field = uevent.substr(0, end);
    uevent.remove_prefix(std::min(end + 1, uevent.size()));
    if (std::find(kKinds.begin(), kKinds.end(), field) != kKinds.end()) return true;
  }
  return false;
}

absl::StatusOr<std::unique_ptr<FactEvents>> FactEvents::Start(std::function<void()> changed) {
  ASSIGN_OR_RETURN(Descriptor route,
                   OpenGroups(NETLINK_ROUTE, {kRouteGroups.begin(), kRouteGroups.end()}));
  ASSIGN_OR_RETURN(Descriptor uevents, OpenGroups(NETLINK_KOBJECT_UEVENT, {kKernelUevents}));
  Descriptor stop(eventfd(0, EFD_CLOEXEC));
  if (stop.get() < 0) return ErrnoError(errno, "eventfd");
  return std::make_unique<Watcher>(std::move(changed), std::move(route), std::move(uevents),
                                   std::move(stop));
}

}  // namespace roceready::watch
