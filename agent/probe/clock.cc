// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/clock.h"

#include <ctime>

namespace roceready::probe {

TimePoint SteadyClock::Now() { return std::chrono::steady_clock::now(); }

void SteadyClock::Wait(std::span<pollfd> descriptors, TimePoint until) {
  const nanoseconds left = std::max(nanoseconds(0), nanoseconds(until - Now()));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec timeout{.tv_sec = static_cast<time_t>(seconds.count()),
                         .tv_nsec = static_cast<long>((left - seconds).count())};
  // A signal ends the wait early, which is allowed.
  ::ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr);
}

nanoseconds SteadyClock::ThreadProcessorTime() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + nanoseconds(used.tv_nsec);
}

}  // namespace roceready::probe
