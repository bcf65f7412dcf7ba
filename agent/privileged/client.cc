// SPDX-License-Identifier: Apache-2.0
#include "agent/privileged/client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "agent/lldp/packet_socket.h"
#include "agent/wire/packet_socket.h"

namespace roceready::privileged {
namespace {

// Firmware that is asked by debugfs may take its time; a driver that hangs keeps our thread no
// longer than this.
constexpr timeval kPatience = {.tv_sec = 5, .tv_usec = 0};

constexpr std::string_view kMlx5 = "mlx5 congestion parameters";
constexpr std::string_view kBnxt = "bnxt_re congestion parameters";

absl::StatusOr<Descriptor> Connect(const std::string& path) {
  Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!connection.is_open()) return ErrnoError(errno, "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return ErrnoError(ENAMETOOLONG, path);
  std::copy(path.begin(), path.end(), address.sun_path);
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
      0) {
    return ErrnoError(errno, path);
  }
  return connection;
}

// The descriptor that came with a message; others are closed.
Descriptor TakePassed(msghdr* message) {
  Descriptor passed;
  for (cmsghdr* header = CMSG_FIRSTHDR(message); header != nullptr;
       header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof(number));
    passed = Descriptor(number);
  }
  return passed;
}

// Nobody there to ask: for the reader of the reading, that is a missing privilege.
absl::StatusOr<Descriptor> ConnectOrDenied(const std::string& path, std::string_view what) {
  absl::StatusOr<Descriptor> connection = Connect(path);
  if (connection.ok()) return connection;
  return ErrnoError(EPERM, fmt::format("{}: the agent may not, and {} does not answer (start {})",
                                       what, path, kUnit));
}

absl::StatusOr<std::string> AskAbout(const std::string& pci_address, Kind kind,
                                     const std::string& path, std::string_view what) {
  ASSIGN_OR_RETURN(const Descriptor connection, ConnectOrDenied(path, what));
  Descriptor passed;
  return Ask(connection.get(), {.kind = kind, .pci_address = pci_address}, &passed);
}

// A packet socket of our own, else the privileged program's.
absl::StatusOr<Descriptor> OpenOrAsk(absl::StatusOr<Descriptor> (*open)(uint32_t), Kind kind,
                                     uint32_t net_device_index, const std::string& path,
                                     std::string_view what) {
  absl::StatusOr<Descriptor> own = open(net_device_index);
  const int error = ErrnoOf(own.status()).value_or(0);
  const bool denied = error == EPERM || error == EACCES || error == EAFNOSUPPORT;
  if (own.ok() || !denied) return own;
  ASSIGN_OR_RETURN(const Descriptor connection, ConnectOrDenied(path, what));
  Descriptor passed;
  RETURN_IF_ERROR(
      Ask(connection.get(), {.kind = kind, .net_device_index = net_device_index}, &passed)
          .status());
  if (!passed.is_open()) return DataLoss("the privileged program sent no socket for {}", what);
  return passed;
}

// Lines "NAME VALUE".
absl::StatusOr<std::map<std::string, uint64_t>> ParseParameters(std::string_view text,
                                                                std::string_view what) {
  std::map<std::string, uint64_t> parameters;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string_view name = line.substr(0, line.find(' '));
    const std::string_view digits = line.substr(std::min(name.size() + 1, line.size()));
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc() || end != digits.end()) {
      return DataLoss("{}: \"{}\" is no number", what, line);
    }
    parameters[std::string(name)] = value;
  }
  return parameters;
}

}  // namespace

absl::StatusOr<std::string> Ask(int connection, const Request& request, Descriptor* passed) {
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  const Bytes question = Encode(request);
  if (send(connection, question.data(), question.size(), MSG_NOSIGNAL) < 0) {
    return ErrnoError(errno, "asking the privileged program");
  }
  Bytes answer(kLongestReply);
  iovec part = {.iov_base = answer.data(), .iov_len = answer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) {
    return errno == EAGAIN ? DeadlineExceeded("the privileged program does not answer")
                           : ErrnoError(errno, "the privileged program's answer");
  }
  *passed = TakePassed(&message);
  if (size == 0) return Unavailable("the privileged program is busy");
  ASSIGN_OR_RETURN(const Reply reply,
                   DecodeReply(std::span(answer).first(static_cast<size_t>(size))));
  if (reply.error != 0) return ErrnoError(reply.error, "privileged program: " + reply.text);
  return reply.text;
}

absl::StatusOr<Descriptor> OpenLldpSocket(uint32_t net_device_index, const std::string& path) {
  return OpenOrAsk(lldp::OpenPacketSocket, Kind::kLldpSocket, net_device_index, path,
                   "hearing LLDP");
}

absl::StatusOr<Descriptor> OpenRoceSocket(uint32_t net_device_index, const std::string& path) {
  return OpenOrAsk(wire::OpenPacketSocket, Kind::kRoceSocket, net_device_index, path,
                   "seeing RoCE packets");
}

absl::StatusOr<std::map<std::string, uint64_t>> ReadMlx5Congestion(const std::string& pci_address,
                                                                   const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text,
                   AskAbout(pci_address, Kind::kMlx5CongestionParameters, path, kMlx5));
  return ParseParameters(text, kMlx5);
}

absl::StatusOr<std::map<std::string, uint64_t>> ReadBnxtCongestion(const std::string& pci_address,
                                                                   const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text,
                   AskAbout(pci_address, Kind::kBnxtCongestionParameters, path, kBnxt));
  return ParseParameters(text, kBnxt);
}

absl::StatusOr<std::string> ReadPciConfiguration(const std::string& pci_address,
                                                 const std::string& path) {
  return AskAbout(pci_address, Kind::kPciConfiguration, path, "PCI configuration space");
}

}  // namespace roceready::privileged
