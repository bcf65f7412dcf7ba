// SPDX-License-Identifier: Apache-2.0
// roceready-agent-privileged: started by systemd when the agent connects to its socket, ends when
// it is not needed. Takes no arguments and reads no configuration.
#include <pwd.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "agent/privileged/server.h"

namespace {

constexpr const char* kAgentUser = "roceready-agent";
constexpr std::chrono::seconds kIdle(30);
// sysexits.h
constexpr int kExitUsage = 64;
constexpr int kExitNoUser = 67;
constexpr int kExitSystem = 71;

}  // namespace

int main(int argc, char**) {
  if (argc > 1 || sd_listen_fds(1) != 1 ||
      sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_SEQPACKET, 1, nullptr, 0) <= 0) {
    std::fputs("roceready-agent-privileged: started by systemd's socket of the same name only\n",
               stderr);
    return kExitUsage;
  }
  const passwd* user = getpwnam(kAgentUser);
  if (user == nullptr) {
    std::fprintf(stderr, "roceready-agent-privileged: there is no user %s\n", kAgentUser);
    return kExitNoUser;
  }
  using roceready::privileged::RealPowers;
  const absl::Status status =
      roceready::privileged::Serve(SD_LISTEN_FDS_START, {0, user->pw_uid}, RealPowers(), kIdle);
  if (status.ok()) return 0;
  std::fprintf(stderr, "roceready-agent-privileged: %s\n",
               std::string(roceready::Message(status)).c_str());
  return kExitSystem;
}
