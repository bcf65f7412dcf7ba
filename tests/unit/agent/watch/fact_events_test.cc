// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/fact_events.h"

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <string>
#include <thread>

namespace roceready::watch {
namespace {

using namespace std::string_literals;

TEST(ConcernsFacts, IsTrueForDevicesThatFactsSpeakOf) {
  EXPECT_TRUE(
      ConcernsFacts("add@/devices/virtual/net/eth0\0ACTION=add\0DEVPATH=/devices/virtual/net/eth0\0"
                    "SUBSYSTEM=net\0SEQNUM=7\0"s));
  EXPECT_TRUE(ConcernsFacts("remove@/x\0SUBSYSTEM=infiniband\0"s));
  EXPECT_TRUE(ConcernsFacts("bind@/x\0SUBSYSTEM=pci"s));
}

TEST(ConcernsFacts, IsFalseForOthersAndForGarbage) {
  EXPECT_FALSE(ConcernsFacts("add@/x\0SUBSYSTEM=block\0"s));
  EXPECT_FALSE(ConcernsFacts("add@/x\0SUBSYSTEM=network\0"s));
  EXPECT_FALSE(ConcernsFacts("SUBSYSTEM=ne"));
  EXPECT_FALSE(ConcernsFacts(""));
  EXPECT_FALSE(ConcernsFacts(std::string(3, '\0')));
}

bool RaiseLink(const char* name) {
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP;
  const bool done = ioctl(control, SIOCSIFFLAGS, &request) == 0;
  close(control);
  return done;
}

TEST(FactEvents, TellsThatALinkWentUp) {
  std::promise<void> told;
  std::atomic<bool> first = true;
  int refused = 0;
  // In a network of its own, so that no link of this machine is touched.
  std::thread([&] {
    if (unshare(CLONE_NEWNET) != 0) {
      refused = errno;
      return;
    }
    const auto events = FactEvents::Start([&] {
      if (first.exchange(false)) told.set_value();
    });
    ASSERT_TRUE(events.ok()) << events.status();
    ASSERT_TRUE(RaiseLink("lo"));
    // Only bounds a test that fails.
    EXPECT_EQ(told.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  }).join();
  if (refused != 0) GTEST_SKIP() << "no network namespace of its own: " << std::strerror(refused);
}

TEST(FactEvents, EndsWhenNothingEverHappened) {
  const auto events = FactEvents::Start([] {});
  EXPECT_TRUE(events.ok()) << events.status();
}

}  // namespace
}  // namespace roceready::watch
