// SPDX-License-Identifier: Apache-2.0
// One side of one probe. Its thread (Run) takes steps in the order they are queued and ends, with
// everything it holds given back, on whichever comes first: End(), the session deadline, a step
// after which nothing can go on.
#pragma once

#include <roceready/v1/agent_link.pb.h>
#include <roceready/v1/probe.pb.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/probe/connection.h"
#include "agent/probe/environment.h"
#include "agent/probe/interrupt.h"
#include "agent/probe/phase.h"
#include "agent/probe/rate_limiter.h"
#include "agent/probe/wire_watch.h"

namespace roceready::probe {

enum class StepKind { kPrepare, kConnect, kArm, kRun, kClose };

struct Step {
  StepKind kind = StepKind::kPrepare;
  uint32_t phase = 0;
  v1::ProbeEndpoint peer;
  // "prepare", "connect", "arm/3": what its answer is stored under.
  std::string name;
};

class Session {
 public:
  // Both are called from the session's thread.
  struct Output {
    std::function<void(const std::string& step, v1::ConnectRequest answer)> answer;
    // The last call. No EndReport when the probe was refused: nothing was held.
    std::function<void(std::optional<v1::EndReport> report)> ended;
  };

  Session(v1::ProbeSpec spec, v1::ProbeSide side, std::shared_ptr<const Environment> environment,
          std::shared_ptr<RateLimiter> agent_rate, Output output);

  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The thread's body.
  void Run();

  // From any thread; never block.
  bool Enqueue(Step step);
  void End(std::string_view reason);

  TimePoint deadline() const { return deadline_; }
  // "uverbsN", once known.
  std::string node() const;
  // What can be said while the thread is stuck: what it has, holds and is doing.
  v1::EndReport ReportStuck() const;
  uint32_t objects_held() const { return count_->load(); }

  static constexpr size_t kMaxQueuedSteps = 64;

 private:
  std::optional<Step> NextStep();
  void Take(const Step& step);
  void Prepare(const Step& step);
  void Connect(const Step& step);
  void ArmPassive(const Step& step);
  void RunActive(const Step& step);
  void ClosePassive(const Step& step);
  // A phase's step that does not fit the probe's state is refused; the session goes on.
  bool FitsPhase(const Step& step, bool active);

  struct ActivePhase;
  std::unique_ptr<ActivePhase> BeginPhase(uint32_t index);
  std::unique_ptr<ActiveSide> MakeActive(const PhaseContext& context);
  std::unique_ptr<PassiveSide> MakePassive(const PhaseContext& context);
  // What stands in the way of a phase here.
  std::optional<std::string> WhyUnusable(const v1::ProbePhase& phase) const;
  // A job may have come since the probe was prepared.
  static std::optional<Refusal> BusyFor(const PhaseContext& context);
  std::vector<v1::PortCounters> ReadCounters();
  // What moved since then.
  void AddCounters(const std::vector<v1::PortCounters>& before, TimePoint counted_at,
                   v1::PhaseResult& result);

  // Packets that have passed so far are counted, for the report.
  void LookAtWire();
  std::optional<std::string> Ending();
  void Refuse(const Step& step, const Refusal& refusal);
  void AnswerPhase(const Step& step, v1::PhaseResult result, bool armed_only);
  void Doing(std::string_view activity);
  v1::EndReport Report(std::string_view detail) const;

  const v1::ProbeSpec spec_;
  const v1::ProbeSide side_;
  const std::shared_ptr<const Environment> environment_;
  const std::shared_ptr<RateLimiter> agent_rate_;
  RateLimiter order_rate_;
  const Output output_;
  const TimePoint deadline_;
  const std::shared_ptr<ResourceCount> count_ = std::make_shared<ResourceCount>(0);
  Interrupt interrupt_;
  std::atomic<bool> end_asked_ = false;

  mutable std::mutex mutex_;
  std::deque<Step> queue_;
  std::string end_reason_;
  std::string node_;
  std::string activity_;
  std::vector<v1::PhaseResult> results_;
  v1::ProbeEndpoint used_;
  std::optional<v1::WireView> wire_seen_;

  // Of the session's thread alone.
  std::string rdma_name_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<WireWatch> wire_;
  std::unique_ptr<ActivePhase> armed_;
  std::vector<bool> phase_begun_;
  bool refused_ = false;
  bool over_ = false;
};

}  // namespace roceready::probe
