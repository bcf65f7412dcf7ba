// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/what_if_command.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <map>
#include <utility>

#include "checks/report/what_if.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/saved_facts.h"
#include "controller/cli/stored_facts.h"
#include "controller/cli/switch_files.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

// Longer than any controller keeps facts: with a limit on their age none are read again, and none
// are too old.
constexpr int64_t kAnyAgeSeconds = int64_t{10} * 365 * 24 * 3600;

std::vector<std::string> NamesOf(const KnownHosts& hosts) {
  std::vector<std::string> names;
  for (const auto& [name, host] : hosts) names.push_back(name);
  std::ranges::sort(names, HostNameLess);
  return names;
}

// Facts that were stored are judged although they are old, or the agent that sent them is gone.
KnownHosts JudgedAsStored(KnownHosts hosts) {
  for (auto& [name, host] : hosts) {
    const bool old = host.state == v1::HOST_STATE_MISSING || host.state == v1::HOST_STATE_STALE;
    if (host.facts && old) host.state = v1::HOST_STATE_CONNECTED;
  }
  return hosts;
}

absl::StatusOr<report::WhatIfSide> JudgedHere(const KnownHosts& hosts, const std::string& policy,
                                              const AuditOptions& options,
                                              const std::string& job_environment) {
  const checks::WallTime now = std::chrono::system_clock::now();
  ASSIGN_OR_RETURN(const auto loaded, ReadLocalPolicy(policy, now, job_environment));
  ASSIGN_OR_RETURN(std::vector<checks::KnownSwitch> switches,
                   ReadSwitchFiles(options.switch_files));
  return report::WhatIfSide{.report = JudgeHere(hosts, *loaded, std::move(switches), now),
                            .policy = NamesPolicyFile(policy)
                                          ? fmt::format("{} ({})", loaded->name(), policy)
                                          : loaded->name()};
}

// Of hosts whose facts it has. An agent that has sent none yet would be asked for them: such a host
// is left out of the audit, and unknown.
absl::StatusOr<report::WhatIfSide> JudgedByController(FleetClient& client, const KnownHosts& hosts,
                                                      const std::string& policy,
                                                      const AuditOptions& options) {
  std::vector<std::string> audited, left_out;
  for (const auto& [name, host] : hosts) {
    const bool would_be_asked =
        !host.facts && host.state != v1::HOST_STATE_MISSING && host.state != v1::HOST_STATE_UNKNOWN;
    (would_be_asked ? left_out : audited).push_back(name);
  }
  if (audited.empty()) return NotFound("no facts are stored of {}", FoldHostList(left_out));
  v1::CreateAuditRequest request;
  request.set_hosts(FoldHostList(audited));
  request.set_policy(policy);
  request.mutable_plan()->set_kind(v1::PLAN_KIND_NONE);
  *request.mutable_max_fact_age() = TimeUtil::SecondsToDuration(kAnyAgeSeconds);
  *request.mutable_timeout() = TimeUtil::MillisecondsToDuration(options.budget.count());
  ASSIGN_OR_RETURN(const v1::Audit created, client.CreateAudit(request));
  const std::string& audit_id = created.audit_id();
  RETURN_IF_ERROR(client.WatchAudit(
      audit_id, 0, [](const v1::WatchAuditResponse& event) { return !HasEnded(event.state()); },
      [] { return false; }));
  ASSIGN_OR_RETURN(AuditResult result, FetchAudit(client, audit_id));
  if (result.audit.state() != v1::AUDIT_STATE_DONE) {
    return Unavailable("audit {} did not end: {}", audit_id, result.audit.abort_reason());
  }
  v1::Verdict& verdict = *result.report.mutable_verdict();
  for (const std::string& name : left_out) {
    verdict.mutable_coverage()->add_hosts_missing(name);
    verdict.mutable_coverage()->set_hosts_asked(verdict.coverage().hosts_asked() + 1);
    if (verdict.readiness() == v1::READINESS_READY) {
      verdict.set_readiness(v1::READINESS_UNDETERMINED);
    }
  }
  std::string name = verdict.policy_name() + " (of the controller";
  name += policy.empty() ? ", its default)" : ")";
  return report::WhatIfSide{.report = std::move(result.report), .policy = std::move(name)};
}

