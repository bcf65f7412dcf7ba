// SPDX-License-Identifier: Apache-2.0
// One line for the system's log, without waiting for it.
#pragma once

#include <string>
#include <string_view>

namespace roceready::cli {

// As syslog(3) writes them (RFC 3164, facility "user"); `level` is one of LOG_ERR ... LOG_INFO.
std::string SystemLogLine(int level, std::string_view program, std::string_view text);

// Sends it to `socket`. False where it is lost: nobody takes it, or not at once. syslog(3) waits
// for ever where journald has stopped reading.
bool SendToSystemLog(std::string_view line, const char* socket = "/dev/log");

}  // namespace roceready::cli
