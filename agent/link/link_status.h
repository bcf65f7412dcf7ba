// SPDX-License-Identifier: Apache-2.0
// How the link to the controller stands, for `roceready-agent status` and `systemctl status`.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "proto/process/clock.h"

namespace roceready::link {

struct LinkStatus {
  bool connected = false;
  std::string host;
  std::string endpoint;
  // How long it has been as `connected` says.
  Duration since{};
  // While connected.
  uint64_t epoch = 0;
  std::string controller_version;
  std::string session;
  // While not connected; empty before the first failure.
  std::string last_error;
  std::string advice;
  Duration next_dial_in{};
  uint64_t failed_dials = 0;
  // Of the facts; generation 0: none collected yet.
  uint64_t facts_generation = 0;
  Duration facts_age{};
  // Why collections do not count, if so.
  std::string facts_error;
  size_t open_probes = 0;
};

// A few lines for people; the first alone is DescribeInOneLine().
std::string Describe(const LinkStatus& status);
// Serves as systemd's status line.
std::string DescribeInOneLine(const LinkStatus& status);

// What a person does about the error that ended a stream; never empty.
std::string AdviceFor(const absl::Status& error, const std::string& endpoint);

// "12 s", "3 min", "2 h 14 min", "5 d 3 h".
std::string ShortDuration(Duration duration);

}  // namespace roceready::link
