// SPDX-License-Identifier: Apache-2.0
// One line per event on standard error, in logfmt:
//
//   time=2024-03-01T00:00:00.000Z level=info message="connected to the controller" epoch=7
//
// Levels: error = somebody must act; warn = degraded, the daemon goes on by itself; info = a change
// of state, a few a minute at most; debug = everything else. What can happen per message or per
// host is debug, or counted.
// Under systemd each line begins with the syslog priority ("<6>") that journald takes off again.
#pragma once

#include <absl/status/status.h>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace roceready {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

struct LogField {
  LogField(std::string_view key, std::string_view value) : key(key), value(value) {}
  LogField(std::string_view key, const char* value) : key(key), value(value) {}
  LogField(std::string_view key, std::integral auto value)
      : key(key), value(std::to_string(value)) {}

  std::string_view key;
  std::string value;
};

// `level`: error, warn, info or debug; anything else is kInvalidArgument. May be called again (a
// reload); before the first call lines of level info and above are written.
absl::Status SetLogLevel(std::string_view level);

// Thread-safe; never blocks on anything but standard error.
void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

inline void LogDebug(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kDebug, message, fields);
}
inline void LogInfo(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kInfo, message, fields);
}
inline void LogWarn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kWarn, message, fields);
}
inline void LogError(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kError, message, fields);
}

// 'message="..." key=value ...': values with anything but plain characters are quoted, control
// characters escaped, so that text from outside cannot forge a line.
std::string LogfmtOf(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace roceready
