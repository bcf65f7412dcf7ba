// SPDX-License-Identifier: Apache-2.0
// The controller's API as plain functions of request messages: what may be asked, by whom, and what
// the answer is. Knows no transport; runs on the event loop. gRPC and REST both end here.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checks/policy/policy_set.h"
#include "checks/switch/policed_switches.h"
#include "controller/audit/audit_book.h"
#include "controller/audit/work_thread.h"
#include "controller/fleet/fleet.h"
#include "controller/fleet/maintenance_archive.h"
#include "controller/fleet/switch_archive.h"
#include "controller/fleet/switch_book.h"
#include "controller/store/store.h"
#include "controller/verdict/verdict_book.h"
#include "controller/whois/place_book.h"
#include "proto/process/duration_histogram.h"
#include "proto/process/tls_identity.h"
#include "roceready/v1/event.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

struct Caller {
  // Shown as Audit.requested_by.
  std::string name;
  // None: may ask nothing.
  std::optional<Role> role;
};

// Questions for verdicts since the start, for who watches.
struct VerdictCounters {
  std::map<v1::Readiness, std::uint64_t> answered;
  std::map<absl::StatusCode, std::uint64_t> refused;
  // Of those that were answered, with the wait for fresh facts where one was asked for. The gate of
  // a scheduler wants an answer within 2 s.
  DurationHistogram took{{std::chrono::milliseconds(1), std::chrono::milliseconds(5),
                          std::chrono::milliseconds(20), std::chrono::milliseconds(100),
                          std::chrono::milliseconds(500), std::chrono::seconds(1),
                          std::chrono::seconds(2), std::chrono::seconds(5),
                          std::chrono::seconds(15), std::chrono::seconds(60)}};
};

class FleetApi {
 public:
  struct Options {
    // Used where a request names none.
    std::string default_policy;
  };

  // Imports whose switches are being judged, or wait for it; a further one is refused.
  static constexpr std::size_t kMaxImportsAtOnce = 16;

  // Questions that wait for the store; a further one is refused.
  static constexpr std::size_t kMaxLookupsAtOnce = 64;

  // What the methods work with. Not owned; all outlive the API.
  struct Tools {
    Fleet* fleet = nullptr;
    AuditBook* audits = nullptr;
    VerdictBook* verdicts = nullptr;
    const PolicySet* policies = nullptr;
    SwitchBook* switches = nullptr;
    MaintenanceArchive* maintenance = nullptr;
    SwitchArchive* switch_archive = nullptr;
    Worker* worker = nullptr;
    // For what is to be found soon, whatever is being judged.
    Worker* finder = nullptr;
    // For what is not at hand. The store is the worker's.
    Store* store = nullptr;
    Worker* store_worker = nullptr;
    const Clock* clock = nullptr;
  };

  FleetApi(Tools tools, Options options)
      : tools_(tools), options_(std::move(options)), started_(tools.clock->Now()) {}

  // --- viewers ---
  absl::StatusOr<v1::ListHostsResponse> ListHosts(const Caller&, const v1::ListHostsRequest&);
  absl::StatusOr<v1::GetHostResponse> GetHost(const Caller&, const v1::GetHostRequest&);
  absl::StatusOr<v1::GetHostFactsResponse> GetHostFacts(const Caller&,
                                                        const v1::GetHostFactsRequest&);
  absl::StatusOr<v1::ListAuditsResponse> ListAudits(const Caller&, const v1::ListAuditsRequest&);
  absl::StatusOr<v1::ListChecksResponse> ListChecks(const Caller&, const v1::ListChecksRequest&);
  absl::StatusOr<v1::GetCheckResponse> GetCheck(const Caller&, const v1::GetCheckRequest&);
  absl::StatusOr<v1::ListSwitchesResponse> ListSwitches(const Caller&,
                                                        const v1::ListSwitchesRequest&);

  absl::StatusOr<v1::ListMaintenanceResponse> ListMaintenance(const Caller&,
                                                              const v1::ListMaintenanceRequest&);
  // Come at once where the audit is at hand, else later, on the loop, from the store.
  // kResourceExhausted: too much is looked up already.
  using GetAuditDone = std::function<void(absl::StatusOr<v1::GetAuditResponse>)>;
  void GetAudit(const Caller&, const v1::GetAuditRequest&, GetAuditDone done);
  using ListFindingsDone = std::function<void(absl::StatusOr<v1::ListFindingsResponse>)>;
  void ListFindings(const Caller&, const v1::ListFindingsRequest&, ListFindingsDone done);
  using ListProbeResultsDone = std::function<void(absl::StatusOr<v1::ListProbeResultsResponse>)>;
  void ListProbeResults(const Caller&, const v1::ListProbeResultsRequest&,
                        ListProbeResultsDone done);
  using ListEventsDone = std::function<void(absl::StatusOr<v1::ListEventsResponse>)>;
  void ListEvents(const Caller&, const v1::ListEventsRequest&, ListEventsDone done);

