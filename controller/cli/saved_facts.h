// SPDX-License-Identifier: Apache-2.0
// An audit of saved facts: files that `roceready-agent facts` or `roceready facts HOST` wrote,
// judged here with no controller.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <vector>

#include "controller/cli/local_judgement.h"
#include "controller/cli/report_output.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

struct SavedAudit {
  // Every *.json in it is one host.
  std::string directory;
  // As ReadLocalPolicy() takes it.
  std::string policy;
  // config_db.json of switches; none: no switch is judged.
  std::vector<std::string> switch_files;
  // NAME=VALUE as a job is started with; empty: what the policy says of the job holds.
  std::string job_environment = {};
};

// By host name. A file that cannot be read, and a host in two files, is an error that names it: a
// host must not vanish from a verdict.
absl::StatusOr<std::map<std::string, v1::FactsFile>> ReadSavedFacts(const std::string& directory);

// A controller's facts as such a file: what `roceready facts HOST` prints.
v1::FactsFile FactsFileOf(v1::GetHostFactsResponse response, checks::WallTime now);

// The same with ages, to be judged. A file without a time leaves its host's facts without ages.
absl::StatusOr<KnownHosts> HostsOfSavedFacts(const std::string& directory, checks::WallTime now);

absl::StatusOr<AuditResult> JudgeSavedFacts(const SavedAudit& saved);

}  // namespace roceready::cli
