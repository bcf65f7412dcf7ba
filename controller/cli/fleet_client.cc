// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/fleet_client.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "controller/cli/call_error.h"
#include "proto/contract/errors.h"
#include "proto/process/api_answer.h"
#include "proto/process/endpoint.h"
#include "proto/process/grpc_credentials.h"
#include "proto/process/tls_identity.h"
#include "roceready/v1/fleet.grpc.pb.h"

namespace roceready::cli {
namespace {

// Longest wait for an answer that the controller has at hand.
constexpr std::chrono::milliseconds kCallTimeout = std::chrono::seconds(10);
constexpr int kMaxAnswerBytes = 64 * 1024 * 1024;  // the facts of one host with raw counters fit
constexpr int kPageSize = 500;

// What is wrong with the configuration is said before anything is sent; 78 unless it is a matter of
// permission.
absl::Status CheckConfig(const v1::ClientConfig& config) {
  if (config.controller().empty()) {
    return FailedPrecondition(
        "no controller configured; set controller: HOST:7472 in ~/.config/roceready/client.yaml "
        "or /etc/roceready/client.yaml, or give --controller");
  }
  if (const absl::Status endpoint = CheckEndpoint(config.controller()); !endpoint.ok()) {
    return FailedPrecondition("controller: {}", Message(endpoint));
  }
  if (config.insecure_loopback()) {
    if (IsLoopback(config.controller())) return absl::OkStatus();
    return FailedPrecondition(
        "plain text is only for a controller on this machine, and {} is not a loopback address; "
        "give tls: files instead of insecure_loopback",
        config.controller());
  }
  if (!config.has_tls()) {
    return FailedPrecondition(
        "no TLS files configured; set tls: {{ca, certificate, key}} in client.yaml or give --ca, "
        "--cert and --key");
  }
  absl::Status files = CheckTlsFiles(config.tls(), std::chrono::system_clock::now());
  if (files.ok() || absl::IsPermissionDenied(files) || absl::IsUnauthenticated(files)) return files;
  return FailedPrecondition("{}", Message(files));
}

}  // namespace

struct FleetClient::Impl {
  std::string controller;
  std::unique_ptr<v1::FleetService::Stub> stub;

  absl::Status Convert(const grpc::Status& status) const {
    if (status.ok()) return absl::OkStatus();
    return ExplainCallError(
        MakeError(static_cast<absl::StatusCode>(status.error_code()), status.error_message()),
        controller);
  }

  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (v1::FleetService::Stub::*method)(grpc::ClientContext*,
                                                                               const Request&,
                                                                               Response*),
                                const Request& request,
                                std::chrono::milliseconds timeout = kCallTimeout) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    Response response;
    const grpc::Status status = (stub.get()->*method)(&context, request, &response);
    if (status.ok()) return response;
    if (context.GetServerTrailingMetadata().contains(kAnsweredKey)) {
      return MakeError(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
    }
    return Convert(status);
  }
};

FleetClient::FleetClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FleetClient::~FleetClient() = default;

absl::StatusOr<std::unique_ptr<FleetClient>> FleetClient::Create(const v1::ClientConfig& config) {
  RETURN_IF_ERROR(CheckConfig(config));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxAnswerBytes);
  auto impl = std::make_unique<Impl>();
  impl->controller = config.controller();
  impl->stub = v1::FleetService::NewStub(grpc::CreateCustomChannel(
      config.controller(),
      config.insecure_loopback() ? grpc::InsecureChannelCredentials()
                                 : ClientCredentialsFromFiles(config.tls()),
      arguments));
  return std::unique_ptr<FleetClient>(new FleetClient(std::move(impl)));
}

