// SPDX-License-Identifier: Apache-2.0
#include "controller/api/grpc/fleet_service.h"

#include <memory>
#include <utility>

#include "controller/api/grpc/watch_reactor.h"
#include "controller/api/rest/rpc_caller.h"
#include "proto/contract/errors.h"
#include "proto/process/api_answer.h"
#include "proto/process/grpc_credentials.h"

namespace roceready {
namespace {

Caller CallerOfIdentity(const PeerIdentity& identity) {
  Caller caller;
  caller.name = identity.person.empty()
                    ? identity.Describe()
                    : fmt::format("{} ({})", identity.person, identity.Describe());
  caller.role = identity.role;
  return caller;
}

// A unary call that waits for the loop. Dropped by a loop that stops, it says so.
class PendingAnswer {
 public:
  explicit PendingAnswer(grpc::ServerUnaryReactor* reactor) : reactor_(reactor) {}
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;
  ~PendingAnswer() {
    if (reactor_ != nullptr) {
      reactor_->Finish({grpc::StatusCode::UNAVAILABLE, "the controller is overloaded or stopping"});
    }
  }
  void Finish(const absl::Status& status) {
    std::exchange(reactor_, nullptr)->Finish(GrpcStatusOf(status));
  }

 private:
  grpc::ServerUnaryReactor* reactor_;
};

}  // namespace

grpc::Status GrpcStatusOf(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(Message(status))};
}

Caller CallerOfCertificate(const grpc::CallbackServerContext& context) {
  return CallerOfIdentity(PeerIdentityOf(*context.auth_context()));
}

Caller CallerOfForwardedPrincipal(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto principal = metadata.find(rest::kPrincipalMetadataKey);
  if (principal == metadata.end()) return {};
  return CallerOfIdentity(DecodeIdentity({principal->second.data(), principal->second.size()}));
}

Caller TrustedCaller(const grpc::CallbackServerContext&) { return {"loopback", Role::kAdmin}; }

template <typename Request, typename Response>
grpc::ServerUnaryReactor* FleetServiceImpl::Answer(
    Context* context, const Request* request, Response* response,
    absl::StatusOr<Response> (FleetApi::*method)(const Caller&, const Request&)) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  context->AddTrailingMetadata(kAnsweredKey, "1");
  auto pending = std::make_shared<PendingAnswer>(reactor);
  // Request and response live until Finish.
  const bool posted =
      loop_->Post([pending, api = api_, caller = caller_of_(*context), request, response, method] {
        absl::StatusOr<Response> answer = (api->*method)(caller, *request);
        if (answer.ok()) *response = std::move(*answer);
        pending->Finish(answer.status());
      });
  (void)posted;  // a task that was not queued is destroyed, and PendingAnswer with it
  return reactor;
}

template <typename Request, typename Response>
grpc::ServerUnaryReactor* FleetServiceImpl::AnswerLater(
    Context* context, const Request* request, Response* response,
    void (FleetApi::*method)(const Caller&, const Request&,
                             std::function<void(absl::StatusOr<Response>)>)) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  context->AddTrailingMetadata(kAnsweredKey, "1");
  auto pending = std::make_shared<PendingAnswer>(reactor);
  const bool posted =
      loop_->Post([pending, api = api_, caller = caller_of_(*context), request, response, method] {
        (api->*method)(caller, *request, [pending, response](absl::StatusOr<Response> answer) {
          if (answer.ok()) *response = std::move(*answer);
          pending->Finish(answer.status());
        });
      });
  (void)posted;  // as in Answer()
  return reactor;
}

using Unary = grpc::ServerUnaryReactor;
using Context = grpc::CallbackServerContext;

