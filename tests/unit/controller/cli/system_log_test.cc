// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/system_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace roceready::cli {
namespace {

// A log as journald has one, that is read by nobody unless Read() is called.
class Log {
 public:
  Log() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    std::filesystem::remove(path);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Log() {
    close(socket_);
    std::filesystem::remove(path);
  }
  std::string Read() const {
    std::array<char, 4096> text{};
    const ssize_t size = recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("log" + std::to_string(getpid()))).string();

 private:
  const int socket_ = ::socket(AF_UNIX, SOCK_DGRAM, 0);
};

TEST(SystemLog, GetsALineAsSyslogWritesIt) {
  const Log log;
  EXPECT_TRUE(SendToSystemLog(SystemLogLine(LOG_NOTICE, "gate", "denied gpu1"), log.path.c_str()));
  EXPECT_THAT(log.Read(),
              testing::MatchesRegex("<13>[A-Z][a-z][a-z] [ 0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9]"
                                    "[0-9] gate\\[[0-9]+\\]: denied gpu1"));
}

TEST(SystemLog, IsNotWaitedForWhereItIsNotThere) {
  EXPECT_FALSE(SendToSystemLog("lost", "/nowhere/log"));
}

TEST(SystemLog, IsNotWaitedForWhereNobodyReads) {
  const Log log;
  int taken = 0;
  while (taken < 100'000 && SendToSystemLog("once more", log.path.c_str())) ++taken;
  EXPECT_LT(taken, 100'000);
}

}  // namespace
}  // namespace roceready::cli
