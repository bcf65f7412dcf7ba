// SPDX-License-Identifier: Apache-2.0
#include "proto/process/service_notify.h"

#include <fmt/core.h>
#include <systemd/sd-daemon.h>

#include <string>

namespace roceready::service {

void Ready() { sd_notify(0, "READY=1"); }

void ShowStatus(std::string_view line) {
  std::string text = fmt::format("STATUS={}", line);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  sd_notify(0, text.c_str());
}

void Reloading() { sd_notify(0, "RELOADING=1"); }

void Stopping() { sd_notify(0, "STOPPING=1"); }

void FeedWatchdog() { sd_notify(0, "WATCHDOG=1"); }

std::optional<Duration> WatchdogInterval() {
  uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return std::chrono::microseconds(microseconds) / 2;
}

}  // namespace roceready::service
