// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/fix_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "checks/report/fix.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/report_output.h"
#include "controller/cli/run_audit.h"
#include "controller/cli/saved_facts.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

// Of an audit that a controller knows and that has an end.
absl::StatusOr<AuditResult> FromController(const v1::ClientConfig& config,
                                           const std::string& audit_id) {
  ASSIGN_OR_RETURN(const auto client, FleetClient::Create(config));
  ASSIGN_OR_RETURN(AuditResult result, FetchAudit(*client, audit_id));
  switch (result.audit.state()) {
    case v1::AUDIT_STATE_DONE:
      return result;
    case v1::AUDIT_STATE_CANCELLED:
      PrintError(MakeError(
          absl::StatusCode::kAborted,
          fmt::format("audit {} was cancelled: its findings are not all there are", audit_id)));
      return result;
    case v1::AUDIT_STATE_ABORTED:
      return InvalidArgument("audit {} has no findings: {}", audit_id, result.audit.abort_reason());
    default:
      return InvalidArgument("audit {} has not ended yet", audit_id);
  }
}

std::string Render(const report::FixPlan& plan, const report::FixHeading& heading,
                   FixFormat format) {
  switch (format) {
    case FixFormat::kClush:
      return report::RenderFixClush(plan, heading);
    case FixFormat::kAnsible:
      return report::RenderFixAnsible(plan, heading);
    case FixFormat::kShell:
      break;
  }
  return report::RenderFixShell(plan, heading);
}

}  // namespace

absl::StatusOr<FixTarget> ParseFixTarget(const std::string& text) {
  const size_t slash = text.find('/');
  FixTarget target{.audit_id = text.substr(0, slash), .number = std::nullopt};
  if (slash != std::string::npos) {
    const char* end = text.data() + text.size();
    size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, number);
    if (error == std::errc() && rest == end && number > 0) target.number = number;
  }
  if (target.audit_id.empty() || (slash != std::string::npos && !target.number)) {
    return InvalidArgument(
        "found \"{}\", expected an audit, such as a1-7, or a root cause of one, such as a1-7/2",
        text);
  }
  return target;
}

int FixCommand(const v1::ClientConfig& config, const FixOptions& options,
               const OutputOptions& output) {
  const bool saved = !options.facts_directory.empty();
  const auto result = saved ? JudgeSavedFacts({options.facts_directory, options.policy,
                                               options.switch_files, options.job_environment})
                            : FromController(config, options.target.audit_id);
  if (!result.ok()) return Fail(result.status(), output.format);
  const auto plan = report::PlanFixes(result->report, options.target.number);
  if (!plan.ok()) return Fail(plan.status(), output.format);
  const report::FixHeading heading{
      .of = saved ? "the facts of " + options.facts_directory : "audit " + options.target.audit_id,
      .policy = result->report.verdict().policy_name()};
  PrintResult(Render(*plan, heading, options.format));
  return kExitOk;
}

}  // namespace roceready::cli
