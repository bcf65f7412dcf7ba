// SPDX-License-Identifier: Apache-2.0
// The wiring of the service, and who tells whom:
//
//   LinkServer (gRPC threads)   -> loop -> Fleet          agents' messages
//   ApiServer (gRPC threads)    -> loop -> FleetApi       calls; REST comes through its
//   HttpServer (own thread)     -> ApiServer               in-process instance
//   FleetApi -> AuditBook -> AuditRun -> Fleet, Prober    fresh facts, probes
//   AuditRun, FleetApi -> WorkThread -> loop              judging
//   AuditBook -> AuditKeeper -> WorkThread -> Store       audits, kept over a restart
//   FleetApi -> MaintenanceKeeper -> WorkThread -> Store  hosts that are set aside
//   Fleet -> FactsKeeper, FleetApi -> SwitchKeeper -> the same    facts and switches as well
//   FleetApi -> VerdictBook -> WorkThread -> loop         judging of what is known
//   HttpServer -> Pages         -> loop                   what whoever watches asks for
//   signals                     -> loop                   stop, reload the policies
#include "controller/run_command.h"

#include <grpcpp/security/server_credentials.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "controller/api/fleet_api.h"
#include "controller/api/grpc/api_server.h"
#include "controller/api/openapi/fleet_document.h"
#include "controller/api/rest/fixed_document.h"
#include "controller/api/rest/http_server.h"
#include "controller/api/rest/rpc_caller.h"
#include "controller/api/rest/transcoder.h"
#include "controller/audit/audit_book.h"
#include "controller/audit/work_thread.h"
#include "controller/fleet/fleet.h"
#include "controller/fleet/link_server.h"
#include "controller/fleet/state_directory.h"
#include "controller/policies.h"
#include "controller/probing/prober.h"
#include "controller/settings.h"
#include "controller/status/pages.h"
#include "controller/store/audit_keeper.h"
#include "controller/store/facts_keeper.h"
#include "controller/store/maintenance_keeper.h"
#include "controller/store/sqlite_store.h"
#include "controller/store/switch_keeper.h"
#include "controller/verdict/verdict_book.h"
#include "proto/contract/errors.h"
#include "proto/process/build_info.h"
#include "proto/process/event_loop.h"
#include "proto/process/exit_status.h"
#include "proto/process/grpc_credentials.h"
#include "proto/process/logging.h"
#include "proto/process/service_notify.h"
#include "proto/process/signals.h"

namespace roceready::controller {
namespace {

constexpr Duration kStatusLineInterval = std::chrono::seconds(30);
constexpr Duration kMemoryInterval = std::chrono::seconds(10);
// Freed memory that waits for its next use.
constexpr std::size_t kFreeBytesKept = 16 << 20;
// Each stream has at most one task in the queue, and each API call.
constexpr std::size_t kLoopCapacity = 65'536;
// For what the store has not written yet when the controller stops. (systemd waits 15 s in all.)
constexpr Duration kStorePatience = std::chrono::seconds(5);

std::string OwnHostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "controller";
}

LinkOptions LinkOptionsOf(const Settings& settings, std::uint64_t epoch) {
  LinkOptions options;
  options.controller_id = OwnHostName();
  options.software_version = SoftwareVersion();
  options.epoch = epoch;
  options.ping_interval = settings.ping_interval;
  options.lease = settings.lease;
  options.trust_hello = settings.plain_text;
  return options;
}

std::shared_ptr<grpc::ServerCredentials> Credentials(const Settings& settings) {
  return settings.plain_text ? grpc::InsecureServerCredentials()
                             : ServerCredentialsFromFiles(settings.tls);
}

class Service {
 public:
  Service(Settings settings, StateDirectory state, std::uint64_t epoch)
      : settings_(std::move(settings)), state_(std::move(state)), epoch_(epoch) {}
  ~Service();

  absl::Status Run();

 private:
  absl::Status OpenStore();
  absl::Status TakeUpWhatIsKept();
  absl::Status StartAudits();
  absl::Status StartServers();
  absl::Status StartRest();
  void MakePages();
  status::Standing StandingNow() const;
  absl::Status ReadPolicies();
  void FeedWatchdog(Duration interval);
  void RefreshStatusLine();
  void GiveMemoryBack();
  void OnSignal(int signal);
  void Reload();
  void Stop(int signal);

  const Settings settings_;
  const StateDirectory state_;
  const std::uint64_t epoch_;
  SystemClock clock_;
  EventLoop loop_{&clock_, kLoopCapacity};
  // Before every other thread: they inherit which signals are blocked.
  std::unique_ptr<SignalWaiter> signals_;

