// SPDX-License-Identifier: Apache-2.0
// The wiring of the service, and who tells whom:
//
//   signals, kernel events          -> loop -> AgentLink
//   AgentLink  <-> GrpcDialer       the stream (gRPC threads post to the loop)
//   AgentLink   -> Collector        collect; lanes' threads post their answers to the loop
//   AgentLink  <-> Executor         orders and answers (session threads post to the loop)
//   UverbsWatch  -> Executor        a device goes: close it (from the watch's thread)
//   FactEvents, Listener -> loop    collect again what they say has changed
//   StatusSocket -> loop            how it stands
#include "agent/run_command.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <random>

#include "agent/facts/collector.h"
#include "agent/facts/kernel.h"
#include "agent/facts/sources.h"
#include "agent/facts_command.h"
#include "agent/link/agent_link.h"
#include "agent/link/epoch_file.h"
#include "agent/link/grpc_transport.h"
#include "agent/link/status_socket.h"
#include "agent/link_adapters.h"
#include "agent/lldp/listener.h"
#include "agent/privileged/client.h"
#include "agent/probe/executor.h"
#include "agent/probe/host_environment.h"
#include "agent/settings.h"
#include "agent/watch/fact_events.h"
#include "agent/watch/uverbs_watch.h"
#include "proto/contract/errors.h"
#include "proto/process/build_info.h"
#include "proto/process/event_loop.h"
#include "proto/process/exit_status.h"
#include "proto/process/logging.h"
#include "proto/process/service_notify.h"
#include "proto/process/signals.h"

namespace roceready::agent {
namespace {

// The status line of `systemctl status` tells an age.
constexpr Duration kStatusLineInterval = std::chrono::seconds(30);

// A pair's probes follow each other within this.
constexpr Duration kQuietAfterProbes = std::chrono::seconds(1);

// Held for as long as the agent runs: two would fight over the host's name and epoch.
class StateLock {
 public:
  static absl::StatusOr<std::unique_ptr<StateLock>> Take(const std::string& directory) {
    std::error_code ignored;
    std::filesystem::create_directories(directory, ignored);
    const std::string path = directory + "/agent.lock";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) {
      return ErrnoError(errno, fmt::format("state directory: cannot open \"{}\"", path));
    }
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return std::unique_ptr<StateLock>(new StateLock(file));
    const int error = errno;
    close(file);
    if (error != EWOULDBLOCK) return ErrnoError(error, fmt::format("cannot lock \"{}\"", path));
    return Unavailable("another agent runs on this host: it holds \"{}\"", path);
  }
  ~StateLock() { close(file_); }
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;

 private:
  explicit StateLock(int file) : file_(file) {}
  const int file_;
};

std::string RandomInstance(std::random_device& device) {
  std::string instance;
  for (int i = 0; i < 16; ++i) instance += static_cast<char>(device() & 0xff);
  return instance;
}

std::unique_ptr<link::GrpcDialer> MakeDialer(EventLoop* loop, const Settings& settings) {
  return settings.plain_text ? std::make_unique<link::GrpcDialer>(loop)
                             : std::make_unique<link::GrpcDialer>(loop, settings.tls);
}

// Everything the service is made of. Destroyed after the loop has stopped, last member first.
class Service {
 public:
  // `recorded`: the host to play; null for the one that we run on.
  Service(Settings settings, std::shared_ptr<const facts::Sources> recorded,
          std::unique_ptr<StateLock> lock, link::EpochFile epochs)
      : settings_(std::move(settings)),
        played_(recorded != nullptr),
        lock_(std::move(lock)),
        epochs_(std::move(epochs)),
        sources_(played_ ? std::move(recorded) : facts::LiveSources(listener_)) {}

  absl::Status Run();

 private:
  absl::Status StartWatches();
  v1::HostIdentity Identity() const;
  void TellSystemd();
  void FeedWatchdog(Duration interval);
  void RefreshStatusLine();
  void OnProbeEnd();
  void OnSignal(int signal);

