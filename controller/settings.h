// SPDX-License-Identifier: Apache-2.0
// The configuration file of the controller, with defaults filled in and everything checked that can
// be checked before it runs.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

#include "proto/process/clock.h"
#include "roceready/v1/config.pb.h"

namespace roceready::controller {

inline constexpr char kDefaultConfig[] = "/etc/roceready/controller.yaml";

struct Settings {
  std::string agent_listen;
  std::string api_listen;
  std::string rest_listen;
  v1::TlsFiles tls;
  // Then `tls` is empty, and the addresses are loopback ones.
  bool plain_text = false;
  std::string state_directory;
  std::string policy_directory;
  std::string default_policy;
  std::string log_level;
  Duration ping_interval{};
  Duration lease{};
  std::size_t audits_kept = 0;
  std::size_t events_kept = 0;
};

// kInvalidArgument names the file and the key. Certificates must hold at `now`.
absl::StatusOr<Settings> ReadSettings(const std::string& path, WallTime now);

}  // namespace roceready::controller
