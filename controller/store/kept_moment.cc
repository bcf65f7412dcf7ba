// SPDX-License-Identifier: Apache-2.0
#include "controller/store/kept_moment.h"

#include <algorithm>
#include <fstream>

namespace roceready {

Duration AgeOf(const KeptMoment& then, const KeptMoment& now) {
  const Duration by_wall = now.wall - then.wall;
  const bool same_boot = !then.boot.empty() && then.boot == now.boot;
  // A container may have a monotonic clock of its own within one boot.
  const bool comparable = same_boot && now.monotonic >= then.monotonic;
  if (by_wall < Duration::zero() && !comparable) return kAgeUnknown;
  const Duration age = comparable ? std::max(by_wall, now.monotonic - then.monotonic) : by_wall;
  return std::min<Duration>(age, kAgeUnknown - std::chrono::seconds(1));
}

std::string ThisBoot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return boot;
}

}  // namespace roceready
