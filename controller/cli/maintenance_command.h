// SPDX-License-Identifier: Apache-2.0
// `roceready maintenance`: hosts that an operator sets aside.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/cli/output.h"
#include "roceready/v1/config.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

struct MaintenanceOptions {
  enum class Verb { kSet, kEnd, kList };
  Verb verb = Verb::kList;
  std::string hosts;
  std::string reason;
  std::chrono::milliseconds duration{};
};

// Hosts that were set aside together are one line.
std::string RenderMaintenance(const std::vector<v1::MaintenanceMark>& marks);

int MaintenanceCommand(const v1::ClientConfig& config, const MaintenanceOptions& options,
                       const OutputOptions& output);

}  // namespace roceready::cli
