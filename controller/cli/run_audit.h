// SPDX-License-Identifier: Apache-2.0
// One audit by a controller, from its request to its result: created once whatever becomes of the
// answer, followed across lost connections, cancelled on SIGINT and SIGTERM.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "controller/cli/output.h"
#include "controller/cli/report_output.h"
#include "proto/process/exit_status.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

class FleetClient;
class Progress;

struct AuditOptions {
  std::string hosts;            // host list expression
  std::string policy;           // name; with facts_directory also a file
  std::string facts_directory;  // empty: ask the controller
  bool stored_facts = false;    // what-if over the facts that the controller has
  std::string against;          // what-if: policy to compare with; empty: the one in force
  std::vector<std::string> switch_files;  // with facts_directory: config_db.json of its switches
  std::string job_environment;            // file of NAME=VALUE
  // Without a kind: a ring, or where a budget was given what fits into it.
  v1::ProbePlan plan;
  bool no_retest = false;
  std::chrono::milliseconds budget{60000};
  bool is_budget_given = false;
  std::chrono::milliseconds facts_timeout{5000};
  FailOn fail_on = FailOn::kBlocks;

  bool IsWhatIf() const { return stored_facts || !against.empty(); }
};

bool HasEnded(v1::AuditState state);

// What the controller is asked for, but for the id of the request.
v1::CreateAuditRequest RequestOf(const AuditOptions& options);

// Everything there is to show of an audit, ended or not.
absl::StatusOr<AuditResult> FetchAudit(FleetClient& client, const std::string& audit_id);

// Called with each event before it is shown.
using AuditWatcher =
    std::function<void(const std::string& audit_id, const v1::WatchAuditResponse& event)>;

// With its end, or what there is of it where it was interrupted.
absl::StatusOr<AuditResult> RunAudit(FleetClient& client, const AuditOptions& options,
                                     Progress& progress, const AuditWatcher& watcher);

// The status to exit with; says on stderr why it did not end as it should.
int StatusOfRun(const AuditResult& result, const OutputOptions& output, FailOn fail_on);

}  // namespace roceready::cli
