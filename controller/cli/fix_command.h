// SPDX-License-Identifier: Apache-2.0
// `roceready fix`: prints the commands that mend what an audit found, for a person to read and run.
// It runs nothing.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <vector>

#include "controller/cli/output.h"
#include "roceready/v1/config.pb.h"

namespace roceready::cli {

enum class FixFormat { kShell, kClush, kAnsible };

// "a1-7" or "a1-7/2".
struct FixTarget {
  std::string audit_id;
  // Number of a root cause in the report; absent: all.
  std::optional<size_t> number;
};
absl::StatusOr<FixTarget> ParseFixTarget(const std::string& text);

struct FixOptions {
  FixTarget target;                       // its audit is empty with facts_directory
  std::string facts_directory;            // judge these, ask no controller
  std::string policy;                     // with facts_directory
  std::vector<std::string> switch_files;  // the same
  std::string job_environment;            // the same
  FixFormat format = FixFormat::kShell;
};

int FixCommand(const v1::ClientConfig& config, const FixOptions& options,
               const OutputOptions& output);

}  // namespace roceready::cli
