// SPDX-License-Identifier: Apache-2.0
// This process, under the names that every Prometheus client has for it; read as proc(5) says.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "controller/status/metrics.h"

namespace roceready::status {
namespace {

namespace fs = std::filesystem;

// The fields of /proc/self/stat after the command's name, which may have anything in it: the first
// one here is the third of proc(5).
std::vector<std::string> StatFields(const fs::path& self) {
  std::ifstream file(self / "stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

std::optional<double> NumberOf(const std::vector<std::string>& fields, std::size_t proc_number) {
  const std::size_t place = proc_number - 3;
  if (place >= fields.size()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(fields[place].c_str(), &end);
  if (end == fields[place].c_str()) return std::nullopt;
  return number;
}

// "Max open files  1024  1048576  files": the soft one; nothing where it is "unlimited".
std::optional<double> MaxOpenFiles(const fs::path& self) {
  constexpr std::string_view kName = "Max open files";
  std::ifstream file(self / "limits");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kName)) continue;
    std::istringstream rest(line.substr(kName.size()));
    double soft = 0;
    if (rest >> soft) return soft;
  }
  return std::nullopt;
}

std::optional<double> OpenFiles(const fs::path& self) {
  std::error_code error;
  double count = 0;
  for (fs::directory_iterator entry(self / "fd", error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    ++count;
  }
  if (error) return std::nullopt;
  return count;
}

}  // namespace

void AddProcess(const std::string& root, WallTime started, Families* families) {
  const fs::path self = fs::path(root) / "proc/self";
  const auto add = [families](Family family, std::optional<double> value, double unit = 1) {
    if (value) family.Add(*value * unit).AppendTo(families);
  };
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::vector<std::string> stat = StatFields(self);
  const auto user = NumberOf(stat, 14), kernel = NumberOf(stat, 15);
  add(Family::Counter("process_cpu_seconds_total", "Processor time, user and system."),
      user && kernel ? std::optional(*user + *kernel) : std::nullopt, 1 / ticks);
  add(Family::Gauge("process_resident_memory_bytes", "Memory that is resident."),
      NumberOf(stat, 24), page);
  add(Family::Gauge("process_virtual_memory_bytes", "Address space."), NumberOf(stat, 23));
  add(Family::Gauge("process_threads", "Threads."), NumberOf(stat, 20));
  add(Family::Gauge("process_open_fds", "Open file descriptors; each agent has one."),
      OpenFiles(self));
  add(Family::Gauge("process_max_fds", "So many file descriptors may be open."),
      MaxOpenFiles(self));
  add(Family::Gauge("process_start_time_seconds", "When this process started."), Seconds(started));
}

}  // namespace roceready::status