absl::StatusOr<std::vector<v1::Host>> FleetClient::ListHosts(const std::string& hosts) {
  std::vector<v1::Host> all;
  v1::ListHostsRequest request;
  request.set_hosts(hosts);
  request.set_page_size(kPageSize);
  do {
    ASSIGN_OR_RETURN(v1::ListHostsResponse page,
                     impl_->Call(&v1::FleetService::Stub::ListHosts, request));
    for (v1::Host& host : *page.mutable_hosts()) all.push_back(std::move(host));
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return all;
}

absl::StatusOr<v1::GetHostFactsResponse> FleetClient::GetHostFacts(
    const v1::GetHostFactsRequest& request) {
  return impl_->Call(&v1::FleetService::Stub::GetHostFacts, request);
}

absl::StatusOr<v1::Audit> FleetClient::CreateAudit(const v1::CreateAuditRequest& request) {
  ASSIGN_OR_RETURN(v1::CreateAuditResponse response,
                   impl_->Call(&v1::FleetService::Stub::CreateAudit, request));
  return std::move(*response.mutable_audit());
}

absl::StatusOr<v1::Audit> FleetClient::GetAudit(const std::string& audit_id) {
  v1::GetAuditRequest request;
  request.set_audit_id(audit_id);
  ASSIGN_OR_RETURN(v1::GetAuditResponse response,
                   impl_->Call(&v1::FleetService::Stub::GetAudit, request));
  return std::move(*response.mutable_audit());
}

absl::StatusOr<v1::Audit> FleetClient::CancelAudit(const std::string& audit_id,
                                                   const std::string& reason) {
  v1::CancelAuditRequest request;
  request.set_audit_id(audit_id);
  request.set_reason(reason);
  ASSIGN_OR_RETURN(v1::CancelAuditResponse response,
                   impl_->Call(&v1::FleetService::Stub::CancelAudit, request));
  return std::move(*response.mutable_audit());
}

absl::StatusOr<std::vector<v1::Finding>> FleetClient::ListFindings(const std::string& audit_id) {
  std::vector<v1::Finding> all;
  v1::ListFindingsRequest request;
  request.set_audit_id(audit_id);
  request.set_page_size(kPageSize);
  do {
    ASSIGN_OR_RETURN(v1::ListFindingsResponse page,
                     impl_->Call(&v1::FleetService::Stub::ListFindings, request));
    for (v1::Finding& finding : *page.mutable_findings()) all.push_back(std::move(finding));
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return all;
}

absl::Status FleetClient::ReadProbeResults(
    const std::string& audit_id, uint64_t skip,
    const std::function<void(const v1::ProbeResult&)>& take) {
  v1::ListProbeResultsRequest request;
  request.set_audit_id(audit_id);
  request.set_page_size(kPageSize);
  request.set_skip(skip);
  do {
    ASSIGN_OR_RETURN(const v1::ListProbeResultsResponse page,
                     impl_->Call(&v1::FleetService::Stub::ListProbeResults, request));
    for (const v1::ProbeResult& result : page.results()) take(result);
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return absl::OkStatus();
}

absl::StatusOr<v1::StopProbesResponse> FleetClient::StopProbes(
    const v1::StopProbesRequest& request) {
  return impl_->Call(&v1::FleetService::Stub::StopProbes, request);
}

absl::StatusOr<v1::GetVerdictResponse> FleetClient::GetVerdict(const v1::GetVerdictRequest& request,
                                                               std::chrono::milliseconds timeout) {
  return impl_->Call(&v1::FleetService::Stub::GetVerdict, request, timeout);
}

absl::StatusOr<v1::WhoIsResponse> FleetClient::WhoIs(const std::string& what) {
  v1::WhoIsRequest request;
  request.set_what(what);
  return impl_->Call(&v1::FleetService::Stub::WhoIs, request);
}

absl::StatusOr<v1::ListEventsResponse> FleetClient::ListEvents(
    const v1::ListEventsRequest& request) {
  return impl_->Call(&v1::FleetService::Stub::ListEvents, request);
}

absl::StatusOr<std::vector<v1::CheckInfo>> FleetClient::ListChecks() {
  ASSIGN_OR_RETURN(v1::ListChecksResponse response,
                   impl_->Call(&v1::FleetService::Stub::ListChecks, v1::ListChecksRequest()));
  return std::vector<v1::CheckInfo>(response.checks().begin(), response.checks().end());
}

absl::StatusOr<v1::CheckInfo> FleetClient::GetCheck(const std::string& check_id) {
  v1::GetCheckRequest request;
  request.set_check_id(check_id);
  ASSIGN_OR_RETURN(v1::GetCheckResponse response,
                   impl_->Call(&v1::FleetService::Stub::GetCheck, request));
  return std::move(*response.mutable_check());
}

absl::StatusOr<v1::ImportSwitchesResponse> FleetClient::ImportSwitches(
    const v1::ImportSwitchesRequest& request) {
  return impl_->Call(&v1::FleetService::Stub::ImportSwitches, request);
}

absl::StatusOr<std::vector<v1::Switch>> FleetClient::ListSwitches() {
  std::vector<v1::Switch> all;
  v1::ListSwitchesRequest request;
  request.set_page_size(kPageSize);
  do {
    ASSIGN_OR_RETURN(v1::ListSwitchesResponse page,
                     impl_->Call(&v1::FleetService::Stub::ListSwitches, request));
    for (v1::Switch& one : *page.mutable_switches()) all.push_back(std::move(one));
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return all;
}

absl::Status FleetClient::RemoveSwitch(const std::string& name) {
  v1::RemoveSwitchRequest request;
  request.set_name(name);
  return impl_->Call(&v1::FleetService::Stub::RemoveSwitch, request).status();
}

absl::StatusOr<v1::SetMaintenanceResponse> FleetClient::SetMaintenance(
    const v1::SetMaintenanceRequest& request) {
  return impl_->Call(&v1::FleetService::Stub::SetMaintenance, request);
}

absl::StatusOr<v1::EndMaintenanceResponse> FleetClient::EndMaintenance(const std::string& hosts) {
  v1::EndMaintenanceRequest request;
  request.set_hosts(hosts);
  return impl_->Call(&v1::FleetService::Stub::EndMaintenance, request);
}

absl::StatusOr<std::vector<v1::MaintenanceMark>> FleetClient::ListMaintenance() {
  std::vector<v1::MaintenanceMark> all;
  v1::ListMaintenanceRequest request;
  request.set_page_size(kPageSize);
  do {
    ASSIGN_OR_RETURN(v1::ListMaintenanceResponse page,
                     impl_->Call(&v1::FleetService::Stub::ListMaintenance, request));
    for (v1::MaintenanceMark& mark : *page.mutable_marks()) all.push_back(std::move(mark));
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return all;
}

absl::Status FleetClient::WatchAudit(
    const std::string& audit_id, uint64_t after_sequence,
    const std::function<bool(const v1::WatchAuditResponse&)>& on_event,
    const std::function<bool()>& interrupted) {
  v1::WatchAuditRequest request;
  request.set_audit_id(audit_id);
  request.set_after_sequence(after_sequence);
  grpc::ClientContext context;

  // A blocked Read cannot look at `interrupted`: a second thread does, and cancels the call.
  std::mutex mutex;
  std::condition_variable ended_changed;
  bool ended = false;
  std::atomic<bool> was_interrupted = false;
  std::thread watcher([&] {
    std::unique_lock lock(mutex);
    while (!ended_changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return ended; })) {
      if (interrupted()) {
        was_interrupted = true;
        context.TryCancel();
        return;
      }
    }
  });

  auto reader = impl_->stub->WatchAudit(&context, request);
  v1::WatchAuditResponse event;
  bool wanted = true;
  while (wanted && reader->Read(&event)) wanted = on_event(event);
  if (!wanted) context.TryCancel();
  const grpc::Status status = reader->Finish();
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  ended_changed.notify_one();
  watcher.join();
  if (!wanted || was_interrupted) return absl::OkStatus();
  return impl_->Convert(status);
}

}  // namespace roceready::cli
