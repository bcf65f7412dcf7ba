// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/run_audit.h"

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "controller/cli/fleet_client.h"
#include "controller/cli/job_lines.h"
#include "controller/cli/progress.h"
#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

// How long a lost connection is dialled again before the audit is given up: longer than a
// controller's restart.
constexpr auto kReconnectFor = std::chrono::seconds(15);
constexpr auto kReconnectPause = std::chrono::milliseconds(500);

std::atomic<bool> interrupted = false;

void OnSignal(int) { interrupted = true; }

void CatchInterrupts() {
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends us at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// Makes a repeated CreateAudit (after a lost answer) the same audit.
std::string RequestId() {
  std::random_device random;
  return fmt::format("cli-{:08x}{:08x}", random(), random());
}

// Follows the audit to its end, across lost connections. OK: it has ended, or we were interrupted.
absl::Status Follow(FleetClient& client, const std::string& audit_id, Progress& progress,
                    const AuditWatcher& watcher) {
  uint64_t sequence = 0;
  bool ended = false;
  auto lost_since = std::chrono::steady_clock::time_point::max();
  while (!ended && !interrupted) {
    absl::Status status = client.WatchAudit(
        audit_id, sequence,
        [&](const v1::WatchAuditResponse& event) {
          lost_since = std::chrono::steady_clock::time_point::max();
          sequence = event.sequence();
          watcher(audit_id, event);
          progress.Show(event);
          ended = HasEnded(event.state());
          return !ended;
        },
        [] { return interrupted.load(); });
    if (ended || interrupted) break;
    const auto now = std::chrono::steady_clock::now();
    if (status.ok() || status.code() == absl::StatusCode::kUnavailable ||
        status.code() == absl::StatusCode::kNotFound) {
      // The stream is over although the audit is not: ask what became of it, then take it up again.
      const auto audit = client.GetAudit(audit_id);
      if (audit.ok() && HasEnded(audit->state())) return absl::OkStatus();
      if (audit.status().code() == absl::StatusCode::kNotFound) return audit.status();
      if (lost_since > now) lost_since = now;
      if (now - lost_since > kReconnectFor) return audit.ok() ? status : audit.status();
      progress.Note("the connection to the controller is lost; trying again");
      std::this_thread::sleep_for(kReconnectPause);
      continue;
    }
    return status;
  }
  return absl::OkStatus();
}

}  // namespace

bool HasEnded(v1::AuditState state) {
  return state == v1::AUDIT_STATE_DONE || state == v1::AUDIT_STATE_CANCELLED ||
         state == v1::AUDIT_STATE_ABORTED;
}

v1::CreateAuditRequest RequestOf(const AuditOptions& options) {
  v1::CreateAuditRequest request;
  request.set_hosts(options.hosts);
  request.set_policy(options.policy);
  *request.mutable_plan() = options.plan;
  request.mutable_plan()->set_no_retest(options.no_retest);
  if (options.plan.kind() == v1::PLAN_KIND_UNSPECIFIED && !options.is_budget_given) {
    request.mutable_plan()->set_kind(v1::PLAN_KIND_RING);
  }
  *request.mutable_plan()->mutable_budget() =
      TimeUtil::MillisecondsToDuration(options.budget.count());
  *request.mutable_timeout() = TimeUtil::MillisecondsToDuration(options.budget.count());
  *request.mutable_facts_timeout() =
      TimeUtil::MillisecondsToDuration(options.facts_timeout.count());
  return request;
}

absl::StatusOr<AuditResult> FetchAudit(FleetClient& client, const std::string& audit_id) {
  AuditResult result;
  ASSIGN_OR_RETURN(result.audit, client.GetAudit(audit_id));
  *result.report.mutable_verdict() = result.audit.verdict();
  result.report.set_audit_id(audit_id);
  if (result.audit.state() == v1::AUDIT_STATE_ABORTED) return result;
  ASSIGN_OR_RETURN(std::vector<v1::Finding> findings, client.ListFindings(audit_id));
  for (v1::Finding& finding : findings) *result.report.add_findings() = std::move(finding);
  return result;
}

absl::StatusOr<AuditResult> RunAudit(FleetClient& client, const AuditOptions& options,
                                     Progress& progress, const AuditWatcher& watcher) {
  CatchInterrupts();
  v1::CreateAuditRequest request = RequestOf(options);
  request.set_request_id(RequestId());
  if (!options.job_environment.empty()) {
    ASSIGN_OR_RETURN(std::string lines, JobLinesToSend(options.job_environment));
    request.set_job_environment(std::move(lines));
  }
  ASSIGN_OR_RETURN(const v1::Audit created, client.CreateAudit(request));
  const std::string& audit_id = created.audit_id();

  const absl::Status followed = Follow(client, audit_id, progress, watcher);
  progress.End();
  const std::string about = fmt::format("audit {}", audit_id);
  if (!followed.ok()) return WithContext(followed, about);
  if (interrupted) {
    const auto cancelled = client.CancelAudit(audit_id, "interrupted by the user");
    if (!cancelled.ok()) PrintError(WithContext(cancelled.status(), "cancelling the audit"));
  }
  absl::StatusOr<AuditResult> result = FetchAudit(client, audit_id);
  if (!result.ok()) return WithContext(result.status(), about);
  return result;
}

int StatusOfRun(const AuditResult& result, const OutputOptions& output, FailOn fail_on) {
  if (result.audit.state() == v1::AUDIT_STATE_DONE) return StatusOfAudit(result, output, fail_on);
  PrintError(
      MakeError(absl::StatusCode::kAborted,
                fmt::format("audit {} did not end: {}", result.audit.audit_id(),
                            result.audit.abort_reason().empty() ? "interrupted"
                                                                : result.audit.abort_reason())));
  return kExitUndetermined;
}

}  // namespace roceready::cli
