// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "controller/status/metrics.h"
#include "tests/support/temporary_directory.h"

namespace roceready::status {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string TextUnder(const std::string& root) {
  Families families;
  AddProcess(root, WallTime(std::chrono::seconds(1'709'251'200)), &families);
  return TextOf(families);
}

TEST(ProcessMetrics, AreReadFromProc) {
  const TemporaryDirectory root;
  const std::filesystem::path self = std::filesystem::path(root.path()) / "proc/self";
  std::filesystem::create_directories(self / "fd");
  for (const char* fd : {"0", "1", "17"}) std::ofstream(self / "fd" / fd) << "";
  // A name that looks like more fields.
  std::ofstream(self / "stat")
      << "4711 (odd) name (9) R 1 4711 4711 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 13 0 8000 "
         "123456789 2000 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n";
  std::ofstream(self / "limits")
      << "Limit                     Soft Limit           Hard Limit           Units     \n"
         "Max open files            65536                1048576              files     \n";
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_THAT(TextUnder(root.path()),
              AllOf(HasSubstr(fmt::format("\nprocess_cpu_seconds_total {}\n", 300 / ticks)),
                    HasSubstr(fmt::format("\nprocess_resident_memory_bytes {}\n",
                                          2000 * sysconf(_SC_PAGESIZE))),
                    HasSubstr("\nprocess_virtual_memory_bytes 123456789\n"),
                    HasSubstr("\nprocess_threads 13\n"), HasSubstr("\nprocess_open_fds 3\n"),
                    HasSubstr("\nprocess_max_fds 65536\n"),
                    HasSubstr("\nprocess_start_time_seconds 1709251200\n")));
}

TEST(ProcessMetrics, WhatCannotBeReadIsLeftOut) {
  const TemporaryDirectory root;
  EXPECT_THAT(TextUnder(root.path()),
              AllOf(HasSubstr("process_start_time_seconds"), Not(HasSubstr("process_open_fds")),
                    Not(HasSubstr("process_cpu_seconds_total"))));
}

TEST(ProcessMetrics, OfThisProcessAreAllThere) {
  const std::string text = TextUnder("/");
  for (const char* name : {"process_cpu_seconds_total", "process_resident_memory_bytes",
                           "process_open_fds", "process_max_fds", "process_threads"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\n{} ", name)));
  }
}

}  // namespace
}  // namespace roceready::status
