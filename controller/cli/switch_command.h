// SPDX-License-Identifier: Apache-2.0
// `roceready switch`: what switches are told to do, and the controller's memory of it.
#pragma once

#include <string>
#include <vector>

#include "controller/cli/output.h"
#include "proto/process/exit_status.h"
#include "roceready/v1/config.pb.h"

namespace roceready::cli {

struct SwitchImportOptions {
  std::vector<std::string> files;
  std::string policy;
  // Judge here and store nothing, also where a controller is configured.
  bool offline = false;
  FailOn fail_on = FailOn::kBlocks;
};
struct SwitchListOptions {};
struct SwitchRemoveOptions {
  std::string name;
};

// Stores the switches in the controller and shows its judgement of them; without a controller they
// are judged here. The status is that of the gravest verdict.
int SwitchImportCommand(const v1::ClientConfig& config, const SwitchImportOptions& options,
                        const OutputOptions& output);
int SwitchListCommand(const v1::ClientConfig& config, const OutputOptions& output);
int SwitchRemoveCommand(const v1::ClientConfig& config, const SwitchRemoveOptions& options,
                        const OutputOptions& output);

}  // namespace roceready::cli
