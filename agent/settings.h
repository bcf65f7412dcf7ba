// SPDX-License-Identifier: Apache-2.0
// agent.yaml with its defaults filled in.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "proto/process/clock.h"
#include "roceready/v1/config.pb.h"

namespace roceready::agent {

constexpr char kDefaultConfig[] = "/etc/roceready/agent.yaml";
constexpr char kDefaultStatusSocket[] = "/run/roceready-agent/status.sock";

struct Settings {
  std::string controller;
  v1::TlsFiles tls;
  bool plain_text = false;
  // The name this agent speaks for.
  std::string host;
  std::string state_directory;
  std::string status_socket;
  std::string log_level;
  Duration collect_interval{};
  Duration source_deadline{};
  v1::AgentProbeLimits probes;
};

// Reads and checks all that `run` needs: endpoint, TLS files, the certificate's host name. Errors
// name the file and what to do.
absl::StatusOr<Settings> ReadSettings(const std::string& path, WallTime now);

// Only where the status socket is; the default where the file leaves it out or does not exist.
absl::StatusOr<std::string> ReadStatusSocket(const std::string& path);

}  // namespace roceready::agent