  // Comes later, on the loop. A refusal comes before this returns.
  using VerdictDone = std::function<void(absl::StatusOr<v1::GetVerdictResponse>)>;
  void GetVerdict(const Caller&, const v1::GetVerdictRequest&, VerdictDone done);

  const VerdictCounters& verdict_counters() const { return verdict_counters_; }
  // Since this controller started.
  Duration Up() const { return tools_.clock->Now() - started_; }

  // As GetVerdict.
  using WhoIsDone = std::function<void(absl::StatusOr<v1::WhoIsResponse>)>;
  void WhoIs(const Caller&, const v1::WhoIsRequest&, WhoIsDone done);

  // --- operators ---
  // Comes once the audit will outlive this controller, on the loop. A refusal of what is asked
  // comes before this returns.
  using AuditDone = std::function<void(absl::StatusOr<v1::CreateAuditResponse>)>;
  void CreateAudit(const Caller&, const v1::CreateAuditRequest&, AuditDone done);
  absl::StatusOr<v1::CancelAuditResponse> CancelAudit(const Caller&, const v1::CancelAuditRequest&);
  // Comes when no stopped pair runs any more, on the loop. A refusal comes before this returns.
  using StopDone = std::function<void(absl::StatusOr<v1::StopProbesResponse>)>;
  void StopProbes(const Caller&, const v1::StopProbesRequest&, StopDone done);
  // The switches count at once, where that can be, and are on disk when the answer comes, on the
  // loop: unless the disk takes nothing, which is logged. A refusal comes before this returns.
  using ImportDone = std::function<void(absl::StatusOr<v1::ImportSwitchesResponse>)>;
  void ImportSwitches(const Caller&, const v1::ImportSwitchesRequest&, ImportDone done);
  absl::StatusOr<v1::RemoveSwitchResponse> RemoveSwitch(const Caller&,
                                                        const v1::RemoveSwitchRequest&);
  // Come once the change outlives this controller, on the loop, or as a refusal.
  using SetMaintenanceDone = std::function<void(absl::StatusOr<v1::SetMaintenanceResponse>)>;
  void SetMaintenance(const Caller&, const v1::SetMaintenanceRequest&, SetMaintenanceDone done);
  using EndMaintenanceDone = std::function<void(absl::StatusOr<v1::EndMaintenanceResponse>)>;
  void EndMaintenance(const Caller&, const v1::EndMaintenanceRequest&, EndMaintenanceDone done);

  // --- watching (viewers) ---
  // At most `limit` events after `after`; see AuditLog::Read.
  absl::StatusOr<AuditLog::Batch> ReadEvents(const Caller&, const std::string& audit_id,
                                             std::uint64_t after, std::size_t limit);
  // After ReadEvents of the same audit gave nothing: calls once when there is more. See
  // AuditLog::WhenMore.
  AuditLog::WaiterId WhenMoreEvents(const std::string& audit_id, std::uint64_t after,
                                    std::function<void()> wake);
  void ForgetWaiter(const std::string& audit_id, AuditLog::WaiterId waiter);

 private:
  absl::StatusOr<std::vector<std::string>> HostsOf(const std::string& list) const;
  // The default where none is named.
  absl::StatusOr<std::shared_ptr<const LoadedPolicy>> FindPolicy(const std::string& asked) const;
  // A check that one of the policies brings.
  absl::StatusOr<v1::CheckInfo> SiteCheck(const std::string& check_id) const;
  // A switch import that was accepted.
  struct KeptSwitches {
    std::shared_ptr<const LoadedPolicy> policy;
    std::vector<checks::KnownSwitch> switches;
  };
  absl::StatusOr<KeptSwitches> KeepSwitches(const Caller&, const v1::ImportSwitchesRequest&);
  void JudgeSwitches(KeptSwitches kept, ImportDone done);
  using Found = absl::StatusOr<std::shared_ptr<const AuditRun>>;
  using AuditFound = std::function<void(const Found&)>;
  void FindAudit(const std::string& audit_id, AuditFound found);
  absl::Status BeginLookup();
  struct WantedAudit {
    std::vector<std::string> hosts;
    std::shared_ptr<const LoadedPolicy> policy;
  };
  absl::StatusOr<WantedAudit> CheckAudit(const Caller&, const v1::CreateAuditRequest&) const;

  absl::Status CheckStartIsOver(const std::string& asked, const std::vector<std::string>& hosts,
                                Duration max_age) const;
  absl::StatusOr<VerdictBook::Question> QuestionOf(const Caller&,
                                                   const v1::GetVerdictRequest&) const;

  const Tools tools_;
  const Options options_;
  const MonotonicTime started_;
  VerdictCounters verdict_counters_;
  // Of the finder's thread.
  const std::shared_ptr<whois::PlaceBook> places_ = std::make_shared<whois::PlaceBook>();
  std::size_t imports_being_judged_ = 0;
  std::size_t lookups_ = 0;
};

}  // namespace roceready
