// SPDX-License-Identifier: Apache-2.0
// A thin, blocking client of FleetService for the command line. Errors are absl::Status with the
// controller's address in the text; no gRPC type leaves this file.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roceready/v1/config.pb.h"
#include "roceready/v1/event.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

class FleetClient {
 public:
  // `config` names the controller and the TLS files. Nothing is sent yet; unreadable files are
  // kFailedPrecondition.
  static absl::StatusOr<std::unique_ptr<FleetClient>> Create(const v1::ClientConfig& config);
  ~FleetClient();

  // All pages.
  absl::StatusOr<std::vector<v1::Host>> ListHosts(const std::string& hosts);
  absl::StatusOr<v1::GetHostFactsResponse> GetHostFacts(const v1::GetHostFactsRequest& request);
  absl::StatusOr<v1::Audit> CreateAudit(const v1::CreateAuditRequest& request);
  absl::StatusOr<v1::Audit> GetAudit(const std::string& audit_id);
  absl::StatusOr<v1::Audit> CancelAudit(const std::string& audit_id, const std::string& reason);
  absl::StatusOr<std::vector<v1::Finding>> ListFindings(const std::string& audit_id);
  // Those after the first `skip`, page by page: of a large audit they are more than fits in memory.
  absl::Status ReadProbeResults(const std::string& audit_id, uint64_t skip,
                                const std::function<void(const v1::ProbeResult&)>& take);
  absl::StatusOr<v1::StopProbesResponse> StopProbes(const v1::StopProbesRequest& request);
  absl::StatusOr<v1::GetVerdictResponse> GetVerdict(const v1::GetVerdictRequest& request,
                                                    std::chrono::milliseconds timeout);
  absl::StatusOr<v1::WhoIsResponse> WhoIs(const std::string& what);
  // One page.
  absl::StatusOr<v1::ListEventsResponse> ListEvents(const v1::ListEventsRequest& request);
  absl::StatusOr<std::vector<v1::CheckInfo>> ListChecks();
  absl::StatusOr<v1::CheckInfo> GetCheck(const std::string& check_id);
  absl::StatusOr<v1::ImportSwitchesResponse> ImportSwitches(
      const v1::ImportSwitchesRequest& request);
  absl::StatusOr<std::vector<v1::Switch>> ListSwitches();
  absl::Status RemoveSwitch(const std::string& name);
  absl::StatusOr<v1::SetMaintenanceResponse> SetMaintenance(
      const v1::SetMaintenanceRequest& request);
  absl::StatusOr<v1::EndMaintenanceResponse> EndMaintenance(const std::string& hosts);
  absl::StatusOr<std::vector<v1::MaintenanceMark>> ListMaintenance();

  // Events after `after_sequence` until the audit ends, `on_event` returns false, or the stream
  // breaks (kUnavailable: call again with the last sequence seen). `interrupted` is polled ten
  // times a second.
  absl::Status WatchAudit(const std::string& audit_id, uint64_t after_sequence,
                          const std::function<bool(const v1::WatchAuditResponse&)>& on_event,
                          const std::function<bool()>& interrupted);

 private:
  struct Impl;
  explicit FleetClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace roceready::cli
