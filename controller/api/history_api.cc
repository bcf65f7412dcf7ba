// SPDX-License-Identifier: Apache-2.0
// The part of the API that reads what was: audits, of which the older ones are in the store alone,
// and events.
#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "controller/api/fleet_api.h"
#include "controller/api/paging.h"
#include "controller/api/require.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

bool Wanted(const v1::Finding& finding, const v1::ListFindingsRequest& request,
            const std::optional<HostMatcher>& hosts) {
  const auto& statuses = request.statuses();
  if (!statuses.empty() &&
      std::find(statuses.begin(), statuses.end(), finding.status()) == statuses.end()) {
    return false;
  }
  if (!hosts) return true;
  const v1::Subject& subject = finding.subject();
  return hosts->Matches(subject.host()) ||
         (!subject.peer_host().empty() && hosts->Matches(subject.peer_host()));
}

absl::StatusOr<v1::ListFindingsResponse> FindingsOf(const AuditRun& audit,
                                                    const v1::ListFindingsRequest& request,
                                                    const std::optional<HostMatcher>& hosts) {
  std::vector<const v1::Finding*> wanted;
  for (const v1::Finding& finding : audit.findings()) {
    if (Wanted(finding, request, hosts)) wanted.push_back(&finding);
  }
  ASSIGN_OR_RETURN(const Page page,
                   PageOf(wanted.size(), request.page_size(), request.page_token()));
  v1::ListFindingsResponse response;
  for (std::size_t i = page.begin; i < page.end; ++i) *response.add_findings() = *wanted[i];
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<v1::ListProbeResultsResponse> ProbeResultsOf(
    const AuditRun& audit, const v1::ListProbeResultsRequest& request) {
  const std::span results(audit.probe_results());
  const auto rest = results.subspan(std::min<std::size_t>(request.skip(), results.size()));
  ASSIGN_OR_RETURN(const Page page, PageOf(rest.size(), request.page_size(), request.page_token()));
  v1::ListProbeResultsResponse response;
  for (std::size_t i = page.begin; i < page.end; ++i) *response.add_results() = *rest[i];
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<EventQuery> QueryOf(const v1::ListEventsRequest& request, WallTime now) {
  EventQuery query;
  if (!request.hosts().empty() && request.hosts() != "*") {
    ASSIGN_OR_RETURN(const HostMatcher hosts, HostMatcher::Parse(request.hosts()));
    query.of_host = [hosts](const std::string& host) { return hosts.Matches(host); };
  }
  if (request.has_max_age()) {
    const Duration max_age = FromProto(request.max_age());
    if (max_age < Duration::zero()) return InvalidArgument("max_age is negative");
    query.since = now - std::min(max_age, now.time_since_epoch());
  }
  query.after = request.after_number();
  const std::string& token = request.page_token();
  if (!token.empty()) {
    const char* end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, query.after);
    if (error != std::errc() || stop != end) {
      return InvalidArgument("page_token '{}' is not one that a list gave", token);
    }
  }
  // As the store has it.
  query.after = std::min<std::uint64_t>(query.after, INT64_MAX);
  query.at_most = request.page_size() == 0 ? kDefaultPage
                                           : std::min<std::size_t>(request.page_size(), kMaxPage);
  return query;
}

}  // namespace

absl::Status FleetApi::BeginLookup() {
  if (lookups_ >= kMaxLookupsAtOnce) {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     fmt::format("{} questions wait for the history: ask again", lookups_));
  }
  ++lookups_;
  return absl::OkStatus();
}

void FleetApi::FindAudit(const std::string& audit_id, AuditFound found) {
  absl::StatusOr<std::shared_ptr<AuditRun>> at_hand = tools_.audits->Find(audit_id);
  if (at_hand.ok()) return found(*std::move(at_hand));
  const std::optional<AuditId> id = tools_.audits->NotAtHand(audit_id);
  if (!id) return found(at_hand.status());
  if (absl::Status begun = BeginLookup(); !begun.ok()) return found(begun);
  using Kept = absl::StatusOr<std::optional<KeptAudit>>;
  auto kept = std::make_shared<Kept>(std::nullopt);
  tools_.store_worker->Run([store = tools_.store, id = *id, kept] { *kept = store->FindAudit(id); },
                           [this, audit_id, kept, found = std::move(found)] {
                             --lookups_;
                             if (!kept->ok()) return found(kept->status());
                             if (!**kept)
                               return found(NotFound("audit {} is no longer kept", audit_id));
                             found(tools_.audits->Reopened(std::move(***kept)));
                           });
}

void FleetApi::GetAudit(const Caller& caller, const v1::GetAuditRequest& request,
                        GetAuditDone done) {
  if (absl::Status allowed = Require(caller, Role::kViewer); !allowed.ok()) return done(allowed);
  FindAudit(request.audit_id(), [done = std::move(done)](const Found& audit) {
    if (!audit.ok()) return done(audit.status());
    v1::GetAuditResponse response;
    *response.mutable_audit() = (*audit)->audit();
    done(std::move(response));
  });
}

void FleetApi::ListFindings(const Caller& caller, const v1::ListFindingsRequest& request,
                            ListFindingsDone done) {
  if (absl::Status allowed = Require(caller, Role::kViewer); !allowed.ok()) return done(allowed);
  std::optional<HostMatcher> hosts;
  if (!request.hosts().empty()) {
    absl::StatusOr<HostMatcher> parsed = HostMatcher::Parse(request.hosts());
    if (!parsed.ok()) return done(parsed.status());
    hosts = *std::move(parsed);
  }
  FindAudit(request.audit_id(), [request, hosts, done = std::move(done)](const Found& audit) {
    if (!audit.ok()) return done(audit.status());
    if ((*audit)->lost()) {
      return done(NotFound("audit {} is {}", request.audit_id(), AuditRun::kLost));
    }
    done(FindingsOf(**audit, request, hosts));
  });
}

void FleetApi::ListProbeResults(const Caller& caller, const v1::ListProbeResultsRequest& request,
                                ListProbeResultsDone done) {
  if (absl::Status allowed = Require(caller, Role::kViewer); !allowed.ok()) return done(allowed);
  FindAudit(request.audit_id(), [request, done = std::move(done)](const Found& audit) {
    if (!audit.ok()) return done(audit.status());
    if ((*audit)->lost()) {
      return done(NotFound("audit {} is {}", request.audit_id(), AuditRun::kLost));
    }
    done(ProbeResultsOf(**audit, request));
  });
}

void FleetApi::ListEvents(const Caller& caller, const v1::ListEventsRequest& request,
                          ListEventsDone done) {
  if (absl::Status allowed = Require(caller, Role::kViewer); !allowed.ok()) return done(allowed);
  absl::StatusOr<EventQuery> query = QueryOf(request, tools_.clock->Wall());
  if (!query.ok()) return done(query.status());
  if (absl::Status begun = BeginLookup(); !begun.ok()) return done(begun);
  auto page = std::make_shared<absl::StatusOr<EventPage>>(EventPage());
  tools_.store_worker->Run(
      [store = tools_.store, query = *std::move(query), page] { *page = store->Events(query); },
      [this, page, done = std::move(done)] {
        --lookups_;
        if (!page->ok()) return done(page->status());
        v1::ListEventsResponse response;
        for (v1::Event& event : (*page)->events) *response.add_events() = std::move(event);
        response.set_last_number((*page)->last);
        if ((*page)->next_after != 0) {
          response.set_next_page_token(std::to_string((*page)->next_after));
        }
        done(std::move(response));
      });
}

}  // namespace roceready
