// SPDX-License-Identifier: Apache-2.0
// What a daemon tells systemd (sd_notify(3)). Without NOTIFY_SOCKET every call does nothing.
// Thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "proto/process/clock.h"

namespace roceready::service {

void Ready();
// One line for people, shown by `systemctl status`.
void ShowStatus(std::string_view line);
// Configuration is being read again; Ready() ends it.
void Reloading();
void Stopping();
void FeedWatchdog();

// How often to feed: half of what the unit's WatchdogSec says. Empty without a watchdog.
std::optional<Duration> WatchdogInterval();

}  // namespace roceready::service
