// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <future>

#include "proto/process/build_info.h"
#include "proto/process/durations.h"
#include "proto/process/endpoint.h"
#include "proto/process/logging.h"
#include "proto/process/service_notify.h"
#include "proto/process/signals.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Logfmt, QuotesWhatIsNotPlainAndKeepsTextFromOutsideOnOneLine) {
  EXPECT_EQ(LogfmtOf("connected", {{"controller", "c1:7471"}, {"epoch", 7}}),
            "message=connected controller=c1:7471 epoch=7");
  EXPECT_EQ(LogfmtOf("two words", {{"detail", "a \"b\"\\\nlevel=error\t"}, {"empty", ""}}),
            R"(message="two words" detail="a \"b\"\\\nlevel=error\x09" empty="")");
}

TEST(Logging, RefusesALevelItDoesNotKnowAndNamesThoseItDoes) {
  EXPECT_TRUE(SetLogLevel("debug").ok());
  EXPECT_TRUE(SetLogLevel("info").ok());
  const absl::Status status = SetLogLevel("loud");
  EXPECT_EQ(std::string(status.message()),
            "log level \"loud\": expected error, warn, info or debug");
}

TEST(Durations, SurviveTheWayThroughProtobuf) {
  for (const Duration duration : {Duration(0), Duration(1), Duration(-1),
                                  Duration(milliseconds(-2500)), Duration::max() / 4}) {
    EXPECT_EQ(FromProto(ToProto(duration)), duration);
  }
}

TEST(Durations, HugeOnesFromOutsideAreClampedNotWrapped) {
  google::protobuf::Duration huge;
  huge.set_seconds(INT64_MAX);
  huge.set_nanos(INT32_MAX);
  EXPECT_GT(FromProto(huge), std::chrono::hours(24 * 365 * 290));
  huge.set_seconds(INT64_MIN);
  huge.set_nanos(INT32_MIN);
  EXPECT_LT(FromProto(huge), -std::chrono::hours(24 * 365 * 290));
}

TEST(Durations, WallTimeBefore1970HasPositiveNanos) {
  const auto proto = ToProto(WallTime(milliseconds(-1)));
  EXPECT_EQ(proto.seconds(), -1);
  EXPECT_EQ(proto.nanos(), 999'000'000);
  EXPECT_EQ(FromProto(proto), WallTime(milliseconds(-1)));
}

TEST(Endpoint, IsAHostOrAnAddressWithAPort) {
  for (const char* good : {"c1:7471", "c1.site:1", "192.0.2.1:65535", "[2001:db8::1]:7471"}) {
    EXPECT_TRUE(CheckEndpoint(good).ok()) << good;
  }
  for (const char* bad :
       {"", "c1", "c1:", ":7471", "c1:0", "c1:65536", "c1:74x", "c1:7471:1", "::1:7471", "[::1]",
        "[c1]:7471", "[::1:7471", "http://c1:7471", "c 1:7471"}) {
    EXPECT_FALSE(CheckEndpoint(bad).ok()) << bad;
  }
}

TEST(Endpoint, LoopbackIsNeverANameThatOnlyLooksLikeIt) {
  for (const char* loopback : {"127.0.0.1:7471", "127.9.9.9:1", "[::1]:7471", "localhost:7471"}) {
    EXPECT_TRUE(IsLoopback(loopback)) << loopback;
  }
  for (const char* other : {"127.evil.site:7471", "localhost.evil:1", "128.0.0.1:1", "[::2]:1",
                            "[fe80::1]:1", "", ":7471"}) {
    EXPECT_FALSE(IsLoopback(other)) << other;
  }
}

TEST(BuildInfo, IsAVersion) {
  EXPECT_THAT(std::string(SoftwareVersion()), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// The systemd side of sd_notify: a datagram socket.
class NotifySocket {
 public:
  NotifySocket() : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "roceready-notify-" + std::to_string(getpid());
    name.copy(address.sun_path + 1, name.size());  // abstract: leaves no file
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
  }
  ~NotifySocket() {
    unsetenv("NOTIFY_SOCKET");
    close(socket_);
  }
  std::string Next() {
    std::array<char, 256> buffer{};
    const ssize_t size = recv(socket_, buffer.data(), buffer.size(), 0);
    return size < 0 ? "" : std::string(buffer.data(), static_cast<size_t>(size));
  }

 private:
  const int socket_;
};

TEST(ServiceNotify, SaysWhatSystemdUnderstands) {
  NotifySocket socket;

  service::Ready();
  EXPECT_EQ(socket.Next(), "READY=1");
  service::ShowStatus("connected\nto c1");
  EXPECT_EQ(socket.Next(), "STATUS=connected to c1");
  service::FeedWatchdog();
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
  service::Reloading();
  EXPECT_EQ(socket.Next(), "RELOADING=1");
  service::Stopping();
  EXPECT_EQ(socket.Next(), "STOPPING=1");
}

TEST(ServiceNotify, FeedsTheWatchdogAtHalfItsInterval) {
  unsetenv("WATCHDOG_USEC");
  EXPECT_EQ(service::WatchdogInterval(), std::nullopt);
  setenv("WATCHDOG_USEC", "30000000", 1);
  EXPECT_EQ(service::WatchdogInterval(), seconds(15));
  unsetenv("WATCHDOG_USEC");
}

TEST(SignalWaiter, HandsOverSignalsOfTheProcess) {
  std::promise<int> first;
  std::promise<int> second;
  int count = 0;
  const auto waiter =
      SignalWaiter::Start([&](int signal) { (count++ == 0 ? first : second).set_value(signal); });
  ASSERT_TRUE(waiter.ok()) << waiter.status();

  kill(getpid(), SIGHUP);
  EXPECT_EQ(first.get_future().get(), SIGHUP);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(second.get_future().get(), SIGTERM);
}

}  // namespace
}  // namespace roceready
