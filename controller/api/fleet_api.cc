// SPDX-License-Identifier: Apache-2.0
#include "controller/api/fleet_api.h"

#include <fmt/format.h>
#include <google/protobuf/util/field_mask_util.h>

#include <algorithm>
#include <utility>

#include "checks/check.h"
#include "checks/policy/site_rule.h"
#include "checks/site_checks.h"
#include "controller/api/paging.h"
#include "controller/api/require.h"
#include "controller/probing/plan.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

using google::protobuf::util::FieldMaskUtil;

absl::Status CheckNotNegative(const google::protobuf::Duration& duration, std::string_view field) {
  if (FromProto(duration) >= Duration::zero()) return absl::OkStatus();
  return InvalidArgument("{} is negative", field);
}

absl::Status CheckDurations(const v1::CreateAuditRequest& request) {
  RETURN_IF_ERROR(CheckNotNegative(request.max_fact_age(), "max_fact_age"));
  RETURN_IF_ERROR(CheckNotNegative(request.timeout(), "timeout"));
  RETURN_IF_ERROR(CheckNotNegative(request.facts_timeout(), "facts_timeout"));
  return CheckNotNegative(request.plan().budget(), "plan.budget");
}

absl::StatusOr<std::shared_ptr<const LoadedPolicy>> PolicyForJob(const LoadedPolicy& policy,
                                                                 const std::string& environment) {
  constexpr std::size_t kMaxBytes = 65'536;
  if (environment.size() > kMaxBytes) {
    return InvalidArgument(
        "job_environment: {} bytes are more than {}: send NCCL_* and UCX_* alone",
        environment.size(), kMaxBytes);
  }
  const JobEnvironment read = ReadJobEnvironment(environment, "job_environment");
  if (!read.ok()) return InvalidArgument("{}", yaml::Render(read.problems));
  return policy.WithJob(read);
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

v1::CheckInfo InfoOf(const checks::Check& check) {
  v1::CheckInfo info;
  info.set_check_id(std::string(check.id));
  info.set_title(std::string(check.title));
  info.set_scope(check.scope);
  info.set_severity(check.severity);
  info.set_on_unknown(check.on_unknown);
  info.set_why(std::string(check.why));
  info.set_how(std::string(check.how));
  info.set_fix(std::string(check.fix));
  for (std::string_view source : check.sources) info.add_sources(std::string(source));
  return info;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FleetApi::HostsOf(const std::string& list) const {
  if (list != "*") return ExpandHostList(list);
  std::vector<std::string> all;
  for (const auto& [host, record] : tools_.fleet->hosts()) all.push_back(host);
  std::sort(all.begin(), all.end(), HostNameLess);
  return all;
}

absl::StatusOr<v1::ListHostsResponse> FleetApi::ListHosts(const Caller& caller,
                                                          const v1::ListHostsRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  ASSIGN_OR_RETURN(const std::vector<std::string> hosts,
                   HostsOf(request.hosts().empty() ? "*" : request.hosts()));
  ASSIGN_OR_RETURN(const Page page,
                   PageOf(hosts.size(), request.page_size(), request.page_token()));
  v1::ListHostsResponse response;
  for (std::size_t i = page.begin; i < page.end; ++i) {
    *response.add_hosts() = tools_.fleet->Describe(hosts[i]);
  }
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<v1::GetHostResponse> FleetApi::GetHost(const Caller& caller,
                                                      const v1::GetHostRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  if (tools_.fleet->Find(request.host()) == nullptr) {
    return NotFound("{}: {}", request.host(), DescribeUnknownHost(request.host()).state_reason());
  }
  v1::GetHostResponse response;
  *response.mutable_host() = tools_.fleet->Describe(request.host());
  return response;
}

absl::StatusOr<v1::GetHostFactsResponse> FleetApi::GetHostFacts(
    const Caller& caller, const v1::GetHostFactsRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  const HostRecord* record = tools_.fleet->Find(request.host());
  if (record == nullptr) {
    return NotFound("{}: {}", request.host(), DescribeUnknownHost(request.host()).state_reason());
  }
  if (!record->HasFacts()) {
    return Unavailable("{}: {}", request.host(),
                       tools_.fleet->Describe(request.host()).state_reason());
  }
  for (const std::string& path : request.read_mask().paths()) {
    if (!FieldMaskUtil::IsValidPath<v1::HostFacts>(path)) {
      return InvalidArgument(
          "read_mask: '{}' is no path of HostFacts; a path may end in a list but not go through it",
          path);
    }
  }
  v1::GetHostFactsResponse response;
  RETURN_IF_ERROR(AssembleFacts(*record->parts, response.mutable_facts()));
  if (request.read_mask().paths_size() > 0) {
    FieldMaskUtil::TrimMessage(request.read_mask(), response.mutable_facts());
  }
  if (request.with_counters() && record->counters != nullptr) {
    *response.mutable_counters() = *record->counters;
    *response.mutable_counters_age() = ToProto(tools_.clock->Now() - record->counters_at);
  }
  const MonotonicTime now = tools_.clock->Now();
  for (const auto& [key, at] : record->read_at) {
    v1::FactAge* age = response.add_ages();
    age->set_key(key);
    *age->mutable_age() = ToProto(now - at);
  }
  return response;
}

absl::StatusOr<FleetApi::WantedAudit> FleetApi::CheckAudit(
    const Caller& caller, const v1::CreateAuditRequest& request) const {
  RETURN_IF_ERROR(Require(caller, Role::kOperator));
  WantedAudit wanted;
  ASSIGN_OR_RETURN(wanted.hosts, HostsOf(request.hosts()));
  if (wanted.hosts.empty())
    return InvalidArgument("hosts: no host is named, and there is nothing to audit");
  RETURN_IF_ERROR(CheckDurations(request));
  RETURN_IF_ERROR(CheckPlan(request.plan(), wanted.hosts.size()));
  ASSIGN_OR_RETURN(wanted.policy, FindPolicy(request.policy()));
  if (!request.job_environment().empty()) {
    ASSIGN_OR_RETURN(wanted.policy, PolicyForJob(*wanted.policy, request.job_environment()));
  }
  return wanted;
}

void FleetApi::CreateAudit(const Caller& caller, const v1::CreateAuditRequest& request,
                           AuditDone done) {
  absl::StatusOr<WantedAudit> wanted = CheckAudit(caller, request);
  if (!wanted.ok()) return done(wanted.status());
  tools_.audits->Create(
      request, std::move(wanted->hosts), std::move(wanted->policy), caller.name,
      [done = std::move(done)](const absl::StatusOr<std::shared_ptr<AuditRun>>& audit) {
        if (!audit.ok()) return done(audit.status());
        v1::CreateAuditResponse response;
        *response.mutable_audit() = (*audit)->audit();
        done(std::move(response));
      });
}

absl::StatusOr<std::shared_ptr<const LoadedPolicy>> FleetApi::FindPolicy(
    const std::string& asked) const {
  const std::string& name = asked.empty() ? options_.default_policy : asked;
  std::shared_ptr<const LoadedPolicy> policy = tools_.policies->Find(name);
  if (policy != nullptr) return policy;
  return NotFound("there is no policy '{}'; there are: {}", name, Joined(tools_.policies->Names()));
}

absl::StatusOr<v1::ListAuditsResponse> FleetApi::ListAudits(const Caller& caller,
                                                            const v1::ListAuditsRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  const std::vector<std::shared_ptr<AuditRun>> audits = tools_.audits->All();
  ASSIGN_OR_RETURN(const Page page,
                   PageOf(audits.size(), request.page_size(), request.page_token()));
  v1::ListAuditsResponse response;
  for (std::size_t i = page.begin; i < page.end; ++i) {
    *response.add_audits() = audits[i]->audit();
  }
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<v1::CancelAuditResponse> FleetApi::CancelAudit(
    const Caller& caller, const v1::CancelAuditRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kOperator));
  v1::CancelAuditResponse response;
  ASSIGN_OR_RETURN(const std::shared_ptr<AuditRun> audit, tools_.audits->Find(request.audit_id()));
  audit->Cancel(request.reason());
  *response.mutable_audit() = audit->audit();
  return response;
}

absl::StatusOr<v1::ListChecksResponse> FleetApi::ListChecks(const Caller& caller,
                                                            const v1::ListChecksRequest&) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  v1::ListChecksResponse response;
  for (const checks::Check& check : checks::Catalog()) *response.add_checks() = InfoOf(check);
  return response;
}

absl::StatusOr<v1::GetCheckResponse> FleetApi::GetCheck(const Caller& caller,
                                                        const v1::GetCheckRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  v1::GetCheckResponse response;
  if (const checks::Check* check = checks::FindCheck(request.check_id())) {
    *response.mutable_check() = InfoOf(*check);
    return response;
  }
  if (IsSiteCheckId(request.check_id())) {
    ASSIGN_OR_RETURN(*response.mutable_check(), SiteCheck(request.check_id()));
    return response;
  }
  return NotFound("there is no check '{}'; `roceready checks` and GET /v1/checks list them",
                  request.check_id());
}

absl::StatusOr<v1::CheckInfo> FleetApi::SiteCheck(const std::string& check_id) const {
  // Of several policies with a check of this name, the default one's.
  std::vector<std::string> names = tools_.policies->Names();
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string& name) { return name == options_.default_policy; });
  for (const std::string& name : names) {
    const EffectivePolicy policy = tools_.policies->Find(name)->ForAllHosts();
    const SiteRule* rule = policy.SiteRuleOf(check_id);
    if (rule != nullptr) return InfoOf(checks::CheckOf(*rule, checks::HowOf(*rule)));
  }
  return NotFound("there is no check '{}' in any policy ({})", check_id, Joined(names));
}

absl::StatusOr<AuditLog::Batch> FleetApi::ReadEvents(const Caller& caller,
                                                     const std::string& audit_id,
                                                     std::uint64_t after, std::size_t limit) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  ASSIGN_OR_RETURN(const std::shared_ptr<AuditRun> audit, tools_.audits->Find(audit_id));
  return audit->log().Read(after, limit);
}

AuditLog::WaiterId FleetApi::WhenMoreEvents(const std::string& audit_id, std::uint64_t after,
                                            std::function<void()> wake) {
  auto audit = tools_.audits->Find(audit_id);
  if (!audit.ok()) {
    wake();
    return 0;
  }
  return (*audit)->log().WhenMore(after, std::move(wake));
}

void FleetApi::ForgetWaiter(const std::string& audit_id, AuditLog::WaiterId waiter) {
  if (auto audit = tools_.audits->Find(audit_id); audit.ok()) (*audit)->log().Forget(waiter);
}

}  // namespace roceready
