// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/socket.h"

#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roceready::netlink {
namespace {

constexpr int kAttempts = 3;
// One datagram is at most 32 KiB in a dump, but the answer about a single object may be longer.
constexpr size_t kFirstBuffer = 32 << 10;
constexpr size_t kLargestDatagram = 16 << 20;
// How long one poll may sleep before the injected clock is looked at again.
constexpr std::chrono::milliseconds kLongestSleep{100};

}  // namespace

absl::StatusOr<std::unique_ptr<Socket>> Socket::Open(Protocol protocol,
                                                     std::chrono::steady_clock::time_point deadline,
                                                     Clock clock) {
  std::unique_ptr<Socket> socket(new Socket(protocol, deadline, std::move(clock)));
  RETURN_IF_ERROR(socket->Connect());
  return socket;
}

Socket::Socket(Protocol protocol, std::chrono::steady_clock::time_point deadline, Clock clock)
    : protocol_(protocol), deadline_(deadline), clock_(std::move(clock)) {}

Socket::~Socket() { Disconnect(); }

void Socket::Disconnect() {
  if (socket_ != nullptr) nl_socket_free(socket_);
  socket_ = nullptr;
}

absl::Status Socket::Connect() {
  if (socket_ != nullptr) return absl::OkStatus();
  socket_ = nl_socket_alloc();
  if (socket_ == nullptr) return ErrnoError(ENOMEM, "netlink socket");
  // libnl's own error numbers are coarser than errno, which it leaves as the failed call set it.
  errno = 0;
  if (const int result = nl_connect(socket_, static_cast<int>(protocol_)); result < 0) {
    const int error = errno;
    Disconnect();
    if (error == EPROTONOSUPPORT) {
      return ErrnoError(
          error, fmt::format("no such netlink protocol {}{}", static_cast<int>(protocol_),
                             protocol_ == Protocol::kRdma ? " (RDMA: ib_core is not loaded)" : ""));
    }
    if (error == 0) return Internal("netlink socket: {}", nl_geterror(result));
    return ErrnoError(error, "netlink socket");
  }
  // Both only better the error texts: old kernels may lack them.
  const int on = 1;
  const int fd = nl_socket_get_fd(socket_);
  setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
  setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Message>> Socket::Exchange(const Request& request) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    RETURN_IF_ERROR(WithContext(Connect(), request.what));
    AnswerReader answer(++sequence_);
    const absl::StatusOr<AnswerReader::State> state = TryExchange(request, answer);
    if (state.ok() && *state == AnswerReader::State::kComplete) return answer.TakeMessages();
    if (state.ok() && *state == AnswerReader::State::kRefused) {
      const KernelVerdict& verdict = answer.verdict();
      return WithKernelText(ErrnoError(verdict.error, request.what), verdict.text);
    }
    if (state.ok() && *state == AnswerReader::State::kInterrupted) continue;
    // What is left of a broken answer must not meet the next request (and a dump that still runs
    // makes the kernel refuse the next one with EBUSY): start over with a new socket.
    Disconnect();
    if (!state.ok()) return state.status();
  }
  return Unavailable("{}: the kernel's answer kept changing or was lost {} times; try again",
                     request.what, kAttempts);
}

absl::StatusOr<AnswerReader::State> Socket::TryExchange(const Request& request,
                                                        AnswerReader& answer) {
  RETURN_IF_ERROR(Send(request, sequence_));
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<Bytes> datagram, ReceiveDatagram(request));
    if (!datagram) return AnswerReader::State::kLost;
    absl::StatusOr<AnswerReader::State> state = answer.Take(*datagram);
    if (!state.ok()) return WithContext(state.status(), request.what);
    if (*state != AnswerReader::State::kMore) return state;
  }
}

absl::Status Socket::Send(const Request& request, uint32_t sequence) {
  if (clock_() >= deadline_) return DeadlineExceeded("{}: no time left to ask", request.what);
  const int flags = NLM_F_REQUEST | (request.dump ? NLM_F_DUMP : NLM_F_ACK);
  const nlmsghdr header{
      .nlmsg_len = static_cast<uint32_t>(sizeof(nlmsghdr) + request.payload.size()),
      .nlmsg_type = request.type,
      .nlmsg_flags = static_cast<uint16_t>(flags),
      .nlmsg_seq = sequence,
      .nlmsg_pid = nl_socket_get_local_port(socket_)};
  Bytes message(header.nlmsg_len);
  std::memcpy(message.data(), &header, sizeof(header));
  std::copy(request.payload.begin(), request.payload.end(), message.begin() + sizeof(header));
  while (true) {
    const ssize_t sent = send(nl_socket_get_fd(socket_), message.data(), message.size(), 0);
    if (sent == static_cast<ssize_t>(message.size())) return absl::OkStatus();
    if (sent >= 0) return DataLoss("{}: request sent in part", request.what);
    if (errno != EINTR) return ErrnoError(errno, request.what + ": asking");
  }
}

absl::Status Socket::WaitReadable(const Request& request) {
  while (true) {
    const auto left = deadline_ - clock_();
    if (left <= std::chrono::steady_clock::duration::zero()) {
      return DeadlineExceeded("{}: no answer in time", request.what);
    }
    const auto sleep = std::min(std::chrono::ceil<std::chrono::milliseconds>(left), kLongestSleep);
    pollfd waited{.fd = nl_socket_get_fd(socket_), .events = POLLIN, .revents = 0};
    const int ready = poll(&waited, 1, static_cast<int>(sleep.count()));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return ErrnoError(errno, request.what + ": waiting");
  }
}

absl::StatusOr<std::optional<Bytes>> Socket::ReceiveDatagram(const Request& request) {
  const int fd = nl_socket_get_fd(socket_);
  while (true) {
    RETURN_IF_ERROR(WaitReadable(request));
    // The true length first: a datagram that does not fit is cut and gone.
    uint8_t first = 0;
    ssize_t size = recv(fd, &first, sizeof(first), MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    Bytes datagram;
    if (size >= 0) {
      if (static_cast<size_t>(size) > kLargestDatagram) {
        return DataLoss("{}: datagram of {} bytes", request.what, size);
      }
      // At least 32 KiB, which tells the kernel how much of a dump it may put in one datagram.
      datagram.resize(std::max<size_t>(size, kFirstBuffer));
      sockaddr_nl sender{};
      socklen_t sender_size = sizeof(sender);
      size = recvfrom(fd, datagram.data(), datagram.size(), MSG_TRUNC | MSG_DONTWAIT,
                      reinterpret_cast<sockaddr*>(&sender), &sender_size);
      if (size >= 0 && sender.nl_pid != 0) continue;
    }
    if (size < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      if (errno == ENOBUFS) return std::optional<Bytes>();
      return ErrnoError(errno, request.what + ": reading the answer");
    }
    if (static_cast<size_t>(size) > datagram.size()) {
      return DataLoss("{}: answer cut at {} of {} bytes", request.what, datagram.size(), size);
    }
    datagram.resize(size);
    return std::optional<Bytes>(std::move(datagram));
  }
}

}  // namespace roceready::netlink
