// SPDX-License-Identifier: Apache-2.0
// The real socket, on the loopback device of a network namespace of its own, where a packet passes
// twice: sent, and received.
#include "agent/wire/packet_socket.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "agent/wire/packet.h"
#include "tests/unit/agent/wire/packets.h"

namespace roceready::wire {
namespace {

using Mac = std::array<uint8_t, ETH_ALEN>;
// The loopback device's own, and another machine's.
constexpr Mac kOwnMac{};
constexpr Mac kOtherMac = {0x52, 0x54, 0x00, 0x00, 0x00, 0x01};

bool BringLoopbackUp() {
  const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP;
  return ioctl(control.get(), SIOCSIFFLAGS, &request) == 0;
}

// A frame with this EtherType and network packet.
bool Send(uint16_t ether_type, const Bytes& packet, const Mac& to = kOwnMac) {
  const Descriptor sender(socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ether_type);
  address.sll_ifindex = static_cast<int>(if_nametoindex("lo"));
  address.sll_halen = to.size();
  std::memcpy(address.sll_addr, to.data(), to.size());
  return sendto(sender.get(), packet.data(), packet.size(), 0,
                reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) == static_cast<ssize_t>(packet.size());
}

// Runs `body` in a namespace whose loopback is up; false where there may be none.
template <typename Body>
bool InANetworkOfItsOwn(Body body) {
  bool allowed = false;
  std::thread([&] {
    if (unshare(CLONE_NEWNET) != 0 || !BringLoopbackUp()) return;
    allowed = true;
    body();
  }).join();
  return allowed;
}

std::vector<Source::Frame> All(Source& source) {
  std::vector<Source::Frame> frames;
  while (auto frame = source.Next()) frames.push_back(*std::move(frame));
  return frames;
}

Bytes Padded(Bytes packet) {
  packet.resize(4156, 0xaa);
  return packet;
}

constexpr const char* kNeeds = "needs CAP_SYS_ADMIN and CAP_NET_RAW";

TEST(RoceSocket, ShowsHeadersOfRoceBothWaysAndNothingElse) {
  const bool allowed = InANetworkOfItsOwn([] {
    auto socket = OpenPacketSocket(if_nametoindex("lo"));
    ASSERT_TRUE(socket.ok()) << socket.status();
    const auto source = MakeSource(*std::move(socket));
    Bytes other_port = kWrite;
    other_port[23] = 0x35;
    Bytes tcp = kWrite;
    tcp[9] = 6;
    Bytes fragment = kWrite;
    fragment[7] = 1;
    Bytes other_port6 = kIpv6Ack;
    other_port6[43] = 0x35;
    for (const Bytes& other : {other_port, tcp, fragment}) ASSERT_TRUE(Send(ETH_P_IP, other));
    ASSERT_TRUE(Send(ETH_P_IPV6, other_port6));
    ASSERT_TRUE(Send(ETH_P_ARP, kWrite));
    ASSERT_TRUE(Send(ETH_P_IP, Padded(kWrite)));
    ASSERT_TRUE(Send(ETH_P_IPV6, kIpv6Ack));
    ASSERT_TRUE(Send(kRoceV1EtherType, kRoceV1Read));
    Bytes with_options = kWrite;
    with_options[0] = 0x46;
    with_options.insert(with_options.begin() + 20, {0x94, 0x04, 0x00, 0x00});
    ASSERT_TRUE(Send(ETH_P_IP, with_options));
    // Loopback delivers while it sends: all that there will be is there.
    const auto frames = All(*source);
    ASSERT_EQ(frames.size(), 8u);
    for (size_t i = 0; i < frames.size(); ++i) {
      const Source::Frame& frame = frames[i];
      EXPECT_EQ(frame.received, i % 2 == 1) << i;
      EXPECT_LE(frame.bytes.size(), kHeaderBytes);
      EXPECT_TRUE(DecodePacket(frame.ether_type, frame.bytes)) << i;
    }
    EXPECT_EQ(DecodePacket(frames[1].ether_type, frames[1].bytes)->ip_bytes, 4156u);
    EXPECT_EQ(frames[2].ether_type, ETH_P_IPV6);
    EXPECT_EQ(frames[4].ether_type, kRoceV1EtherType);
    EXPECT_EQ(source->TakeMissed(), 0u);
  });
  if (!allowed) GTEST_SKIP() << kNeeds;
}

// As a promiscuous device gets from a switch that floods.
TEST(RoceSocket, DoesNotShowWhatComesForAnotherMachine) {
  const bool allowed = InANetworkOfItsOwn([] {
    auto socket = OpenPacketSocket(if_nametoindex("lo"));
    ASSERT_TRUE(socket.ok()) << socket.status();
    const auto source = MakeSource(*std::move(socket));
    ASSERT_TRUE(Send(ETH_P_IP, kWrite, kOtherMac));
    ASSERT_TRUE(Send(ETH_P_IPV6, kIpv6Ack));
    const auto frames = All(*source);
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_FALSE(frames[0].received) << "sent by this machine";
    EXPECT_EQ(frames[2].ether_type, ETH_P_IPV6);
    EXPECT_TRUE(frames[2].received);
  });
  if (!allowed) GTEST_SKIP() << kNeeds;
}

TEST(RoceSocket, CountsWhatDoesNotFit) {
  const bool allowed = InANetworkOfItsOwn([] {
    auto socket = OpenPacketSocket(if_nametoindex("lo"));
    ASSERT_TRUE(socket.ok()) << socket.status();
    const auto source = MakeSource(*std::move(socket));
    constexpr size_t kSent = 1000;
    for (size_t i = 0; i < kSent; ++i) ASSERT_TRUE(Send(ETH_P_IP, Padded(kWrite)));
    const size_t shown = All(*source).size();
    EXPECT_GT(shown, 20u);
    const uint64_t missed = source->TakeMissed();
    EXPECT_EQ(shown + missed, 2 * kSent);
    EXPECT_EQ(source->TakeMissed(), 0u);
  });
  if (!allowed) GTEST_SKIP() << kNeeds;
}

TEST(RoceSocket, KeepsItsFilterWhoeverHasIt) {
  const bool allowed = InANetworkOfItsOwn([] {
    auto socket = OpenPacketSocket(if_nametoindex("lo"));
    ASSERT_TRUE(socket.ok()) << socket.status();
    sock_filter all = BPF_STMT(BPF_RET | BPF_K, 0xffffffff);
    const sock_fprog filter = {.len = 1, .filter = &all};
    EXPECT_EQ(setsockopt(socket->get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(setsockopt(socket->get(), SOL_SOCKET, SO_DETACH_FILTER, nullptr, 0), -1);
  });
  if (!allowed) GTEST_SKIP() << kNeeds;
}

TEST(RoceSocket, SaysThatADeviceIsNotThere) {
  const bool allowed =
      InANetworkOfItsOwn([] { EXPECT_EQ(ErrnoOf(OpenPacketSocket(4711).status()), ENODEV); });
  if (!allowed) GTEST_SKIP() << kNeeds;
}

}  // namespace
}  // namespace roceready::wire
