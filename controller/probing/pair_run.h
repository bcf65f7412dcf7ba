// SPDX-License-Identifier: Apache-2.0
// The probing of one pair, in as many attempts as it takes. A phase that fails takes the queue pair
// with it, so what is left is measured over a new connection: that is how it is known whether READ
// fails as well as WRITE, the other direction too, or large messages only. An order that came to an
// agent too early (another stream, busy for a moment) is repeated, at most kMaxRetries times.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/probing/probe_attempt.h"
#include "controller/probing/probe_runner.h"

namespace roceready {

class PairRun {
 public:
  static constexpr int kMaxRetries = 2;
  static constexpr Duration kRetryAfter = std::chrono::seconds(1);
  static constexpr Duration kMaxRetryAfter = std::chrono::seconds(5);

  // An adapter that may still be in use by an end that has not reported.
  struct LeftBehind {
    std::string host;
    std::string adapter;
    // The start of the agent that may use it. When another speaks for the host, it is free.
    std::string instance;
    MonotonicTime surely_free{};
  };

  // `on_end` is called once, from the loop, and may destroy this object.
  PairRun(const ProbeLink* link, PlannedPair pair, std::function<void()> on_end);
  ~PairRun();

  void Begin() { StartAttempt(); }
  // Messages of other attempts than the one under way are passed over.
  void OnMessage(const std::string& host, std::uint32_t attempt, const v1::ConnectRequest& message);
  void OnAgentGone(const std::string& host, const std::string& why);
  void Stop(const std::string& reason);

  const PlannedPair& pair() const { return pair_; }
  // Null until the end.
  std::shared_ptr<const v1::ProbeResult> result() const { return result_; }
  std::vector<LeftBehind> left_behind() const { return left_behind_; }

 private:
  void StartAttempt();
  void AttemptEnded();
  void Gather(const ProbeAttempt::Side& side, v1::EndReport* report);
  bool Continues(const ProbeAttempt::Outcome& outcome);
  bool Retries(const ProbeAttempt::Outcome& outcome) const;
  void DropImplied(int failed);
  void NotRun(int place, const std::string& why);
  void End(const ProbeAttempt::Outcome& outcome);

  const ProbeLink* link_;
  const PlannedPair pair_;
  std::function<void()> on_end_;
  std::unique_ptr<ProbeAttempt> attempt_;
  std::uint32_t attempts_ = 0;
  int retries_ = 0;
  EventLoop::TimerId retry_timer_ = 0;
  std::string stop_reason_;
  std::vector<int> remaining_;  // places in the spec
  v1::EndReport report_a_;
  v1::EndReport report_b_;
  bool heard_a_ = false;
  bool heard_b_ = false;
  std::shared_ptr<const v1::ProbeResult> result_;
  std::vector<LeftBehind> left_behind_;
  // Held weakly by what an attempt has posted.
  std::shared_ptr<PairRun*> self_ = std::make_shared<PairRun*>(this);
};

}  // namespace roceready