  const Settings settings_;
  // The host is a recorded one.
  const bool played_;
  const std::unique_ptr<StateLock> lock_;
  link::EpochFile epochs_;
  std::random_device random_;
  SystemClock clock_;
  EventLoop loop_{&clock_};
  // Before every other thread: they inherit which signals are blocked.
  std::unique_ptr<SignalWaiter> signals_;

  const std::shared_ptr<lldp::Listener> listener_ = std::make_shared<lldp::Listener>(
      [](uint32_t net_device) { return privileged::OpenLldpSocket(net_device); }, &clock_,
      [this] { link_->FactsMayHaveChanged(watch::Changes({watch::Topic::kLldp, 0, ""})); });
  const std::shared_ptr<const facts::Sources> sources_;
  facts::Collector collector_{
      &loop_, sources_, {.host = settings_.host, .deadline = settings_.source_deadline}};
  CollectorSource facts_{&collector_};
  std::unique_ptr<probe::Executor> executor_;
  std::unique_ptr<ExecutorRunner> probes_;
  std::unique_ptr<link::GrpcDialer> dialer_;
  std::unique_ptr<link::AgentLink> link_;
  std::unique_ptr<watch::UverbsWatch> uverbs_;
  std::unique_ptr<watch::FactEvents> events_;
  std::unique_ptr<link::StatusSocket> status_;
  bool ready_ = false;
};

absl::Status Service::Run() {
  ASSIGN_OR_RETURN(signals_, SignalWaiter::Start([this](int signal) {
                     loop_.PostControl([this, signal] { OnSignal(signal); });
                   }));
  executor_ = std::make_unique<probe::Executor>(settings_.probes,
                                                probe::MakeHostEnvironment(settings_.probes),
                                                [this](v1::ConnectRequest answer) {
                                                  if (answer.has_end_report())
                                                    loop_.PostControl([this] { OnProbeEnd(); });
                                                  link_->ProbeAnswered(std::move(answer));
                                                });
  collector_.set_own_traffic([this] { return executor_->live_sessions() > 0; });
  probes_ = std::make_unique<ExecutorRunner>(executor_.get());
  dialer_ = MakeDialer(&loop_, settings_);
  std::mt19937_64 generator(random_());
  link_ = std::make_unique<link::AgentLink>(
      link::AgentLink::Surroundings{
          .loop = &loop_,
          .dialer = dialer_.get(),
          .facts = &facts_,
          .probes = probes_.get(),
          .epochs = &epochs_,
          .random =
              [generator]() mutable { return std::generate_canonical<double, 53>(generator); },
          .on_change = [this] { TellSystemd(); }},
      link::AgentLink::Options{.endpoint = settings_.controller,
                               .identity = Identity(),
                               .instance = RandomInstance(random_),
                               .collect_interval = settings_.collect_interval});
  collector_.set_on_recovered([this] { link_->FactsMayHaveChanged(); });

  RETURN_IF_ERROR(StartWatches());
  LogInfo("agent started", {{"version", SoftwareVersion()},
                            {"host", settings_.host},
                            {"controller", settings_.controller}});
  if (const auto interval = service::WatchdogInterval()) FeedWatchdog(*interval);
  RefreshStatusLine();
  link_->Start();
  loop_.Run();

  status_.reset();
  events_.reset();
  // Readings that hang may keep it for longer than us.
  listener_->Stop();
  uverbs_.reset();
  // Before the link: sessions that still end hand it their reports.
  executor_.reset();
  link_.reset();
  dialer_.reset();
  signals_.reset();
  return absl::OkStatus();
}

v1::HostIdentity Service::Identity() const {
  v1::HostIdentity identity = facts::ReadIdentity(sources_->root(), settings_.host);
  // Recordings leave out what names a machine.
  if (played_ && identity.machine_id().empty()) identity.set_machine_id("a recorded host");
  return identity;
}

absl::Status Service::StartWatches() {
  // Without it `rdma link del` would wait for a probe to end: not a thing to go on without.
  ASSIGN_OR_RETURN(uverbs_, watch::UverbsWatch::Start(
                                [this](std::string_view node) { executor_->NodeGone(node); }));
  absl::StatusOr<std::unique_ptr<watch::FactEvents>> events = watch::FactEvents::Start(
      [this](const watch::Changes& changes) { link_->FactsMayHaveChanged(changes); });
  if (events.ok()) {
    events_ = *std::move(events);
    for (const std::string& source : events_->not_listened_to()) {
      LogInfo("a kernel without this monitor; uevents tell of its devices", {{"source", source}});
    }
  } else {
    LogWarn("changes are seen by the periodic collection only",
            {{"error", Message(events.status())}});
  }
  // A recorded host has its own frames.
  const absl::Status listening = played_ ? absl::OkStatus() : listener_->Start();
  if (!listening.ok()) LogWarn("LLDP is not listened to", {{"error", Message(listening)}});
  absl::StatusOr<std::unique_ptr<link::StatusSocket>> status = link::StatusSocket::Listen(
      settings_.status_socket, &loop_, [this] { return link_->Status(); });
  if (status.ok()) {
    status_ = *std::move(status);
  } else {
    LogWarn("`roceready-agent status` will not work", {{"error", Message(status.status())}});
  }
  return absl::OkStatus();
}

// READY after the first collection: then the agent is of use, controller or not.
void Service::TellSystemd() {
  const link::LinkStatus status = link_->Status();
  service::ShowStatus(link::DescribeInOneLine(status));
  if (ready_ || (status.facts_generation == 0 && status.facts_error.empty())) return;
  ready_ = true;
  service::Ready();
}

void Service::FeedWatchdog(Duration interval) {
  service::FeedWatchdog();
  loop_.RunAfter(interval, [this, interval] { FeedWatchdog(interval); });
}

void Service::RefreshStatusLine() {
  loop_.RunAfter(kStatusLineInterval, [this] {
    TellSystemd();
    RefreshStatusLine();
  });
}

// Counters count anew from here. The look that they count from is taken once no probe has followed
// for a moment, whatever ended this one: a controller that is gone asks for none.
void Service::OnProbeEnd() {
  collector_.ForgetCountersBeforeNow();
  loop_.RunAfter(kQuietAfterProbes, [this] {
    if (executor_->live_sessions() == 0) link_->FactsMayHaveChanged();
  });
}

void Service::OnSignal(int signal) {
  if (signal == SIGHUP) {
    LogInfo("SIGHUP: certificates are read again by themselves; restart for other settings");
    return;
  }
  LogInfo("stopping", {{"signal", signal}});
  service::Stopping();
  link_->Shutdown([this] { loop_.Stop(); });
}

absl::Status StartAndRun(const std::string& config_path, const std::string& root) {
  ASSIGN_OR_RETURN(Settings settings, ReadSettings(config_path, std::chrono::system_clock::now()));
  RETURN_IF_ERROR(SetLogLevel(settings.log_level));
  std::shared_ptr<const facts::Sources> recorded;
  if (root != "/") {
    ASSIGN_OR_RETURN(recorded, SourcesOf(root));
    // A recorded host has no adapters to probe with; this machine's are not it.
    settings.probes.set_enabled(false);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<StateLock> lock, StateLock::Take(settings.state_directory));
  ASSIGN_OR_RETURN(link::EpochFile epochs, link::EpochFile::Open(settings.state_directory));
  return Service(std::move(settings), std::move(recorded), std::move(lock), std::move(epochs))
      .Run();
}

}  // namespace

int Run(const std::string& config_path, const std::string& root) {
  const absl::Status status = StartAndRun(config_path, root);
  if (!status.ok()) LogError("cannot start", {{"error", Message(status)}});
  return ExitStatusOfStart(status);
}

}  // namespace roceready::agent