Unary* FleetServiceImpl::ListHosts(Context* context, const v1::ListHostsRequest* request,
                                   v1::ListHostsResponse* response) {
  return Answer(context, request, response, &FleetApi::ListHosts);
}
Unary* FleetServiceImpl::GetHost(Context* context, const v1::GetHostRequest* request,
                                 v1::GetHostResponse* response) {
  return Answer(context, request, response, &FleetApi::GetHost);
}
Unary* FleetServiceImpl::GetHostFacts(Context* context, const v1::GetHostFactsRequest* request,
                                      v1::GetHostFactsResponse* response) {
  return Answer(context, request, response, &FleetApi::GetHostFacts);
}
Unary* FleetServiceImpl::CreateAudit(Context* context, const v1::CreateAuditRequest* request,
                                     v1::CreateAuditResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::CreateAudit);
}
Unary* FleetServiceImpl::GetAudit(Context* context, const v1::GetAuditRequest* request,
                                  v1::GetAuditResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::GetAudit);
}
Unary* FleetServiceImpl::ListAudits(Context* context, const v1::ListAuditsRequest* request,
                                    v1::ListAuditsResponse* response) {
  return Answer(context, request, response, &FleetApi::ListAudits);
}
Unary* FleetServiceImpl::CancelAudit(Context* context, const v1::CancelAuditRequest* request,
                                     v1::CancelAuditResponse* response) {
  return Answer(context, request, response, &FleetApi::CancelAudit);
}
Unary* FleetServiceImpl::ListFindings(Context* context, const v1::ListFindingsRequest* request,
                                      v1::ListFindingsResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::ListFindings);
}
Unary* FleetServiceImpl::ListProbeResults(Context* context,
                                          const v1::ListProbeResultsRequest* request,
                                          v1::ListProbeResultsResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::ListProbeResults);
}
Unary* FleetServiceImpl::StopProbes(Context* context, const v1::StopProbesRequest* request,
                                    v1::StopProbesResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::StopProbes);
}
Unary* FleetServiceImpl::GetVerdict(Context* context, const v1::GetVerdictRequest* request,
                                    v1::GetVerdictResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::GetVerdict);
}
Unary* FleetServiceImpl::WhoIs(Context* context, const v1::WhoIsRequest* request,
                               v1::WhoIsResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::WhoIs);
}
Unary* FleetServiceImpl::ListEvents(Context* context, const v1::ListEventsRequest* request,
                                    v1::ListEventsResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::ListEvents);
}
Unary* FleetServiceImpl::ListChecks(Context* context, const v1::ListChecksRequest* request,
                                    v1::ListChecksResponse* response) {
  return Answer(context, request, response, &FleetApi::ListChecks);
}
Unary* FleetServiceImpl::GetCheck(Context* context, const v1::GetCheckRequest* request,
                                  v1::GetCheckResponse* response) {
  return Answer(context, request, response, &FleetApi::GetCheck);
}
Unary* FleetServiceImpl::ImportSwitches(Context* context, const v1::ImportSwitchesRequest* request,
                                        v1::ImportSwitchesResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::ImportSwitches);
}
Unary* FleetServiceImpl::ListSwitches(Context* context, const v1::ListSwitchesRequest* request,
                                      v1::ListSwitchesResponse* response) {
  return Answer(context, request, response, &FleetApi::ListSwitches);
}
Unary* FleetServiceImpl::RemoveSwitch(Context* context, const v1::RemoveSwitchRequest* request,
                                      v1::RemoveSwitchResponse* response) {
  return Answer(context, request, response, &FleetApi::RemoveSwitch);
}
Unary* FleetServiceImpl::SetMaintenance(Context* context, const v1::SetMaintenanceRequest* request,
                                        v1::SetMaintenanceResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::SetMaintenance);
}
Unary* FleetServiceImpl::EndMaintenance(Context* context, const v1::EndMaintenanceRequest* request,
                                        v1::EndMaintenanceResponse* response) {
  return AnswerLater(context, request, response, &FleetApi::EndMaintenance);
}
Unary* FleetServiceImpl::ListMaintenance(Context* context,
                                         const v1::ListMaintenanceRequest* request,
                                         v1::ListMaintenanceResponse* response) {
  return Answer(context, request, response, &FleetApi::ListMaintenance);
}

grpc::ServerWriteReactor<v1::WatchAuditResponse>* FleetServiceImpl::WatchAudit(
    Context* context, const v1::WatchAuditRequest* request) {
  return StartWatch(loop_, api_, caller_of_(*context), *request);
}

}  // namespace roceready
