// SPDX-License-Identifier: Apache-2.0
#include "agent/link/status_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready::link {
namespace {

constexpr std::string_view kConnected = "connected\n";
constexpr std::string_view kNotConnected = "not connected\n";
// A caller that does not read, or an agent that does not answer.
constexpr timeval kSocketTimeout{5, 0};
constexpr size_t kLongestAnswer = size_t{64} * 1024;

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidArgument("status socket \"{}\": a path of 1 to {} characters is needed", path,
                           sizeof(address.sun_path) - 1);
  }
  path.copy(address.sun_path, path.size());
  return address;
}

void SetTimeouts(int socket) {
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kSocketTimeout, sizeof(kSocketTimeout));
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kSocketTimeout, sizeof(kSocketTimeout));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StatusSocket>> StatusSocket::Listen(
    const std::string& path, EventLoop* loop, std::function<LinkStatus()> status) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  struct stat found{};
  if (lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) unlink(path.c_str());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return ErrnoError(errno, "status socket");
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      chmod(path.c_str(), 0666) != 0 || listen(listener, 8) != 0) {
    const int error = errno;
    close(listener);
    return ErrnoError(error, fmt::format("cannot listen on status socket \"{}\"", path));
  }
  const int stop = eventfd(0, EFD_CLOEXEC);
  return std::unique_ptr<StatusSocket>(
      new StatusSocket(path, listener, stop, loop, std::move(status)));
}

StatusSocket::StatusSocket(std::string path, int listener, int stop, EventLoop* loop,
                           std::function<LinkStatus()> status)
    : path_(std::move(path)),
      listener_(listener),
      stop_(stop),
      loop_(loop),
      status_(std::move(status)),
      thread_([this] { Serve(); }) {}

StatusSocket::~StatusSocket() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(listener_);
  close(stop_);
  unlink(path_.c_str());
}

void StatusSocket::Serve() {
  while (true) {
    std::array<pollfd, 2> waited = {pollfd{listener_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
    if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) return;
    const int caller = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (caller < 0) continue;
    SetTimeouts(caller);
    const std::string answer = Answer();
    (void)send(caller, answer.data(), answer.size(), MSG_NOSIGNAL);
    close(caller);
  }
}

std::string StatusSocket::Answer() {
  auto status = std::make_shared<std::promise<LinkStatus>>();
  std::future<LinkStatus> future = status->get_future();
  const bool posted = loop_->Post([status, read = status_] { status->set_value(read()); });
  if (!posted || future.wait_for(kLoopAnswersWithin) != std::future_status::ready) {
    return fmt::format("{}the agent's link loop does not answer\n", kNotConnected);
  }
  try {
    const LinkStatus answer = future.get();
    return std::string(answer.connected ? kConnected : kNotConnected) + Describe(answer);
  } catch (const std::future_error&) {
    return fmt::format("{}the agent is stopping\n", kNotConnected);
  }
}

absl::StatusOr<StatusAnswer> AskStatus(const std::string& path) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  const int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (agent < 0) return ErrnoError(errno, "socket");
  SetTimeouts(agent);
  std::string answer;
  int error = 0;
  if (connect(agent, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    error = errno;
  }
  std::array<char, 4096> buffer{};
  while (error == 0 && answer.size() < kLongestAnswer) {
    const ssize_t size = recv(agent, buffer.data(), buffer.size(), 0);
    if (size < 0) error = errno;
    if (size <= 0) break;
    answer.append(buffer.data(), static_cast<size_t>(size));
  }
  close(agent);
  if (error == ENOENT || error == ECONNREFUSED) {
    return Unavailable(
        "no agent listens at \"{}\": is roceready-agent running? (systemctl status "
        "roceready-agent)",
        path);
  }
  if (error == EAGAIN) return DeadlineExceeded("the agent at \"{}\" does not answer", path);
  if (error != 0) return ErrnoError(error, fmt::format("status socket \"{}\"", path));
  for (const bool connected : {true, false}) {
    const std::string_view mark = connected ? kConnected : kNotConnected;
    if (answer.starts_with(mark)) return StatusAnswer{connected, answer.substr(mark.size())};
  }
  return DataLoss("\"{}\" is not a status socket of roceready-agent", path);
}

}  // namespace roceready::link
