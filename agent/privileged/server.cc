// SPDX-License-Identifier: Apache-2.0
#include "agent/privileged/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "agent/lldp/packet_socket.h"
#include "agent/wire/packet_socket.h"

namespace roceready::privileged {
namespace {

constexpr std::array<std::string_view, 22> kMlx5Files = {
    "np_cnp_dscp",
    "np_cnp_prio",
    "np_cnp_prio_mode",
    "np_min_time_between_cnps",
    "rp_ai_rate",
    "rp_byte_reset",
    "rp_clamp_tgt_rate",
    "rp_clamp_tgt_rate_ati",
    "rp_dce_tcp_g",
    "rp_dce_tcp_rtt",
    "rp_gd",
    "rp_hai_rate",
    "rp_initial_alpha_value",
    "rp_max_rate",
    "rp_min_dec_fac",
    "rp_min_rate",
    "rp_rate_reduce_monitor_period",
    "rp_rate_to_set_on_first_cnp",
    "rp_threshold",
    "rp_time_reset",
    "rtt_resp_dscp",
    "rtt_resp_dscp_valid",
};
// Not among them: tx_queue, which cannot be read by design.
constexpr std::array<std::string_view, 13> kBnxtFiles = {
    "alt_vlan_dscp", "alt_vlan_pcp", "cc_mode", "enable_cc",           "inactivity_cp",
    "init_cr",       "init_tr",      "rtt",     "num_phase_per_state", "run_avg_weight_g",
    "tcp_cp",        "tos_dscp",     "tos_ecn",
};
constexpr size_t kPciConfigBytes = 4096;
// For a peer that connects and says nothing.
constexpr timeval kPatience = {.tv_sec = 2, .tv_usec = 0};

bool IsAllowed(int connection, const std::vector<uid_t>& allowed) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return std::ranges::find(allowed, peer.uid) != allowed.end();
}

Reply ReplyOf(const absl::Status& status) {
  return {.error = ErrnoOf(status).value_or(EIO), .text = std::string(Message(status))};
}

void Send(int connection, const Reply& reply, const Descriptor& passed) {
  Bytes bytes = Encode(reply);
  iovec part = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (passed.is_open()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = passed.get();
    std::memcpy(CMSG_DATA(header), &number, sizeof(number));
  }
  // A peer that is gone needs no answer.
  (void)!sendmsg(connection, &message, MSG_NOSIGNAL);
}

Reply ReplyOf(absl::StatusOr<std::string> text) {
  if (!text.ok()) return ReplyOf(text.status());
  return {.error = 0, .text = *std::move(text)};
}

// The socket goes to the agent beside the answer.
Reply ReplyOf(absl::StatusOr<Descriptor> socket, Descriptor* passed) {
  if (!socket.ok()) return ReplyOf(socket.status());
  *passed = *std::move(socket);
  return {};
}

Reply Do(const Request& request, const Powers& powers, Descriptor* passed) {
  switch (request.kind) {
    case Kind::kLldpSocket:
      return ReplyOf(powers.open_lldp_socket(request.net_device_index), passed);
    case Kind::kRoceSocket:
      return ReplyOf(powers.open_roce_socket(request.net_device_index), passed);
    case Kind::kMlx5CongestionParameters:
      return ReplyOf(powers.read_mlx5_congestion(request.pci_address));
    case Kind::kBnxtCongestionParameters:
      return ReplyOf(powers.read_bnxt_congestion(request.pci_address));
    case Kind::kPciConfiguration:
      return ReplyOf(powers.read_pci_config(request.pci_address));
  }
  return ReplyOf(ErrnoError(EINVAL, "request"));
}

// The first line of a small file, without its end.
absl::StatusOr<std::string> ReadValue(int folder, std::string_view name) {
  const std::string file_name(name);
  const Descriptor file(openat(folder, file_name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return ErrnoError(errno, name);
  std::array<char, 64> buffer;
  const ssize_t size = read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return ErrnoError(errno, name);
  const std::string_view text(buffer.data(), static_cast<size_t>(size));
  return std::string(text.substr(0, text.find('\n')));
}

// `also_left_out`: the errno of a file that is left out like one that is not there.
absl::StatusOr<std::string> ReadValues(const std::string& path,
                                       std::span<const std::string_view> names, int also_left_out) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return ErrnoError(errno, path);
  std::string text;
  for (const std::string_view name : names) {
    const absl::StatusOr<std::string> value = ReadValue(folder.get(), name);
    const int error = ErrnoOf(value.status()).value_or(0);
    // Older kernels and firmware do not have all.
    if (error == ENOENT || (error != 0 && error == also_left_out)) continue;
    if (!value.ok()) return WithContext(value.status(), path);
    text += fmt::format("{} {}\n", name, *value);
  }
  return text;
}

}  // namespace

Powers RealPowers() {
  return {.open_lldp_socket = lldp::OpenPacketSocket,
          .open_roce_socket = wire::OpenPacketSocket,
          .read_mlx5_congestion =
              [](const std::string& pci_address) {
                return ReadMlx5Files("/sys/kernel/debug/mlx5", pci_address);
              },
          .read_bnxt_congestion =
              [](const std::string& pci_address) {
                return ReadBnxtFiles("/sys/kernel/debug/bnxt_re", pci_address);
              },
          .read_pci_config =
              [](const std::string& pci_address) {
                return ReadPciConfigFile("/sys/bus/pci/devices", pci_address);
              }};
}

absl::StatusOr<std::string> ReadMlx5Files(const std::string& mlx5_debugfs,
                                          const std::string& pci_address) {
  return ReadValues(fmt::format("{}/{}/cc_params", mlx5_debugfs, pci_address), kMlx5Files, 0);
}

absl::StatusOr<std::string> ReadBnxtFiles(const std::string& bnxt_debugfs,
                                          const std::string& pci_address) {
  return ReadValues(fmt::format("{}/{}/cc_config", bnxt_debugfs, pci_address), kBnxtFiles, EINVAL);
}

absl::StatusOr<std::string> ReadPciConfigFile(const std::string& devices,
                                              const std::string& pci_address) {
  const std::string path = fmt::format("{}/{}/config", devices, pci_address);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return ErrnoError(errno, path);
  std::string bytes(kPciConfigBytes, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t size = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return ErrnoError(errno, path);
    if (size == 0) break;
    done += static_cast<size_t>(size);
  }
  bytes.resize(done);
  return bytes;
}

void Answer(int connection, const std::vector<uid_t>& allowed, const Powers& powers) {
  Descriptor passed;
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  std::array<uint8_t, kRequestBytes + 1> buffer;
  const ssize_t size = recv(connection, buffer.data(), buffer.size(), 0);
  if (size <= 0) return;
  // After reading: a connection that is closed with a request unread is reset for the peer, which
  // would not see the answer.
  if (!IsAllowed(connection, allowed)) {
    return Send(connection, ReplyOf(ErrnoError(EACCES, "only the agent may ask")), passed);
  }
  const auto request = DecodeRequest(std::span(buffer).first(static_cast<size_t>(size)));
  if (!request.ok()) {
    return Send(connection, {.error = EINVAL, .text = std::string(Message(request.status()))},
                passed);
  }
  const Reply reply = Do(*request, powers, &passed);
  Send(connection, reply, passed);
}

absl::Status Serve(int listening, const std::vector<uid_t>& allowed, const Powers& powers,
                   std::chrono::milliseconds idle) {
  const auto open = std::make_shared<std::atomic<int>>(0);
  while (true) {
    pollfd waited = {listening, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(idle.count()));
    if (ready < 0 && errno != EINTR) return ErrnoError(errno, "waiting for a connection");
    if (ready == 0 && *open == 0) return absl::OkStatus();
    if (ready <= 0) continue;
    Descriptor connection(accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    // Whoever finds no room sees the connection end, and asks again with its next collection.
    if (!connection.is_open() || *open >= kMostAtOnce) continue;
    ++*open;
    std::thread([open, allowed, powers, connection = std::move(connection)] {
      Answer(connection.get(), allowed, powers);
      --*open;
    }).detach();
  }
}

}  // namespace roceready::privileged