  PolicySet policies_;
  PolicyLoads policy_loads_;
  Fleet fleet_{&loop_, LinkOptionsOf(settings_, epoch_)};
  Prober prober_{&loop_, &fleet_};
  SwitchBook switches_;
  std::unique_ptr<WorkThread> worker_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<WorkThread> store_worker_;
  std::unique_ptr<FactsKeeper> facts_keeper_;
  std::unique_ptr<SwitchKeeper> switch_keeper_;
  std::unique_ptr<AuditKeeper> keeper_;
  std::unique_ptr<MaintenanceKeeper> maintenance_keeper_;
  std::unique_ptr<AuditBook> audits_;
  // A verdict does not wait for the judging of an audit, nor that of a job's hosts for a fleet's.
  std::unique_ptr<WorkThread> verdict_worker_;
  std::unique_ptr<WorkThread> large_verdict_worker_;
  std::unique_ptr<WorkThread> finder_;
  std::unique_ptr<VerdictBook> verdicts_;
  std::unique_ptr<FleetApi> api_;
  status::LoopWatch loop_watch_{&loop_};
  std::unique_ptr<WorkThread> page_writer_;
  std::unique_ptr<status::Pages> pages_;
  std::unique_ptr<LinkServer> link_server_;
  std::unique_ptr<ApiServer> api_server_;
  std::unique_ptr<rest::FixedDocument> openapi_;
  std::unique_ptr<rest::Transcoder> transcoder_;
  std::unique_ptr<rest::HttpServer> rest_server_;
  bool stopping_ = false;
  // Stops the servers while the loop still answers them.
  std::thread stopper_;
};

absl::Status Service::Run() {
  ASSIGN_OR_RETURN(signals_, SignalWaiter::Start([this](int signal) {
                     loop_.PostControl([this, signal] { OnSignal(signal); });
                   }));
  RETURN_IF_ERROR(ReadPolicies());
  RETURN_IF_ERROR(OpenStore());
  RETURN_IF_ERROR(TakeUpWhatIsKept());
  RETURN_IF_ERROR(StartAudits());
  verdict_worker_ = std::make_unique<WorkThread>(&loop_);
  large_verdict_worker_ = std::make_unique<WorkThread>(&loop_);
  finder_ = std::make_unique<WorkThread>(&loop_);
  verdicts_ = std::make_unique<VerdictBook>(
      VerdictBook::Tools{.loop = &loop_,
                         .fleet = &fleet_,
                         .worker = verdict_worker_.get(),
                         .worker_of_large_sets = large_verdict_worker_.get(),
                         .audits = audits_.get(),
                         .switches = &switches_});
  api_ = std::make_unique<FleetApi>(FleetApi::Tools{.fleet = &fleet_,
                                                    .audits = audits_.get(),
                                                    .verdicts = verdicts_.get(),
                                                    .policies = &policies_,
                                                    .switches = &switches_,
                                                    .maintenance = maintenance_keeper_.get(),
                                                    .switch_archive = switch_keeper_.get(),
                                                    .worker = worker_.get(),
                                                    .finder = finder_.get(),
                                                    .store = store_.get(),
                                                    .store_worker = store_worker_.get(),
                                                    .clock = &clock_},
                                    FleetApi::Options{.default_policy = settings_.default_policy});
  MakePages();
  if (absl::Status started = StartServers(); !started.ok()) {
    // A call that has come in already is answered by its task being dropped.
    loop_.Stop();
    return started;
  }

  LogInfo("controller started", {{"version", SoftwareVersion()},
                                 {"epoch", epoch_},
                                 {"agents", settings_.agent_listen},
                                 {"api", settings_.api_listen},
                                 {"rest", settings_.rest_listen},
                                 {"default_policy", settings_.default_policy}});
  service::Ready();
  if (const auto interval = service::WatchdogInterval()) FeedWatchdog(*interval);
  RefreshStatusLine();
  GiveMemoryBack();
  facts_keeper_->Begin();
  loop_.Run();
  return absl::OkStatus();
}

absl::Status Service::OpenStore() {
  ASSIGN_OR_RETURN(
      store_, OpenSqliteStore(std::filesystem::path(settings_.state_directory) / kStoreFileName));
  store_worker_ = std::make_unique<WorkThread>(&loop_);
  return absl::OkStatus();
}

absl::Status Service::TakeUpWhatIsKept() {
  const MomentClock moments(&clock_, ThisBoot());
  facts_keeper_ = std::make_unique<FactsKeeper>(FactsKeeper::Tools{.loop = &loop_,
                                                                   .worker = store_worker_.get(),
                                                                   .store = store_.get(),
                                                                   .fleet = &fleet_,
                                                                   .moments = moments},
                                                settings_.events_kept);
  switch_keeper_ = std::make_unique<SwitchKeeper>(SwitchKeeper::Tools{.loop = &loop_,
                                                                      .worker = store_worker_.get(),
                                                                      .store = store_.get(),
                                                                      .switches = &switches_,
                                                                      .moments = moments});
  RETURN_IF_ERROR(facts_keeper_->TakeUp());
  return switch_keeper_->TakeUp();
}

absl::Status Service::StartAudits() {
  AuditBook::Options options;
  options.epoch = epoch_;
  ASSIGN_OR_RETURN(std::vector<KeptAudit> kept, store_->NewestAudits(options.kept));
  // Names of audits would come back.
  for (const KeptAudit& audit : kept) {
    if (audit.id.epoch < epoch_) continue;
    return FailedPrecondition(
        "state directory \"{}\": its history has an audit of epoch {}, and this start is epoch {}: "
        "the file `epoch` is an older one; write {} into it",
        settings_.state_directory, audit.id.epoch, epoch_, audit.id.epoch);
  }
  worker_ = std::make_unique<WorkThread>(&loop_);
  keeper_ = std::make_unique<AuditKeeper>(
      AuditKeeper::Tools{.loop = &loop_, .worker = store_worker_.get(), .store = store_.get()},
      settings_.audits_kept);
  audits_ = std::make_unique<AuditBook>(AuditTools{.loop = &loop_,
                                                   .fleet = &fleet_,
                                                   .worker = worker_.get(),
                                                   .prober = &prober_,
                                                   .switches = &switches_},
                                        keeper_.get(), options);
  LogInfo("audits restored", {{"audits", kept.size()}});
  audits_->Restore(std::move(kept));
  ASSIGN_OR_RETURN(const std::vector<v1::MaintenanceMark> marks, store_->Maintenance());
  fleet_.maintenance().Put(marks, clock_.Wall());
  maintenance_keeper_ = std::make_unique<MaintenanceKeeper>(store_worker_.get(), store_.get());
  return absl::OkStatus();
}

absl::Status Service::StartServers() {
  ASSIGN_OR_RETURN(link_server_, LinkServer::Start({.listen = settings_.agent_listen,
                                                    .credentials = Credentials(settings_)},
                                                   &loop_, &fleet_));
  ASSIGN_OR_RETURN(api_server_, ApiServer::Start({.listen = settings_.api_listen,
                                                  .credentials = Credentials(settings_),
                                                  .trust_everybody = settings_.plain_text},
                                                 &loop_, api_.get()));
  return StartRest();
}

absl::Status Service::StartRest() {
  ASSIGN_OR_RETURN(std::string document, openapi::FleetDocument(SoftwareVersion()));
  openapi_ = std::make_unique<rest::FixedDocument>(openapi::kDocumentPath, std::move(document));
  std::vector<std::string> others = status::Pages::Paths();
  others.push_back(openapi_->path());
  ASSIGN_OR_RETURN(
      transcoder_,
      rest::Transcoder::Create(
          v1::ListHostsRequest::descriptor()->file()->FindServiceByName("FleetService"),
          rest::MakeRpcCaller(api_server_->InProcessChannel()), std::move(others)));
  rest::HttpServerOptions options;
  options.listen = settings_.rest_listen;
  options.tls = settings_.tls;
  options.insecure_loopback = settings_.plain_text;
  ASSIGN_OR_RETURN(rest_server_,
                   rest::HttpServer::Start(
                       options, [this](const rest::HttpRequest& request,
                                       const std::shared_ptr<rest::HttpResponder>& responder) {
                         if (pages_->Handle(request, responder)) return;
                         if (openapi_->Handle(request, responder)) return;
                         transcoder_->Handle(request, responder);
                       }));
  return absl::OkStatus();
}

void Service::MakePages() {
  page_writer_ = std::make_unique<WorkThread>(&loop_);
  status::Pages::Tools tools;
  tools.loop = &loop_;
  tools.worker = page_writer_.get();
  tools.standing = [this] { return StandingNow(); };
  tools.sources = {.loop = &loop_,
                   .watch = &loop_watch_,
                   .fleet = &fleet_,
                   .switches = &switches_,
                   .prober = &prober_,
                   .audits = audits_.get(),
                   .api = api_.get(),
                   .policies = &policies_,
                   .loads = &policy_loads_,
                   .version = {.epoch = epoch_, .started = clock_.Wall()}};
  tools.trust_everybody = settings_.plain_text;
  pages_ = std::make_unique<status::Pages>(std::move(tools));
}

status::Standing Service::StandingNow() const {
  // Once it stops, the server is another thread's to end.
  return {.serving = stopping_ || rest_server_ != nullptr,
          .listening = fmt::format("agents on {}, gRPC on {}, REST on {}", settings_.agent_listen,
                                   settings_.api_listen, settings_.rest_listen),
          .stopping = stopping_,
          .up = api_->Up(),
          .policies = policies_.Names().size(),
          .loads = policy_loads_,
          .now = clock_.Wall()};
}

Service::~Service() {
  if (stopper_.joinable()) stopper_.join();
  // The judges may post to the loop until their threads have ended.
  page_writer_.reset();
  finder_.reset();
  large_verdict_worker_.reset();
  verdict_worker_.reset();
  worker_.reset();
  if (store_worker_ != nullptr) {
    if (keeper_ != nullptr) keeper_->HandOverAll();
    if (switch_keeper_ != nullptr) switch_keeper_->HandOverAll();
    if (facts_keeper_ != nullptr) facts_keeper_->HandOverAll();
    if (!store_worker_->Drain(kStorePatience)) {
      LogError("the disk is too slow: the last audits or facts are not kept");
    }
    store_worker_.reset();
  }
  signals_.reset();
}

void Service::FeedWatchdog(Duration interval) {
  service::FeedWatchdog();
  loop_.RunAfter(interval, [this, interval] { FeedWatchdog(interval); });
}

void Service::RefreshStatusLine() {
  std::size_t connected = 0;
  for (const auto& [host, record] : fleet_.hosts()) connected += record.connected;
  service::ShowStatus(
      fmt::format("{} of {} hosts connected, epoch {}", connected, fleet_.hosts().size(), epoch_));
  loop_.RunAfter(kStatusLineInterval, [this] { RefreshStatusLine(); });
}

// A message that is refused for its size has been held as a whole before, in thousands of pieces:
// the allocator would keep their pages for good.
void Service::GiveMemoryBack() {
  if (mallinfo2().fordblks > kFreeBytesKept) malloc_trim(0);
  loop_.RunAfter(kMemoryInterval, [this] { GiveMemoryBack(); });
}

void Service::OnSignal(int signal) {
  if (signal == SIGHUP) {
    Reload();
  } else {
    Stop(signal);
  }
}

absl::Status Service::ReadPolicies() {
  const WallTime now = clock_.Wall();
  absl::Status loaded =
      LoadPolicies(settings_.policy_directory, settings_.default_policy, now, &policies_);
  policy_loads_.Note(loaded, now);
  return loaded;
}

void Service::Reload() {
  service::Reloading();
  const absl::Status loaded = ReadPolicies();
  if (loaded.ok()) {
    LogInfo("policies read again", {{"policies", policies_.Names().size()}});
  } else {
    LogError("the policies stay as they were: the new ones are wrong",
             {{"error", Message(loaded)}});
  }
  service::Ready();
}

void Service::Stop(int signal) {
  if (std::exchange(stopping_, true)) return;
  LogInfo("stopping", {{"signal", signal}});
  service::Stopping();
  // Before the agents go: a set must not become undetermined by that.
  verdicts_->Close();
  audits_->Close();
  fleet_.EndAll(Unavailable("the controller stops"));
  stopper_ = std::thread([this] {
    rest_server_.reset();
    api_server_->Stop();
    link_server_->Stop();
    loop_.Stop();
  });
}

absl::Status StartAndRun(const std::string& config_path) {
  ASSIGN_OR_RETURN(Settings settings, ReadSettings(config_path, SystemClock().Wall()));
  RETURN_IF_ERROR(SetLogLevel(settings.log_level));
  ASSIGN_OR_RETURN(StateDirectory state, StateDirectory::Open(settings.state_directory));
  ASSIGN_OR_RETURN(const std::uint64_t epoch, state.RaiseEpoch());
  return Service(std::move(settings), std::move(state), epoch).Run();
}

}  // namespace

int Run(const std::string& config_path) {
  const absl::Status status = StartAndRun(config_path);
  if (!status.ok()) LogError("cannot start", {{"error", Message(status)}});
  return ExitStatusOfStart(status);
}

}  // namespace roceready::controller