// What moves may then not be the policy's doing.
absl::StatusOr<std::vector<std::string>> DoubtsAbout(FleetClient& client,
                                                     const AuditOptions& options,
                                                     const StoredFacts& stored, bool judged_alike) {
  std::vector<std::string> doubts;
  ASSIGN_OR_RETURN(const StoredFacts::Digests now, FetchDigests(client, options.hosts));
  std::vector<std::string> changed;
  for (const auto& [host, digest] : stored.digests) {
    const auto found = now.find(host);
    if (found == now.end() || found->second != digest) changed.push_back(host);
  }
  if (!changed.empty()) {
    doubts.push_back(fmt::format("what changed on {} while this was made: run it again",
                                 FoldHostList(std::move(changed))));
  }
  std::vector<std::string> gone;
  for (const auto& [name, host] : stored.hosts) {
    if (host.facts && host.state == v1::HOST_STATE_MISSING) gone.push_back(name);
  }
  if (!gone.empty()) {
    doubts.push_back(fmt::format(
        "{}: not connected, and the controller judges no such host; with --policy and --against "
        "as files the stored facts are judged",
        FoldHostList(std::move(gone))));
  }
  if (judged_alike) return doubts;
  doubts.emplace_back("switch settings, and agents of one name: the controller alone knows them");
  ASSIGN_OR_RETURN(const std::vector<v1::CheckInfo> theirs, client.ListChecks());
  std::map<std::string, std::string> differing;
  for (const v1::CheckInfo& check : theirs) {
    differing[check.check_id()] = check.SerializeAsString();
  }
  const v1::ListChecksResponse ours = report::AllChecks();
  for (const v1::CheckInfo& check : ours.checks()) {
    const auto found = differing.find(check.check_id());
    if (found == differing.end()) {
      differing[check.check_id()];
    } else if (found->second == check.SerializeAsString()) {
      differing.erase(found);
    }
  }
  if (!differing.empty()) {
    doubts.push_back(
        fmt::format("{} {} in this program and in the controller, such as {}: what "
                    "moves there may be due to that",
                    differing.size(), differing.size() == 1 ? "check differs" : "checks differ",
                    differing.begin()->first));
  }
  return doubts;
}

report::WhatIfReport Compared(report::WhatIfSide before, report::WhatIfSide after,
                              const KnownHosts& hosts, bool judged_alike) {
  report::WhatIfReport report{.before = std::move(before), .after = std::move(after)};
  for (const auto& [name, host] : hosts) {
    if (!host.facts) continue;
    std::optional<int64_t>& age = report.fact_age_seconds[name];
    if (const auto oldest = host.OldestFact()) {
      age = std::chrono::duration_cast<std::chrono::seconds>(*oldest).count();
    }
  }
  const std::vector<std::string> names = NamesOf(hosts);
  // The sides have reached their place: pointers into them stay valid when the report is moved.
  report.changes = checks::CompareReports({.before = report.before.report,
                                           .after = report.after.report,
                                           .hosts = names,
                                           .judged_alike = judged_alike});
  return report;
}

absl::StatusOr<report::WhatIfReport> OfSavedFacts(const AuditOptions& options) {
  ASSIGN_OR_RETURN(const KnownHosts hosts,
                   HostsOfSavedFacts(options.facts_directory, std::chrono::system_clock::now()));
  ASSIGN_OR_RETURN(auto before, JudgedHere(hosts, options.against, options, {}));
  ASSIGN_OR_RETURN(auto after, JudgedHere(hosts, options.policy, options, options.job_environment));
  report::WhatIfReport report =
      Compared(std::move(before), std::move(after), hosts, /*judged_alike=*/true);
  if (options.switch_files.empty()) report.not_compared.emplace_back("switch settings");
  return report;
}

absl::StatusOr<report::WhatIfReport> OfStoredFacts(const v1::ClientConfig& config,
                                                   const AuditOptions& options) {
  ASSIGN_OR_RETURN(const auto client, FleetClient::Create(config));
  ASSIGN_OR_RETURN(const StoredFacts stored, FetchStoredFacts(*client, options.hosts));
  const bool before_here = NamesPolicyFile(options.against);
  const bool after_here = NamesPolicyFile(options.policy);
  const bool all_here = before_here && after_here;
  const KnownHosts hosts = all_here ? JudgedAsStored(stored.hosts) : stored.hosts;
  ASSIGN_OR_RETURN(auto before, before_here
                                    ? JudgedHere(hosts, options.against, options, {})
                                    : JudgedByController(*client, hosts, options.against, options));
  ASSIGN_OR_RETURN(auto after,
                   after_here ? JudgedHere(hosts, options.policy, options, options.job_environment)
                              : JudgedByController(*client, hosts, options.policy, options));
  const bool judged_alike = before_here == after_here;
  report::WhatIfReport report = Compared(std::move(before), std::move(after), hosts, judged_alike);
  if (all_here) {
    report.not_compared.emplace_back("switch settings: the controller alone knows them");
  } else {
    ASSIGN_OR_RETURN(report.not_compared, DoubtsAbout(*client, options, stored, judged_alike));
  }
  return report;
}

}  // namespace

int WhatIfCommand(const v1::ClientConfig& config, const AuditOptions& options,
                  const OutputOptions& output) {
  const auto report =
      options.facts_directory.empty() ? OfStoredFacts(config, options) : OfSavedFacts(options);
  if (!report.ok()) return Fail(report.status(), output.format);
  if (output.format == Format::kJson) {
    PrintResult(ToJson(report::WhatIfAsMessage(*report)));
  } else {
    PrintResult(report::RenderWhatIf(
        *report, {.color = output.color, .width = static_cast<size_t>(output.width)}));
  }
  return ExitStatusOfVerdict(report->after.report.verdict(), options.fail_on);
}

}  // namespace roceready::cli
