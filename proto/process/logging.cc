// SPDX-License-Identifier: Apache-2.0
#include "proto/process/logging.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// sd-daemon(3): priorities of syslog in front of a line.
const char* JournalPrefix(LogLevel level) {
  constexpr std::array<const char*, 4> kPrefixes = {"<7>", "<6>", "<4>", "<3>"};
  return kPrefixes.at(static_cast<size_t>(level));
}

const char* LevelWord(LogLevel level) {
  constexpr std::array<const char*, 4> kWords = {"debug", "info", "warn", "error"};
  return kWords.at(static_cast<size_t>(level));
}

struct Logger {
  Logger() {
    logger.set_level(spdlog::level::info);
    logger.flush_on(spdlog::level::debug);
    logger.set_pattern("%v");
  }

  const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  spdlog::logger logger{"roceready", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

Logger& TheLogger() {
  // Never destroyed: worker threads may log while the process ends.
  static Logger& logger = *new Logger;
  return logger;
}

bool IsPlain(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) return false;
  }
  return true;
}

void AppendValue(std::string_view value, std::string* line) {
  if (IsPlain(value)) {
    line->append(value);
    return;
  }
  *line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      *line += '\\';
      *line += c;
    } else if (c == '\n') {
      *line += "\\n";
    } else if ((c >= 0 && c < ' ') || c == 0x7f) {
      *line += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      *line += c;
    }
  }
  *line += '"';
}

}  // namespace

absl::Status SetLogLevel(std::string_view level) {
  for (const LogLevel known :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (level == LevelWord(known)) {
      TheLogger().logger.set_level(ToSpdlog(known));
      return absl::OkStatus();
    }
  }
  return InvalidArgument("log level \"{}\": expected error, warn, info or debug", level);
}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  Logger& logger = TheLogger();
  if (!logger.logger.should_log(ToSpdlog(level))) return;
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds).count();
  const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::array<char, 32> stamp{};
  std::strftime(stamp.data(), stamp.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  const std::string line =
      fmt::format("{}time={}.{:03}Z level={} {}", logger.journal ? JournalPrefix(level) : "",
                  stamp.data(), millis, LevelWord(level), LogfmtOf(message, fields));
  logger.logger.log(ToSpdlog(level), line);
}

std::string LogfmtOf(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line = "message=";
  AppendValue(message, &line);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    AppendValue(field.value, &line);
  }
  return line;
}

}  // namespace roceready
