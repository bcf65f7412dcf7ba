// SPDX-License-Identifier: Apache-2.0
// Any text is an environment: each value it gives is one that the policy's job may hold, or a
// problem that has its place.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checks/policy/job_environment.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const roceready::JobEnvironment environment = roceready::ReadJobEnvironment(text, "job.env");
  const auto& job = environment.job;
  if (job.traffic_class() > 255 || job.service_level() > 15 || job.retry_count() > 7) std::abort();
  if (job.ack_timeout_exponent() > 31) std::abort();
  for (const std::string& name : job.interfaces()) {
    if (name.empty() || name == "^") std::abort();
  }
  for (const auto& problem : environment.problems) {
    if (problem.at.line < 1 || problem.text.empty()) std::abort();
  }
  return 0;
}
