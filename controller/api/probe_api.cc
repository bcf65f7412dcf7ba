// SPDX-License-Identifier: Apache-2.0
// The part of the API that stops probes.
#include <utility>

#include "controller/api/fleet_api.h"
#include "controller/api/require.h"
#include "proto/process/logging.h"

namespace roceready {
namespace {

// It is kept in every pair that was not probed.
constexpr std::size_t kMaxReasonBytes = 500;

absl::Status CheckStop(const Caller& caller, const v1::StopProbesRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kOperator));
  if (request.all() == !request.audit_id().empty()) {
    return InvalidArgument("give one of the two: audit_id, or all for the probes of every audit");
  }
  if (request.reason().size() > kMaxReasonBytes) {
    return InvalidArgument("reason: {} bytes are more than {}", request.reason().size(),
                           kMaxReasonBytes);
  }
  return absl::OkStatus();
}

}  // namespace

void FleetApi::StopProbes(const Caller& caller, const v1::StopProbesRequest& request,
                          StopDone done) {
  if (absl::Status right = CheckStop(caller, request); !right.ok()) return done(right);
  std::vector<std::shared_ptr<AuditRun>> audits;
  if (!request.all()) {
    absl::StatusOr<std::shared_ptr<AuditRun>> audit = tools_.audits->Find(request.audit_id());
    if (!audit.ok()) return done(audit.status());
    audits.push_back(*std::move(audit));
  }
  const std::string reason = fmt::format("probes stopped by {}{}", caller.name,
                                         request.reason().empty() ? "" : ": " + request.reason());
  auto answer = [book = tools_.audits, reason,
                 done = std::move(done)](const AuditBook::ProbesStopped& stopped) {
    v1::StopProbesResponse response;
    response.set_pairs_ended(stopped.pairs.ended);
    response.set_pairs_not_begun(stopped.pairs.not_begun);
    for (const std::string& id : stopped.audit_ids) response.add_audit_ids(id);
    for (std::string& host : book->HostsUnsure()) response.add_hosts_unsure(std::move(host));
    LogWarn("probes stopped", {{"why", reason},
                               {"audits", stopped.audit_ids.size()},
                               {"ended", stopped.pairs.ended},
                               {"not_begun", stopped.pairs.not_begun},
                               {"hosts_unsure", response.hosts_unsure_size()}});
    done(std::move(response));
  };
  if (request.all()) return tools_.audits->StopAllProbes(reason, std::move(answer));
  tools_.audits->StopProbes(audits, reason, std::move(answer));
}

}  // namespace roceready
