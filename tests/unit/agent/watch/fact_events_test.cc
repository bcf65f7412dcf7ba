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
  std::promise<Changes> told;
  std::atomic<bool> first = true;
  int refused = 0;
  // In a network of its own, so that no link of this machine is touched.
  std::thread([&] {
    if (unshare(CLONE_NEWNET) != 0) {
      refused = errno;
      return;
    }
    const auto events = FactEvents::Start([&](const Changes& changes) {
      if (first.exchange(false)) told.set_value(changes);
    });
    ASSERT_TRUE(events.ok()) << events.status();
    ASSERT_TRUE(RaiseLink("lo"));
    // Only bounds a test that fails.
    std::future<Changes> changes = told.get_future();
    ASSERT_EQ(changes.wait_for(std::chrono::seconds(30)), std::future_status::ready);
    EXPECT_TRUE(changes.get().concerns().contains({Topic::kLink, if_nametoindex("lo"), ""}));
  }).join();
  if (refused != 0) GTEST_SKIP() << "no network namespace of its own: " << std::strerror(refused);
}

TEST(FactEvents, EndsWhenNothingEverHappened) {
  const auto events = FactEvents::Start([](const Changes&) {});
  EXPECT_TRUE(events.ok()) << events.status();
}

}  // namespace
}  // namespace roceready::watch
