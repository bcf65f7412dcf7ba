// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/packet_socket.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "agent/lldp/decode.h"

namespace roceready::lldp {
namespace {

using Mac = std::array<uint8_t, ETH_ALEN>;
// IEEE 802.1AB-2016, table 7-1: nearest bridge, nearest non-TPMR bridge, nearest customer bridge.
constexpr std::array<Mac, 3> kGroups = {{{0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e},
                                         {0x01, 0x80, 0xc2, 0x00, 0x00, 0x03},
                                         {0x01, 0x80, 0xc2, 0x00, 0x00, 0x00}}};
constexpr uint32_t kEtherTypeAt = 12;
constexpr uint32_t kWholeFrame = 0xffffffff;
// Some thirty frames of a neighbour; more is a flood.
constexpr int kReceiveBuffer = 64 << 10;

absl::Status Set(int socket, int level, int option, const void* value, socklen_t size,
                 std::string_view what) {
  if (setsockopt(socket, level, option, value, size) == 0) return absl::OkStatus();
  return ErrnoError(errno, what);
}

absl::Status FilterAndLock(int socket) {
  std::array<sock_filter, 6> program = {{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_PKTTYPE)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 3, 0),
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kEtherTypeAt),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kEtherType, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kWholeFrame),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  const sock_fprog filter = {.len = program.size(), .filter = program.data()};
  RETURN_IF_ERROR(
      Set(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter), "LLDP socket's filter"));
  const int on = 1;
  return Set(socket, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on), "locking LLDP socket's filter");
}

absl::Status Join(int socket, uint32_t index) {
  for (const Mac& group : kGroups) {
    packet_mreq membership{};
    membership.mr_ifindex = static_cast<int>(index);
    membership.mr_type = PACKET_MR_MULTICAST;
    membership.mr_alen = ETH_ALEN;
    std::ranges::copy(group, membership.mr_address);
    RETURN_IF_ERROR(Set(socket, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof(membership),
                        "hearing LLDP's group addresses"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Descriptor> OpenPacketSocket(uint32_t net_device_index) {
  // Protocol 0: hears nothing before it is bound.
  Descriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return ErrnoError(errno, "packet socket for LLDP");
  RETURN_IF_ERROR(FilterAndLock(socket.get()));
  RETURN_IF_ERROR(Set(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof(kReceiveBuffer),
                      "LLDP socket's buffer"));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(kEtherType);
  address.sll_ifindex = static_cast<int>(net_device_index);
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return ErrnoError(errno, fmt::format("hearing LLDP on net device {}", net_device_index));
  }
  RETURN_IF_ERROR(Join(socket.get(), net_device_index));
  return socket;
}

}  // namespace roceready::lldp
