// SPDX-License-Identifier: Apache-2.0
#include "controller/why/writer.h"

#include <fmt/core.h>

#include <regex>

#include "controller/why/error_kind.h"

namespace roceready::why {
namespace {

// A host's name has a letter, which a time has not.
constexpr std::string_view kHost =
    R"((?=[\d._-]*[A-Za-z])([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?))";
// A bracket that is neither "[2026-03-03T12:11:38]" nor "[trainer.py:123]".
constexpr std::string_view kBracket =
    R"(\[(?!\d{4}-\d\d-\d\dT)(?![^\]:]*\.(?:py|cpp|cc|c|cu|h|go|rs):))";

// "gpu017:1234:1250 [0] NCCL WARN": host, process, thread, GPU.
const std::regex& Nccl() {
  static const std::regex pattern(
      fmt::format("{}{}{}", R"((?:^|[\s>:\])]))", kHost, R"(:\d+:\d+ \[)"));
  return pattern;
}

// "[gpu017:1234 :0:1234] ib_mlx5_log.c:171", "[gpu017:1234:0]  ib_mlx5_log.c:171 UCX  ERROR".
const std::regex& Ucx() {
  static const std::regex pattern(
      fmt::format("{}{}{}", kBracket, kHost, R"(:(\d+)\s*:[\w-]+(?::\d+)?\])"));
  return pattern;
}

// "Mar  3 12:11:38 gpu017 kernel: " of syslog and journalctl, "2026-03-03T12:11:38.123456+00:00
// gpu017 kernel: " of rsyslog and journalctl -o short-iso, "Tue 2026-03-03 12:11:38 UTC gpu017
// kernel: " of -o short-full, "[ 4711.123456] gpu017 kernel: " of -o short-monotonic. After the
// host stands the kernel or a program with its process: other words after a time are levels and
// loggers.
const std::regex& Syslog() {
  static const std::regex pattern(fmt::format(
      "{}{}{}",
      R"((?:\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| [A-Z]{3,5})?|\d\.\d{6}\]?)\s+)",
      kHost, R"(\s+(?:kernel(?::| -)|[\w./@-]+\[\d+\]:))"));
  return pattern;
}

// "[gpu017:0]: " and Open MPI's "[gpu017:1234] ".
const std::regex& Launcher() {
  static const std::regex pattern(fmt::format("{}{}{}", kBracket, kHost, R"(:\d+\])"));
  return pattern;
}

// Whoever wrote it stands at a line's beginning, and std::regex walks along all that it is given.
constexpr std::size_t kMaxPrefix = 300;

}  // namespace

std::string HostOf(std::string_view line) {
  const std::string beginning(line.substr(0, kMaxPrefix));
  std::smatch match;
  for (const auto pattern : {Nccl, Ucx, Syslog, Launcher}) {
    if (std::regex_search(beginning, match, pattern())) return Lower(match[1].str());
  }
  return "";
}

std::optional<std::string> UcxProcessOf(std::string_view line) {
  const std::string beginning(line.substr(0, kMaxPrefix));
  std::smatch match;
  if (!std::regex_search(beginning, match, Ucx())) return std::nullopt;
  return match[1].str() + ":" + match[2].str();
}

std::string TaskOf(std::string_view before_the_text) {
  static const std::regex per_line(
      R"(<std(?:out|err)>|(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\s+)");
  const std::string beginning(before_the_text.substr(0, kMaxPrefix));
  return std::regex_replace(beginning, per_line, "");
}

}  // namespace roceready::why
