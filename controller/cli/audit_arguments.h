// SPDX-License-Identifier: Apache-2.0
// Options of all commands that have the controller make an audit, and of those that judge a job.
#pragma once

#include <string>

#include "controller/cli/run_audit.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace roceready::cli {

CLI::Option* AddJobEnvironment(CLI::App& app, std::string& target);
void AddBudget(CLI::App& app, AuditOptions& options);
void AddPlan(CLI::App& app, v1::ProbePlan& target);
// After AddPlan(), which it excludes.
void AddNoProbes(CLI::App& app, v1::ProbePlan& target);
void AddNoRetest(CLI::App& app, AuditOptions& options);

}  // namespace roceready::cli
