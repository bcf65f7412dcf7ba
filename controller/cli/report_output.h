// SPDX-License-Identifier: Apache-2.0
// An audit's result in the format asked for.
#pragma once

#include <google/protobuf/struct.pb.h>

#include <string>

#include "checks/policy/loaded_policy.h"
#include "controller/cli/output.h"
#include "proto/process/exit_status.h"
#include "roceready/v1/finding.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

struct AuditResult {
  // Of an audit of saved facts only what is known without a controller: its times.
  v1::Audit audit;
  v1::AuditReport report;
};

// `fail_on` is what the exit status and, of Nagios, the text go by.
std::string RenderAudit(const AuditResult& result, const OutputOptions& output, FailOn fail_on);
// The verdict, and of the findings those that rest on probes, numbered as in the whole report; for
// a terminal.
std::string RenderFindingsOfProbes(const AuditResult& result, const OutputOptions& output);
// Of an audit that has ended as it should. Nagios has a status for a degraded set without being
// asked, as its text says so.
int StatusOfAudit(const AuditResult& result, const OutputOptions& output, FailOn fail_on);
// {"valid": false, "problems": [{"file": ..., "line": 7, "column": 14, "path": ..., "text": ...}],
// "notes": [...]}, and the policy's name and digest where it is valid.
google::protobuf::Struct PolicyResultAsMessage(const PolicyResult& result);
std::string RenderHosts(const std::vector<v1::Host>& hosts, const OutputOptions& output);

}  // namespace roceready::cli
