// SPDX-License-Identifier: Apache-2.0
// Takes the controller's probe orders and runs each probe's own side in a session of its own
// thread. An order is answered later, by one of the bodies of ConnectRequest:
//
//   PrepareProbe -> ProbePrepared | ProbeRefused      ArmPhase   -> PhaseDone (armed_only)
//   ConnectProbe -> ProbeConnected | ProbeRefused     RunPhase   -> PhaseDone
//   ReleaseProbe -> EndReport                         ClosePhase -> PhaseDone
//
// * An order is known by (probe_id, attempt, step); a repeated one gets the stored answer and never
//   runs again. After the session's end, whatever ended it, every order of it gets the EndReport.
// * An order of a lower epoch or of another session is refused with STALE_EPOCH.
// * What the agent's own configuration limits is refused with LIMIT, whatever is ordered.
// * A session ends, all of it, on whichever comes first: ReleaseProbe, its deadline, EndAll, its
//   uverbs node gone. The EndReport then comes without an order.
// * A session whose thread is stuck in the kernel is reported with what it still holds, and its
//   device takes no further probes until the kernel lets go.
#pragma once

#include <roceready/v1/agent_link.pb.h>
#include <roceready/v1/config.pb.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::probe {

struct Environment;

class Executor {
 public:
  // Called from any thread, in no fixed order among probes, never while Execute, BeginSession,
  // EndAll or an accessor runs in the same thread; must only enqueue.
  using Answer = std::function<void(v1::ConnectRequest)>;

  Executor(const v1::AgentProbeLimits& limits, std::shared_ptr<const Environment> environment,
           Answer answer);
  // Ends all sessions and waits for them, but no longer than kEndGrace.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // A stream was welcomed: orders must carry this session and at least this epoch (and at least the
  // highest epoch ever seen). Raises the highest epoch; the link keeps that across restarts.
  void BeginSession(uint64_t epoch, std::string_view session);
  uint64_t highest_epoch() const;

  // One of the six orders (any other body is ignored and false is returned). Never blocks.
  bool Execute(const v1::ConnectResponse& order);

  // Lease lost, stream closed, SIGTERM, `probe stop`. Never blocks; the EndReports follow.
  void EndAll(std::string_view reason);
  // The character device "uverbsN" is gone: all of its sessions end, so that the kernel's removal
  // of the device, which waits for them, can go on.
  void NodeGone(std::string_view uverbs_name);

  // EndReports not yet accepted, oldest first, at most kMaxUnacceptedReports; for redelivery after
  // a reconnect.
  std::vector<v1::EndReport> UnacceptedReports() const;
  void Accepted(const v1::EndReportAccepted& accepted);
  uint64_t dropped_reports() const;

  // "probe_id/attempt" of all that run or are not accepted (Hello.open_probes).
  std::vector<std::string> OpenProbes() const;
  size_t live_sessions() const;

  // The limits in force, defaults filled in (Hello.limits).
  v1::ProbeLimits limits() const;

  static constexpr size_t kMaxUnacceptedReports = 64;
  // Ended probes whose answers are still known, so that no order of them runs again.
  static constexpr size_t kMaxRemembered = 128;
  // What is not back after this long is stuck in the kernel.
  static constexpr std::chrono::seconds kEndGrace{2};

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace roceready::probe
