// SPDX-License-Identifier: Apache-2.0
// One attempt at probing one pair, step by step:
//
//   prepare both -> connect both -> for each phase: arm passive, run active, close passive
//     -> release both
//
// In an incast it waits for all others of the incast, before it arms a phase and before it runs it.
//
// The controller owns the order of steps and the limit of each; what each agent holds ends with its
// own session, whatever becomes of us. Whichever way an attempt goes, it ends by releasing both
// ends and hearing their EndReports, or by giving up on an end that says nothing.
#pragma once

#include <absl/status/status.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/probing/incast_gate.h"
#include "proto/process/event_loop.h"
#include "roceready/v1/agent_link.pb.h"
#include "roceready/v1/probe.pb.h"

namespace roceready {

// What an attempt needs of the world.
struct ProbeLink {
  EventLoop* loop = nullptr;
  // Fleet::SendOrder.
  std::function<absl::Status(const std::string& host, v1::ConnectResponse order)> send;
  // Which start of a host's agent speaks for it, or spoke last (Hello.instance).
  std::function<std::string(const std::string& host)> instance_of;
  // Of the agents' streams: how long an agent goes on after it has lost us.
  Duration lease{};
};

// ProbeResult.failed_step of a pair that was told to stop before it measured anything.
inline constexpr char kStoppedStep[] = "stopped";

class ProbeAttempt {
 public:
  // How long an agent may take to answer, on our clock; its own limits are shorter.
  static constexpr Duration kPrepareLimit = std::chrono::seconds(5);
  // Resolving a neighbour alone can take a second or more.
  static constexpr Duration kConnectLimit = std::chrono::seconds(6);
  // For the others of an incast, which have taken the same steps.
  static constexpr Duration kTogetherLimit = std::chrono::seconds(15);
  static constexpr Duration kArmLimit = std::chrono::seconds(5);
  // Beyond the phase's deadline, which the agent keeps by its own clock.
  static constexpr Duration kRunGrace = std::chrono::seconds(3);
  static constexpr Duration kCloseLimit = std::chrono::seconds(5);
  static constexpr Duration kReleaseLimit = std::chrono::seconds(5);

  enum class Step { kPrepare, kConnect, kTogether, kArm, kRun, kClose, kRelease, kEnded };

  enum class Ending {
    kDone,         // every phase was run
    kPhaseFailed,  // a phase ended in an error that took the connection with it
    kRefused,      // an agent refused an order
    kNoAnswer,     // an agent did not answer in time, or ended its session early
    kAgentLost,    // a stream broke
    kStopped,      // we were told to stop
  };

  struct Outcome {
    Ending ending = Ending::kDone;
    std::string failed_step;
    std::string detail;
    v1::RefusalReason refusal = v1::REFUSAL_REASON_UNSPECIFIED;
    v1::ProbeSide refused_by = v1::PROBE_SIDE_UNSPECIFIED;
    Duration retry_after{};
    std::uint32_t failed_phase = 0;  // with kPhaseFailed: its index, which is its place
  };

  struct Side {
    v1::ProbeSide side = v1::PROBE_SIDE_UNSPECIFIED;
    std::string host;
    std::optional<v1::ProbeEndpoint> endpoint;
    bool connected = false;
    // It may hold resources until it reports, or until its session's deadline and lease are over.
    bool holds = false;
    // The start of the agent that was asked; nothing that it held outlives it.
    std::string instance;
    bool lost = false;
    std::optional<v1::EndReport> report;
    std::map<std::uint32_t, v1::PhaseResult> phases;
  };

  // Runs the phases of `run` (places in the spec), in that order: agents want the spec whole in
  // each attempt. `gates`: of an incast, else null. `on_end` is called once, from the loop, and may
  // destroy this object.
  ProbeAttempt(const ProbeLink* link, v1::ProbeSpec spec, std::vector<int> run,
               std::shared_ptr<IncastGates> gates, std::function<void()> on_end);
  ~ProbeAttempt();
  ProbeAttempt(const ProbeAttempt&) = delete;
  ProbeAttempt& operator=(const ProbeAttempt&) = delete;

  void Begin();
  void OnMessage(const std::string& host, const v1::ConnectRequest& message);
  void OnAgentGone(const std::string& host, const std::string& why);
  void Stop(const std::string& reason);

  const v1::ProbeSpec& spec() const { return spec_; }
  // Complete once ended.
  const Outcome& outcome() const { return outcome_; }
  const Side& a() const { return sides_[0]; }
  const Side& b() const { return sides_[1]; }
  // When an end that never reports has surely let go of its adapter.
  MonotonicTime surely_over() const { return surely_over_; }

 private:
  Side* SideOf(const std::string& host);
  Side& Active() { return sides_[phase().active_side() == v1::PROBE_SIDE_B ? 1 : 0]; }
  Side& Passive() { return sides_[phase().active_side() == v1::PROBE_SIDE_B ? 0 : 1]; }
  const v1::ProbePhase& phase() const { return spec_.phases(run_[next_run_]); }

  void OnPrepared(Side* side, const v1::ProbePrepared& prepared);
  void OnConnected(Side* side);
  void OnRefused(Side* side, const v1::ProbeRefused& refused);
  void OnPhaseDone(Side* side, const v1::PhaseDone& done);
  void OnEndReport(Side* side, const v1::EndReport& report);

  void Connect();
  void BeginPhase();
  void BeginToRun();
  // Calls `next` when all others of the incast are as far.
  void WaitForOthers(IncastGate* gate, void (ProbeAttempt::*next)());
  void Arm();
  void Run();
  void Close();
  void PhaseOver();
  void Release(Outcome outcome);
  void FinishIfReleased();
  void Finish();

  v1::Order OrderFor(const Side& side) const;
  void Send(Side* side, v1::ConnectResponse order);
  void Await(Step step, Duration limit);
  void LimitPassed();
  void StopTimer();
  std::string SilentHosts() const;

  const ProbeLink* link_;
  const v1::ProbeSpec spec_;
  const std::vector<int> run_;
  const std::shared_ptr<IncastGates> gates_;
  std::function<void()> on_end_;
  std::array<Side, 2> sides_;
  Step step_ = Step::kPrepare;
  std::size_t next_run_ = 0;
  Outcome outcome_;
  EventLoop::TimerId timer_ = 0;
  MonotonicTime surely_over_{};
  // Held weakly by what the gate calls.
  std::shared_ptr<ProbeAttempt*> self_ = std::make_shared<ProbeAttempt*>(this);
};

}  // namespace roceready
