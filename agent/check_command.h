// SPDX-License-Identifier: Apache-2.0
// `roceready-agent check --policy FILE [--facts FILE] [--job-env FILE]`: judges this one host,
// without a controller.
#pragma once

#include <iosfwd>
#include <string>

#include "agent/facts_command.h"

namespace roceready::agent {

enum class Output { kTable, kJson };

struct CheckOptions {
  std::string policy_path;
  // NAME=VALUE as a job is started with; empty: what the policy says of the job holds.
  std::string job_environment;
  // Empty: the live host.
  std::string facts_path;
  FactsOptions facts;
  Output output = Output::kTable;
  bool color = false;
};

// 0 ready, 2 not ready, 3 undetermined; else a sysexits number, with the reason on `error`.
int CheckHost(const CheckOptions& options, std::ostream& out, std::ostream& error);

}  // namespace roceready::agent
