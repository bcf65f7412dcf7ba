// SPDX-License-Identifier: Apache-2.0
// FleetService on gRPC's callback API: who calls is read from the connection, the call is answered
// on the event loop by FleetApi, and nothing here blocks or keeps state of its own.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>

#include "controller/api/fleet_api.h"
#include "proto/process/event_loop.h"
#include "roceready/v1/fleet.grpc.pb.h"

namespace roceready {

// How an instance learns who calls. A remote peer can send any metadata, so only the instance that
// has no port (REST calls it in-process) may believe a forwarded principal.
using CallerOf = std::function<Caller(const grpc::CallbackServerContext&)>;

// From the client's certificate.
Caller CallerOfCertificate(const grpc::CallbackServerContext& context);
// From the metadata that the REST side sets; where there is none, nobody with no role.
Caller CallerOfForwardedPrincipal(const grpc::CallbackServerContext& context);
// Plain text on loopback, for tests: everybody is an admin.
Caller TrustedCaller(const grpc::CallbackServerContext& context);

class FleetServiceImpl final : public v1::FleetService::CallbackService {
 public:
  // The loop must run until the server that serves this has been shut down.
  FleetServiceImpl(EventLoop* loop, FleetApi* api, CallerOf caller_of)
      : loop_(loop), api_(api), caller_of_(std::move(caller_of)) {}

  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;

  Unary* ListHosts(Context*, const v1::ListHostsRequest*, v1::ListHostsResponse*) override;
  Unary* GetHost(Context*, const v1::GetHostRequest*, v1::GetHostResponse*) override;
  Unary* GetHostFacts(Context*, const v1::GetHostFactsRequest*, v1::GetHostFactsResponse*) override;
  Unary* CreateAudit(Context*, const v1::CreateAuditRequest*, v1::CreateAuditResponse*) override;
  Unary* GetAudit(Context*, const v1::GetAuditRequest*, v1::GetAuditResponse*) override;
  Unary* ListAudits(Context*, const v1::ListAuditsRequest*, v1::ListAuditsResponse*) override;
  Unary* CancelAudit(Context*, const v1::CancelAuditRequest*, v1::CancelAuditResponse*) override;
  grpc::ServerWriteReactor<v1::WatchAuditResponse>* WatchAudit(
      Context*, const v1::WatchAuditRequest*) override;
  Unary* ListFindings(Context*, const v1::ListFindingsRequest*, v1::ListFindingsResponse*) override;
  Unary* ListProbeResults(Context*, const v1::ListProbeResultsRequest*,
                          v1::ListProbeResultsResponse*) override;
  Unary* StopProbes(Context*, const v1::StopProbesRequest*, v1::StopProbesResponse*) override;
  Unary* GetVerdict(Context*, const v1::GetVerdictRequest*, v1::GetVerdictResponse*) override;
  Unary* WhoIs(Context*, const v1::WhoIsRequest*, v1::WhoIsResponse*) override;
  Unary* ListEvents(Context*, const v1::ListEventsRequest*, v1::ListEventsResponse*) override;
  Unary* ListChecks(Context*, const v1::ListChecksRequest*, v1::ListChecksResponse*) override;
  Unary* GetCheck(Context*, const v1::GetCheckRequest*, v1::GetCheckResponse*) override;
  Unary* ImportSwitches(Context*, const v1::ImportSwitchesRequest*,
                        v1::ImportSwitchesResponse*) override;
  Unary* ListSwitches(Context*, const v1::ListSwitchesRequest*, v1::ListSwitchesResponse*) override;
  Unary* RemoveSwitch(Context*, const v1::RemoveSwitchRequest*, v1::RemoveSwitchResponse*) override;
  Unary* SetMaintenance(Context*, const v1::SetMaintenanceRequest*,
                        v1::SetMaintenanceResponse*) override;
  Unary* EndMaintenance(Context*, const v1::EndMaintenanceRequest*,
                        v1::EndMaintenanceResponse*) override;
  Unary* ListMaintenance(Context*, const v1::ListMaintenanceRequest*,
                         v1::ListMaintenanceResponse*) override;

 private:
  template <typename Request, typename Response>
  Unary* Answer(Context* context, const Request* request, Response* response,
                absl::StatusOr<Response> (FleetApi::*method)(const Caller&, const Request&));

  // The same for a method that answers later, on the loop.
  template <typename Request, typename Response>
  Unary* AnswerLater(Context* context, const Request* request, Response* response,
                     void (FleetApi::*method)(const Caller&, const Request&,
                                              std::function<void(absl::StatusOr<Response>)>));

  EventLoop* loop_;
  FleetApi* api_;
  CallerOf caller_of_;
};

}  // namespace roceready
