// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/audit_command.h"

#include "controller/cli/fleet_client.h"
#include "controller/cli/progress.h"
#include "controller/cli/saved_facts.h"
#include "controller/cli/what_if_command.h"

namespace roceready::cli {
namespace {

int AuditByController(const v1::ClientConfig& config, const AuditOptions& options,
                      const OutputOptions& output) {
  auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  Progress progress(output.progress);
  const auto result = RunAudit(**client, options, progress, [](const auto&, const auto&) {});
  if (!result.ok()) return Fail(result.status(), output.format);
  PrintResult(RenderAudit(*result, output, options.fail_on));
  return StatusOfRun(*result, output, options.fail_on);
}

int AuditSavedFacts(const AuditOptions& options, const OutputOptions& output) {
  const auto result = JudgeSavedFacts(
      {options.facts_directory, options.policy, options.switch_files, options.job_environment});
  if (!result.ok()) return Fail(result.status(), output.format);
  PrintResult(RenderAudit(*result, output, options.fail_on));
  return StatusOfAudit(*result, output, options.fail_on);
}

}  // namespace

int AuditCommand(const v1::ClientConfig& config, const AuditOptions& options,
                 const OutputOptions& output) {
  if (options.IsWhatIf()) return WhatIfCommand(config, options, output);
  return options.facts_directory.empty() ? AuditByController(config, options, output)
                                         : AuditSavedFacts(options, output);
}

}  // namespace roceready::cli
