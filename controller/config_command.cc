// SPDX-License-Identifier: Apache-2.0
#include "controller/config_command.h"

#include <ostream>

#include "controller/policies.h"
#include "controller/settings.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"

namespace roceready::controller {

int CheckConfig(const std::string& config_path, std::ostream& out, std::ostream& error) {
  const WallTime now = std::chrono::system_clock::now();
  const absl::StatusOr<Settings> settings = ReadSettings(config_path, now);
  PolicySet policies;
  const absl::Status checked =
      settings.ok()
          ? LoadPolicies(settings->policy_directory, settings->default_policy, now, &policies)
          : settings.status();
  if (!checked.ok()) {
    error << Message(checked) << "\n";
    return ExitStatusOfStart(checked);
  }
  out << fmt::format("{} is valid: {} policies, default {}\n", config_path, policies.Names().size(),
                     settings->default_policy)
      << std::flush;
  return kExitOk;
}

}  // namespace roceready::controller
