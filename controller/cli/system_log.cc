// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/system_log.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace roceready::cli {

std::string SystemLogLine(int level, std::string_view program, std::string_view text) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("<{}>{} {:2} {:02}:{:02}:{:02} {}[{}]: {}", LOG_USER | level,
                     kMonths[local.tm_mon], local.tm_mday, local.tm_hour, local.tm_min,
                     local.tm_sec, program, getpid(), text);
}

bool SendToSystemLog(std::string_view line, const char* socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(socket) >= sizeof(address.sun_path)) return false;
  std::strcpy(address.sun_path, socket);
  const int log = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (log < 0) return false;
  const ssize_t sent = sendto(log, line.data(), line.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  close(log);
  return sent == static_cast<ssize_t>(line.size());
}

}  // namespace roceready::cli
