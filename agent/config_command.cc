// SPDX-License-Identifier: Apache-2.0
#include "agent/config_command.h"

#include <ostream>

#include "agent/settings.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"

namespace roceready::agent {

int CheckConfig(const std::string& config_path, std::ostream& out, std::ostream& error) {
  const absl::StatusOr<Settings> settings =
      ReadSettings(config_path, std::chrono::system_clock::now());
  if (!settings.ok()) {
    error << Message(settings.status()) << "\n";
    return ExitStatusOfStart(settings.status());
  }
  out << fmt::format("{} is valid: host {}, controller {}\n", config_path, settings->host,
                     settings->controller)
      << std::flush;
  return kExitOk;
}

}  // namespace roceready::agent
