// SPDX-License-Identifier: Apache-2.0
// Connects the hosts of a mix (tests/scale/README.md) to a controller on this machine, in plain
// text, and lets them answer until it is told to end. Prints what is wrong in the fabric, then how
// many hosts are connected whenever that changes.
#include <absl/synchronization/mutex.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "agent/link/grpc_transport.h"
#include "proto/process/signals.h"
#include "tests/scale/blame/mix_files.h"
#include "tests/scale/fleet/simulated_host.h"

namespace roceready::scale {
namespace {

constexpr size_t kLoopCapacity = 65'536;

// A loop with its thread and the hosts that live on it.
class Share {
 public:
  Share(const Clock* clock, std::atomic<size_t>* connected)
      : loop_(clock, kLoopCapacity), dialer_(&loop_), connected_(connected) {}
  ~Share() {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
    hosts_.clear();
  }

  void Add(const SimulatedFabric* fabric, SimulatedHost::Options options) {
    hosts_.push_back(
        std::make_unique<SimulatedHost>(&loop_, &dialer_, fabric, std::move(options), connected_));
  }
  void Start() {
    for (const auto& host : hosts_) {
      loop_.PostControl([one = host.get()] { one->Start(); });
    }
    thread_ = std::thread([this] { loop_.Run(); });
  }

 private:
  EventLoop loop_;
  link::GrpcDialer dialer_;
  std::atomic<size_t>* const connected_;
  std::vector<std::unique_ptr<SimulatedHost>> hosts_;
  std::thread thread_;
};

// Each host is a connection.
void AllowManyFiles() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Ending {
 public:
  void Say() {
    std::lock_guard lock(mutex_);
    said_ = true;
    changed_.notify_all();
  }
  // False: time is up and nobody has said so.
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return said_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool said_ = false;
};

int Run(const Mix& mix, size_t seed, SimulatedHost::Options options, size_t threads) {
  Ending ending;
  const auto signals = SignalWaiter::Start([&](int) { ending.Say(); });
  if (!signals.ok()) {
    fmt::print(stderr, "{}\n", std::string(signals.status().message()));
    return EXIT_FAILURE;
  }
  AllowManyFiles();
  const SimulatedFabric fabric(mix, seed);
  for (const Fault& fault : fabric.faults()) fmt::print("wrong: {}\n", NameOf(fault));
  const SystemClock clock;
  std::atomic<size_t> connected = 0;
  std::vector<std::unique_ptr<Share>> shares;
  for (size_t i = 0; i < threads; ++i) {
    shares.push_back(std::make_unique<Share>(&clock, &connected));
  }
  for (size_t number = 0; number < mix.hosts; ++number) {
    options.number = number;
    shares[number % threads]->Add(&fabric, options);
  }
  for (const auto& share : shares) share->Start();
  size_t shown = SIZE_MAX;
  while (!ending.WaitFor(std::chrono::milliseconds(200))) {
    if (connected == shown) continue;
    shown = connected;
    fmt::print("connected: {} of {}\n", shown, mix.hosts);
    std::fflush(stdout);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace roceready::scale

int main(int argc, char** argv) {
  using namespace roceready;
  // Debian's abseil searches for deadlocks at every lock otherwise.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  std::string mix_file;
  size_t seed = 0, hosts = 0, rails = 0, threads = 1;
  scale::SimulatedHost::Options options;
  int64_t phase_ms = 20;
  CLI::App app("Many agents without hosts, for a controller on this machine");
  app.add_option("--controller", options.endpoint, "HOST:PORT that agents dial")->required();
  app.add_option("--mix", mix_file, "the fabric and its faults")->required();
  app.add_option("--seed", seed, "where the faults are (0)");
  app.add_option("--hosts", hosts, "so many, whatever the mix says");
  app.add_option("--rails", rails, "so many, whatever the mix says");
  app.add_option("--threads", threads, "threads for the hosts (1)")->check(CLI::PositiveNumber);
  app.add_option("--phase-ms", phase_ms, "how long a phase of a probe takes (20)");
  CLI11_PARSE(app, argc, argv);
  absl::StatusOr<scale::Mix> mix = scale::LoadMix(mix_file);
  if (!mix.ok()) {
    fmt::print(stderr, "{}\n", std::string(mix.status().message()));
    return EXIT_FAILURE;
  }
  if (hosts > 0) mix->hosts = hosts;
  if (rails > 0) mix->rails = rails;
  options.times.phase = std::chrono::milliseconds(phase_ms);
  return scale::Run(*mix, seed, std::move(options), threads);
}
