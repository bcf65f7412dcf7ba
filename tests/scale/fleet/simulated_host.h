// SPDX-License-Identifier: Apache-2.0
// An agent without a host: the agent's own end of the stream (agent/link) over made-up facts and
// probes of a simulated fabric.
#pragma once

#include <atomic>
#include <functional>
#include <random>
#include <string>

#include "agent/link/agent_link.h"
#include "tests/scale/fleet/simulated_probes.h"
#include "tests/support/builders/facts_builder.h"

namespace roceready::scale {

// Facts that never change.
class SimulatedFacts final : public link::FactsSource {
 public:
  SimulatedFacts(EventLoop* loop, const builders::HostBuilder& host) : loop_(loop), host_(host) {}
  void Collect(bool with_raw_counters, std::function<void(link::Collection)> done) override;

  v1::HostIdentity identity() { return host_.facts().identity(); }

 private:
  EventLoop* const loop_;
  builders::HostBuilder host_;
};

// A controller's epoch, as long as this lives.
class EpochInMemory final : public link::EpochStore {
 public:
  uint64_t highest() const override { return highest_; }
  absl::Status Raise(uint64_t epoch) override {
    highest_ = epoch;
    return absl::OkStatus();
  }

 private:
  uint64_t highest_ = 0;
};

class SimulatedHost {
 public:
  struct Options {
    std::string endpoint;  // of the controller
    SimulatedProbes::Times times;
    size_t number = 0;
  };

  // What is pointed to outlives this. `connected` counts the hosts that are.
  SimulatedHost(EventLoop* loop, link::Dialer* dialer, const SimulatedFabric* fabric,
                Options options, std::atomic<size_t>* connected);

  void Start() { link_.Start(); }

 private:
  void CountMe();

  SimulatedFacts facts_;
  EpochInMemory epochs_;
  std::mt19937 random_;
  SimulatedProbes probes_;
  std::atomic<size_t>* const connected_;
  bool is_counted_ = false;
  link::AgentLink link_;
};

}  // namespace roceready::scale
