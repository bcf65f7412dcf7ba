// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/uverbs_watch.h"

#include <linux/netlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "proto/process/descriptor.h"

namespace roceready::watch {
namespace {

constexpr std::string_view kNodePrefix = "uverbs";
// The group that the kernel itself sends to; udev uses another.
constexpr uint32_t kKernelGroup = 1;

// Absent where the kernel sends no uevents to us.
Descriptor OpenUevents() {
  Descriptor socket(
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = kKernelGroup;
  const auto* bound = reinterpret_cast<const sockaddr*>(&address);
  if (socket.get() >= 0 && ::bind(socket.get(), bound, sizeof(address)) != 0) return Descriptor();
  return socket;
}

class Watcher : public UverbsWatch {
 public:
  Watcher(Gone gone, std::string directory, Descriptor uevents, Descriptor inotify, Descriptor stop)
      : gone_(std::move(gone)),
        directory_(std::move(directory)),
        uevents_(std::move(uevents)),
        inotify_(std::move(inotify)),
        stop_(std::move(stop)) {
    WatchDirectories();
    thread_ = std::thread([this] { Run(); });
  }
  ~Watcher() override {
    (void)!::eventfd_write(stop_.get(), 1);
    thread_.join();
  }

 private:
  void Run();
  void WatchDirectories();
  void ReadUevents();
  void ReadDirectory();

  const Gone gone_;
  const std::string directory_;
  const Descriptor uevents_;
  const Descriptor inotify_;
  const Descriptor stop_;
  int directory_watch_ = -1;
  std::thread thread_;
};

void Watcher::WatchDirectories() {
  // Of the parent only that the directory comes (again): it goes with its last node.
  const std::string parent = directory_.substr(0, directory_.rfind('/'));
  ::inotify_add_watch(inotify_.get(), parent.empty() ? "/" : parent.c_str(),
                      IN_CREATE | IN_ONLYDIR);
  directory_watch_ =
      ::inotify_add_watch(inotify_.get(), directory_.c_str(), IN_DELETE | IN_ONLYDIR);
}

void Watcher::Run() {
  for (;;) {
    std::array<pollfd, 3> descriptors{pollfd{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                      pollfd{.fd = uevents_.get(), .events = POLLIN, .revents = 0},
                                      pollfd{.fd = inotify_.get(), .events = POLLIN, .revents = 0}};
    if (::poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR) return;
    if (descriptors[0].revents != 0) return;
    if (descriptors[1].revents != 0) ReadUevents();
    if (descriptors[2].revents != 0) ReadDirectory();
  }
}

void Watcher::ReadUevents() {
  // The kernel's own limit is 2048 bytes of fields (UEVENT_BUFFER_SIZE) after the header.
  std::array<char, 8192> buffer;
  for (;;) {
    sockaddr_nl sender{};
    socklen_t sender_size = sizeof(sender);
    const ssize_t size = ::recvfrom(uevents_.get(), buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&sender), &sender_size);
    // Messages that were lost (ENOBUFS) are told by the directory.
    if (size < 0 && (errno == ENOBUFS || errno == EINTR)) continue;
    if (size <= 0) return;
    // Only the kernel has the address 0.
    if (sender.nl_pid != 0) continue;
    const auto node = RemovedUverbsNode({buffer.data(), static_cast<size_t>(size)});
    if (node) gone_(*node);
  }
}

void Watcher::ReadDirectory() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
  for (ssize_t offset = 0; offset < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + offset);
    offset += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    const bool is_in_directory = event->wd == directory_watch_;
    if (is_in_directory && (event->mask & IN_IGNORED)) directory_watch_ = -1;
    if (is_in_directory && (event->mask & IN_DELETE) && event->len > 0) {
      const std::string_view name(event->name);
      if (name.starts_with(kNodePrefix)) gone_(name);
    }
    if (!is_in_directory && (event->mask & IN_CREATE)) WatchDirectories();
  }
}

}  // namespace

std::optional<std::string> RemovedUverbsNode(std::string_view uevent) {
  bool removed = false;
  bool is_uverbs = false;
  std::string_view path;
  while (!uevent.empty()) {
    const size_t end = std::min(uevent.find('\0'), uevent.size());
    const std::string_view field = uevent.substr(0, end);
    uevent.remove_prefix(std::min(end + 1, uevent.size()));
    if (field == "ACTION=remove") removed = true;
    if (field == "SUBSYSTEM=infiniband_verbs") is_uverbs = true;
    if (field.starts_with("DEVPATH=")) path = field;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!removed || !is_uverbs || !name.starts_with(kNodePrefix)) return std::nullopt;
  return std::string(name);
}

absl::StatusOr<std::unique_ptr<UverbsWatch>> UverbsWatch::Start(Gone gone, std::string directory) {
  Descriptor inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (inotify.get() < 0) return ErrnoError(errno, "inotify_init1");
  Descriptor stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stop.get() < 0) return ErrnoError(errno, "eventfd");
  return std::make_unique<Watcher>(std::move(gone), std::move(directory), OpenUevents(),
                                   std::move(inotify), std::move(stop));
}

}  // namespace roceready::watch
