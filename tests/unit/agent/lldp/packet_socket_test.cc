// SPDX-License-Identifier: Apache-2.0
// The real socket, on the loopback device of a network namespace of its own: what a packet socket
// sends there comes in as if from outside.
#include "agent/lldp/packet_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "agent/lldp/listener.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/lldp/frames.h"

namespace roceready::lldp {
namespace {

bool SetLoopback(short flags) {
  const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = flags;
  return ioctl(control.get(), SIOCSIFFLAGS, &request) == 0;
}

bool SendOnLoopback(const Bytes& frame) {
  const Descriptor sender(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = static_cast<int>(if_nametoindex("lo"));
  return sendto(sender.get(), frame.data(), frame.size(), 0,
                reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) == static_cast<ssize_t>(frame.size());
}

// Runs `body` in a namespace whose loopback is up; false where there may be none.
template <typename Body>
bool InANetworkOfItsOwn(Body body) {
  bool allowed = false;
  std::thread([&] {
    if (unshare(CLONE_NEWNET) != 0 || !SetLoopback(IFF_UP)) return;
    allowed = true;
    body();
  }).join();
  return allowed;
}

TEST(PacketSocket, TellsTheListenerThatItsDeviceWentDown) {
  const bool allowed = InANetworkOfItsOwn([] {
    const uint32_t lo = if_nametoindex("lo");
    FakeClock clock;
    std::mutex mutex;
    std::condition_variable changed;
    int told = 0;
    Listener listener(OpenPacketSocket, &clock, [&] {
      const std::lock_guard lock(mutex);
      ++told;
      changed.notify_all();
    });
    // True once the port is as wished, looked at after each change that is told.
    const auto becomes = [&](auto wish) {
      std::unique_lock lock(mutex);
      while (true) {
        const int before = told;
        lock.unlock();
        if (wish(listener.Listen({lo})[lo])) return true;
        lock.lock();
        if (!changed.wait_for(lock, std::chrono::seconds(30), [&] { return told != before; })) {
          return false;
        }
      }
    };
    ASSERT_TRUE(listener.Start().ok());
    ASSERT_TRUE(becomes([](const Hearing& hearing) { return hearing.socket.ok(); }));
    clock.Advance(kLongEnough);
    ASSERT_TRUE(becomes([](const Hearing& hearing) { return hearing.long_enough; }));
    ASSERT_TRUE(SetLoopback(0));
    EXPECT_TRUE(becomes([](const Hearing& hearing) { return !hearing.long_enough; }));
    listener.Stop();
  });
  if (!allowed) GTEST_SKIP() << "no network namespace for this user";
}

TEST(PacketSocket, HearsLldpAndNothingElse) {
  const bool allowed = InANetworkOfItsOwn([] {
    auto socket = OpenPacketSocket(if_nametoindex("lo"));
    ASSERT_TRUE(socket.ok()) << socket.status();
    const Bytes lldp = BytesOf(kDcbxFrame);
    Bytes other = lldp;
    other[12] = 0x08;
    other[13] = 0x06;
    ASSERT_TRUE(SendOnLoopback(other));
    ASSERT_TRUE(SendOnLoopback(lldp));
    ASSERT_TRUE(SendOnLoopback(other));
    // Loopback delivers while it sends: all that there will be is there.
    Bytes heard(4096);
    const ssize_t size = recv(socket->get(), heard.data(), heard.size(), MSG_DONTWAIT);
    ASSERT_EQ(size, static_cast<ssize_t>(lldp.size()));
    heard.resize(static_cast<size_t>(size));
    EXPECT_EQ(heard, lldp);
    EXPECT_EQ(recv(socket->get(), heard.data(), heard.size(), MSG_DONTWAIT), -1);
  });
  if (!allowed) GTEST_SKIP() << "needs CAP_SYS_ADMIN and CAP_NET_RAW";
}

TEST(PacketSocket, KeepsItsFilterWhoeverHasIt) {
  const bool allowed = InANetworkOfItsOwn([] {
    auto socket = OpenPacketSocket(if_nametoindex("lo"));
    ASSERT_TRUE(socket.ok()) << socket.status();
    sock_filter all = BPF_STMT(BPF_RET | BPF_K, 0xffffffff);
    const sock_fprog filter = {.len = 1, .filter = &all};
    EXPECT_EQ(setsockopt(socket->get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(setsockopt(socket->get(), SOL_SOCKET, SO_DETACH_FILTER, nullptr, 0), -1);
  });
  if (!allowed) GTEST_SKIP() << "needs CAP_SYS_ADMIN and CAP_NET_RAW";
}

TEST(PacketSocket, SaysThatADeviceIsNotThere) {
  const bool allowed = InANetworkOfItsOwn([] {
    const auto socket = OpenPacketSocket(4711);
    EXPECT_EQ(ErrnoOf(socket.status()), ENODEV) << socket.status();
  });
  if (!allowed) GTEST_SKIP() << "needs CAP_SYS_ADMIN and CAP_NET_RAW";
}

}  // namespace
}  // namespace roceready::lldp
