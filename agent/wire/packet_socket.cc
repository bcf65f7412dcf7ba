// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/packet_socket.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "agent/wire/packet.h"

namespace roceready::wire {
namespace {

// Some tens of full packets, or some hundred acknowledgements: enough to see how they are marked,
// and nothing that slows a transfer down.
constexpr int kReceiveBuffer = 128 << 10;

absl::Status Set(int socket, int level, int option, const void* value, socklen_t size,
                 std::string_view what) {
  if (setsockopt(socket, level, option, value, size) == 0) return absl::OkStatus();
  return ErrnoError(errno, what);
}

absl::Status FilterAndLock(int socket) {
  constexpr uint32_t kProtocol = static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_PROTOCOL);
  constexpr uint8_t kTake = 15;
  constexpr uint8_t kDrop = 16;
  // Jumps are written as the distance to a line.
  constexpr auto to = [](uint8_t line, uint8_t here) {
    return static_cast<uint8_t>(line - here - 1);
  };
  // Offsets count from the network header: the socket is a SOCK_DGRAM.
  std::array<sock_filter, 17> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtocol),                                   // 0
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRoceV1EtherType, to(kTake, 1), 0),          // 1
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 0, to(7, 2)),                    // 2
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),                                           // 3
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, to(kDrop, 4)),               // 4
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 42),                                          // 5
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRoceV2Port, to(kTake, 6), to(kDrop, 6)),    // 6
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, to(kDrop, 7)),                  // 7
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),                                           // 8
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, to(kDrop, 9)),               // 9
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),                                           // 10
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, to(kDrop, 11), 0),                  // 11
      BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),                                          // 12
      BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),                                           // 13
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRoceV2Port, to(kTake, 14), to(kDrop, 14)),  // 14
      BPF_STMT(BPF_RET | BPF_K, kHeaderBytes),                                         // 15
      BPF_STMT(BPF_RET | BPF_K, 0),                                                    // 16
  }};
  const sock_fprog filter = {.len = program.size(), .filter = program.data()};
  RETURN_IF_ERROR(
      Set(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter), "RoCE socket's filter"));
  const int on = 1;
  return Set(socket, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on), "locking RoCE socket's filter");
}

class PacketSocket final : public Source {
 public:
  explicit PacketSocket(Descriptor socket) : socket_(std::move(socket)) {}

  std::optional<Frame> Next() override {
    Frame frame;
    sockaddr_ll from{};
    do {
      frame.bytes.resize(kHeaderBytes);
      socklen_t size = sizeof(from);
      const ssize_t got = recvfrom(socket_.get(), frame.bytes.data(), frame.bytes.size(),
                                   MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &size);
      if (got < 0) return std::nullopt;
      frame.bytes.resize(static_cast<size_t>(got));
      // For another machine: a promiscuous device shows what a switch floods.
    } while (from.sll_pkttype == PACKET_OTHERHOST);
    frame.ether_type = ntohs(from.sll_protocol);
    frame.received = from.sll_pkttype != PACKET_OUTGOING;
    return frame;
  }

  uint64_t TakeMissed() override {
    // Reading sets the kernel's count to 0.
    tpacket_stats stats{};
    socklen_t size = sizeof(stats);
    if (getsockopt(socket_.get(), SOL_PACKET, PACKET_STATISTICS, &stats, &size) != 0) return 0;
    return stats.tp_drops;
  }

 private:
  const Descriptor socket_;
};

}  // namespace

absl::StatusOr<Descriptor> OpenPacketSocket(uint32_t net_device_index) {
  // Protocol 0: sees nothing before it is bound.
  Descriptor socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return ErrnoError(errno, "packet socket for RoCE");
  RETURN_IF_ERROR(FilterAndLock(socket.get()));
  RETURN_IF_ERROR(Set(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof(kReceiveBuffer),
                      "RoCE socket's buffer"));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(net_device_index);
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return ErrnoError(errno, fmt::format("seeing RoCE on net device {}", net_device_index));
  }
  return socket;
}

std::unique_ptr<Source> MakeSource(Descriptor packet_socket) {
  return std::make_unique<PacketSocket>(std::move(packet_socket));
}

}  // namespace roceready::wire
